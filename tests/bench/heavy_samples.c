/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heavy_samples.c - samples of 8 threads, about 20 deep, of 60,000 addresses
 * with names.  The quarter of a million stacks share their outer frames, and
 * make a tree of about a million nodes.  Allocations are another kind, with these
 * stacks.  Other kinds are samples of 64 threads over a whole day, and samples
 * of as many stacks as once made a flame graph fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/heavy.h"

#define N_FUNCTIONS 60000u
#define DEPTH       20u
#define CODE        UINT64_C(0x400000)
#define SPREAD      64u
#define BITS        18u
#define N_STACKS    (1u << BITS)

/* The address of stack @id at @level: stacks with near ids share their outer
 * frames. */
static uint64_t place_of(uint64_t id, unsigned level)
{
	const unsigned unshared = level < BITS ? BITS - level : 0;
	uint64_t hash = ((id >> unshared) + 1) * UINT64_C(0x9E3779B97F4A7C15);

	hash ^= hash >> 32;
	hash = (hash + level) * UINT64_C(0xD6E8FEB86659FD93);
	return (hash >> 32) % N_FUNCTIONS;
}

/* Store the addresses of stack @id.  Returns their number. */
static unsigned fill_stack(uint64_t *addrs, uint64_t id)
{
	const unsigned depth = DEPTH / 2 + (unsigned)place_of(id, 99) % DEPTH;

	for (unsigned i = 0; i < depth; i++)
		addrs[depth - 1 - i] = CODE + place_of(id, i) * SPREAD + 5;
	return depth;
}

static void put_sample(int64_t time, unsigned thread, uint64_t id)
{
	struct {
		struct syscap_wire_sample sample;
		uint64_t addrs[2 * DEPTH];
	} frame;
	const unsigned depth = fill_stack(frame.addrs, id);
	const size_t len = sizeof(frame.sample) + depth * 8;

	heavy_begin(&frame.sample.frame, SYSCAP_FRAME_SAMPLE, len, time);
	frame.sample.frame.padding2 = SYSCAP_WEIGHT_TAG | 4;
	frame.sample.n_addrs = (uint16_t)depth;
	frame.sample.flags = 0;
	frame.sample.tid = (int32_t)(HEAVY_PID + thread);
	heavy_put(&frame, len);
}

/* @size 0: the block is freed, without a stack. */
static void put_allocation(int64_t time, unsigned thread, uint64_t block,
                           int64_t size, uint64_t id)
{
	struct {
		struct syscap_wire_allocation allocation;
		uint64_t addrs[2 * DEPTH];
	} frame;
	const unsigned depth = size > 0 ? fill_stack(frame.addrs, id) : 0;
	const size_t len = sizeof(frame.allocation) + depth * 8;

	heavy_begin(&frame.allocation.frame, SYSCAP_FRAME_ALLOCATION, len,
	            time);
	frame.allocation.addr = UINT64_C(0x700000000000) + block * 64;
	frame.allocation.size = size;
	frame.allocation.tid = (int32_t)(HEAVY_PID + thread);
	frame.allocation.n_addrs = (uint16_t)depth;
	frame.allocation.padding = 0;
	heavy_put(&frame, len);
}

/* Some stacks are more frequent than others. */
static uint64_t choose_stack(void)
{
	return (uint64_t)(heavy_random() % N_STACKS) *
	       (heavy_random() % N_STACKS) / N_STACKS;
}

static unsigned char *make_table(size_t *ret_size)
{
	const size_t texts = 32 * (N_FUNCTIONS + 1);
	unsigned char *table = calloc(1, texts + N_FUNCTIONS * 32);

	if (table == NULL)
		exit(1);
	for (uint32_t i = 0; i < N_FUNCTIONS; i++) {
		const uint64_t begin = CODE + (uint64_t)i * SPREAD;
		const uint64_t end = begin + SPREAD;
		const uint32_t pid = HEAVY_PID, name = (uint32_t)texts + i * 32;

		memcpy(table + 32 * i, &begin, 8);
		memcpy(table + 32 * i + 8, &end, 8);
		memcpy(table + 32 * i + 16, &pid, 4);
		memcpy(table + 32 * i + 20, &name, 4);
		snprintf((char *)table + name, 32, "a_function_called_%u", i);
	}
	*ret_size = texts + N_FUNCTIONS * 32;
	return table;
}

static void put_table(int64_t time)
{
	static unsigned char buffer[SYSCAP_FRAME_MAX];
	struct syscap_wire_file_chunk *chunk = (void *)buffer;
	unsigned char *table;
	size_t size;

	table = make_table(&size);
	for (size_t at = 0; at < size;) {
		const size_t left = size - at, n = left < 60000 ? left : 60000;
		const size_t len = SYSCAP_FILE_CHUNK_FIXED + n;

		heavy_begin(&chunk->frame, SYSCAP_FRAME_FILE_CHUNK, len, time);
		chunk->is_last = n == left;
		chunk->len = (uint16_t)n;
		snprintf(chunk->path, sizeof(chunk->path), "__symbols__");
		memcpy(buffer + SYSCAP_FILE_CHUNK_FIXED, table + at, n);
		heavy_put(buffer, len);
		at += n;
	}
	free(table);
}

static void put_period(void)
{
	struct {
		struct syscap_wire_metadata metadata;
		char value[16];
	} frame = { .metadata.id = "syscap.sample", .value = "1000,auto" };

	heavy_begin(&frame.metadata.frame, SYSCAP_FRAME_METADATA, sizeof(frame),
	            HEAVY_BEGIN);
	frame.metadata.frame.pid = -1;
	heavy_put(&frame, sizeof(frame));
}

void heavy_samples(long n)
{
	put_period();
	for (long i = 0; i < n; i++)
		put_sample(HEAVY_BEGIN + i * 1000, (unsigned)(i / 16 % 8),
		           choose_stack());
	put_table(HEAVY_BEGIN + n * 1000);
}

#define KEPT   2000 /* blocks that are in use at a time */
#define LEAKED 50   /* each 50th block is never freed */

void heavy_allocations(long n)
{
	put_period();
	for (long i = 0; i < n; i++) {
		const int64_t time = HEAVY_BEGIN + i * 1000;
		const unsigned thread = (unsigned)(i / 16 % 8);

		put_allocation(time, thread, (uint64_t)i,
		               16 + heavy_random() % 1000, choose_stack());
		if (i >= KEPT && i % LEAKED != 0)
			put_allocation(time + 1, thread, (uint64_t)(i - KEPT),
			               0, 0);
		if (i % 55 == 0)
			put_sample(time + 2, thread, choose_stack());
	}
	put_table(HEAVY_BEGIN + n * 1000);
}

void heavy_day(long n)
{
	const int64_t step = INT64_C(24) * 3600 * 1000000000 / n;

	put_period();
	for (long i = 0; i < n; i++)
		put_sample(HEAVY_BEGIN + i * step, (unsigned)(i % 64),
		           choose_stack());
	put_table(HEAVY_BEGIN + n * step);
}

void heavy_stacks(long n)
{
	put_period();
	for (long i = 0; i < n; i++)
		put_sample(HEAVY_BEGIN + i * 100000, (unsigned)(i % 8),
		           (uint64_t)(i % 38003) * (N_STACKS / 38003));
	put_table(HEAVY_BEGIN + n * 100000);
}
