/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_samples.c - a capture full of samples, to measure those who read it.
 *
 *	make_samples N > FILE
 *
 * N samples of 8 threads, about 20 deep, of 60,000 addresses that carry their
 * names, in a quarter of a million stacks that share their outer frames: a tree
 * of about a million nodes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/format.h>

#define N_FUNCTIONS 60000u
#define DEPTH       20u
#define CODE        UINT64_C(0x400000)
#define SPREAD      64u
#define BITS        18u
#define N_STACKS    (1u << BITS)

static uint64_t state = 1;

static uint32_t next(void)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state >> 33);
}

static void put(const void *frame, size_t len)
{
	static const char zeros[8];

	if (fwrite(frame, 1, len, stdout) != len ||
	    fwrite(zeros, 1, -len & 7, stdout) != (-len & 7))
		exit(1);
}

static void put_header(void)
{
	struct syscap_wire_file header = {
		.magic = SYSCAP_MAGIC,
		.version = 1,
		.little_endian = 1,
		.capture_time = "2026-01-02T03:04:05Z",
		.time = 1000,
		.end_time = 0,
	};

	put(&header, sizeof(header));
}

static void begin_frame(struct syscap_wire_frame *frame, uint8_t type,
                        size_t len, int64_t time)
{
	memset(frame, 0, sizeof(*frame));
	frame->len = (uint16_t)((len + 7) & ~(size_t)7);
	frame->cpu = -1;
	frame->pid = 7;
	frame->time = time;
	frame->type = type;
}

/* Where stack @id is at @level: those of near numbers share what is outside. */
static uint64_t place_of(uint64_t id, unsigned level)
{
	const unsigned unshared = level < BITS ? BITS - level : 0;
	uint64_t hash = ((id >> unshared) + 1) * UINT64_C(0x9E3779B97F4A7C15);

	hash ^= hash >> 32;
	hash = (hash + level) * UINT64_C(0xD6E8FEB86659FD93);
	return (hash >> 32) % N_FUNCTIONS;
}

static void put_sample(int64_t time, unsigned thread)
{
	struct {
		struct syscap_wire_sample sample;
		uint64_t addrs[2 * DEPTH];
	} frame;
	/* Some are met more often than others. */
	const uint64_t id =
		(uint64_t)(next() % N_STACKS) * (next() % N_STACKS) / N_STACKS;
	const unsigned depth = DEPTH / 2 + (unsigned)place_of(id, 99) % DEPTH;
	const size_t len = sizeof(frame.sample) + depth * 8;

	begin_frame(&frame.sample.frame, SYSCAP_FRAME_SAMPLE, len, time);
	frame.sample.frame.padding2 = SYSCAP_WEIGHT_TAG | 4;
	frame.sample.n_addrs = (uint16_t)depth;
	frame.sample.flags = 0;
	frame.sample.tid = (int32_t)(7 + thread);
	for (unsigned i = 0; i < depth; i++)
		frame.addrs[depth - 1 - i] =
			CODE + place_of(id, i) * SPREAD + 5;
	put(&frame, len);
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
		const uint32_t pid = 7, name = (uint32_t)texts + i * 32;

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

		begin_frame(&chunk->frame, SYSCAP_FRAME_FILE_CHUNK, len, time);
		chunk->is_last = n == left;
		chunk->len = (uint16_t)n;
		snprintf(chunk->path, sizeof(chunk->path), "__symbols__");
		memcpy(buffer + SYSCAP_FILE_CHUNK_FIXED, table + at, n);
		put(buffer, len);
		at += n;
	}
	free(table);
}

static void put_texts(int64_t time)
{
	static const char id[] = "syscap.sample", value[] = "1000,auto";
	struct {
		struct syscap_wire_frame frame;
		char text[64];
	} frame;

	begin_frame(&frame.frame, SYSCAP_FRAME_PROCESS, 40, time);
	memset(frame.text, 0, sizeof(frame.text));
	memcpy(frame.text, "heavy", 5);
	put(&frame, 40);
	begin_frame(&frame.frame, SYSCAP_FRAME_METADATA, 80, time);
	frame.frame.pid = -1;
	memset(frame.text, 0, sizeof(frame.text));
	memcpy(frame.text, id, sizeof(id));
	memcpy(frame.text + 40, value, sizeof(value));
	put(&frame, 80);
}

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 1000000;

	put_header();
	put_texts(1000);
	for (long i = 0; i < n; i++)
		put_sample(1000 + i * 1000, (unsigned)(i / 16 % 8));
	put_table(1000 + n * 1000);
	return fflush(stdout) == 0 ? 0 : 1;
}
