/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_map_frames.c - a process that records itself writes MAP frames before
 * addresses, if one of its copies emits addresses.  The program's copy emits no
 * addresses; the loaded copies do, and any copy may drain.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "copies/parts.h"
#include "emit/ring_source.h"
#include "harness/peer.h"
#include "harness/syscalls.h"
#include "harness/test.h"
#include "harness/written.h"

#define N_COPIES 20

#pragma weak syc_map_frames

CHILD(emits_no_addresses)
{
	CHECK(&syc_map_frames == NULL);
	for (unsigned i = 0; i < 10; i++)
		written_mark(0, i);
	CHECK_EQ(syscap_drain(), 0);
}

static bool is_over;

static void *drain(void *nothing)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		syscap_drain();
	return nothing;
}

/* Each copy has its own file name, and so its own addresses. */
static const struct part *load_copy(const char *dir, unsigned i)
{
	char from[4096], command[8400], path[4096];
	void *handle;

	parts_path(from, "a");
	snprintf(path, sizeof(path), "%s/%u.so", dir, i);
	snprintf(command, sizeof(command), "cp %s %s", from, path);
	CHECK_EQ(system(command), 0);
	return parts_open_path(path, &handle);
}

CHILD(loads_copies_that_emit_addresses)
{
	pthread_t thread;

	written_mark(0, 0);
	CHECK_EQ(syscap_drain(), 0);
	CHECK_EQ(pthread_create(&thread, NULL, drain, NULL), 0);
	for (unsigned i = 0; i < N_COPIES; i++) {
		const struct part *const part = load_copy(peer_arg(), i);

		part->stack((uintptr_t)part->stack);
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

#define N_BETWEEN 8u

static bool is_drained;
static unsigned n_between;

static void load_between(void)
{
	const struct part *const part = load_copy(peer_arg(), n_between++);

	part->stack((uintptr_t)part->stack);
}

static bool is_maps(int fd)
{
	char link[32], path[64] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return readlink(link, path, sizeof(path) - 1) > 5 &&
	       strcmp(path + strlen(path) - 5, "/maps") == 0;
}

/* Loads another copy after each read of the maps. */
static bool take_syscall(long number, long *args, long *ret_r)
{
	if (number != SYS_close || !is_drained || n_between == N_BETWEEN ||
	    !is_maps((int)args[0]))
		return false;
	*ret_r = syc_raw_syscall(number, args[0], 0, 0, 0, 0, 0);
	is_drained = false; /* events may read the maps, too */
	load_between();
	is_drained = true;
	return true;
}

CHILD(loads_copies_after_each_look_at_the_maps)
{
	load_between();
	is_drained = true;
	for (unsigned i = 0; i < N_BETWEEN; i++)
		CHECK_EQ(syscap_drain(), 0);
	is_drained = false;
	CHECK_EQ(n_between, N_BETWEEN);
}

struct maps {
	unsigned n, n_samples;
	uint64_t start[1000], end[1000];
};

static void check_covered(const struct maps *maps, uint64_t address)
{
	for (unsigned i = 0; i < maps->n; i++)
		if (address >= maps->start[i] && address < maps->end[i])
			return;
	test_fail(__FILE__, __LINE__, "no MAP frame before %#lx",
	          (unsigned long)address);
}

static void read_maps(const char *path, struct maps *maps)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syscap_error error;
	uint64_t address;

	memset(maps, 0, sizeof(*maps));
	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while (syscap_reader_next(reader, &frame, &error) > 0) {
		if (frame.type == SYSCAP_FRAME_MAP) {
			CHECK(maps->n < 1000);
			maps->start[maps->n] = frame.map.start;
			maps->end[maps->n++] = frame.map.end;
		} else if (frame.type == SYSCAP_FRAME_SAMPLE) {
			maps->n_samples++;
			CHECK(syscap_frame_addr(reader, &frame, 0, &address));
			check_covered(maps, address);
		}
	}
	syscap_reader_close(reader);
}

static void record(const char *child, const char *thread, struct maps *ret_maps)
{
	char *const dir = written_make_dir();
	char path[4096], variable[4200];
	const char *const env[] = { variable, thread, NULL };

	snprintf(path, sizeof(path), "%s/x", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run(child, dir, env, -1);
	read_maps(path, ret_maps);
	written_remove_dir(dir);
}

TEST(program_without_addresses_writes_no_map_frames)
{
	struct maps maps;

	record("emits_no_addresses", NULL, &maps);
	CHECK_EQ(maps.n, 0);
}

TEST(map_frames_precede_the_addresses_of_each_loaded_copy)
{
	struct maps maps;

	record("loads_copies_that_emit_addresses", NULL, &maps);
	CHECK_EQ(maps.n_samples, N_COPIES);
	CHECK(maps.n >= N_COPIES);
}

TEST(addresses_of_copies_loaded_while_maps_are_read_wait_for_the_next_look)
{
	struct maps maps;

	record("loads_copies_after_each_look_at_the_maps", "SYSCAP_THREAD=0",
	       &maps);
	CHECK_EQ(maps.n_samples, N_BETWEEN);
	CHECK(maps.n >= N_BETWEEN);
}
