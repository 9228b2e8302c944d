/* SPDX-License-Identifier: BSD-2-Clause */
/* test_memory_maps.c - ranges that are stored, cut and mended. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/seccomp_state.h"
#include "preload/memory.h"

static struct syc_memory_range range(uintptr_t begin, uintptr_t end)
{
	return (struct syc_memory_range){ begin, end };
}

static bool is_range(const struct syc_memory_range *there, uintptr_t begin,
                     uintptr_t end)
{
	return there->begin == begin && there->end == end;
}

static bool has(uintptr_t at)
{
	return syc_memory_maps_has((void *)at);
}

TEST(cut_leaves_its_neighbours)
{
	struct syc_memory_cut cut;

	CHECK(syc_memory_maps_begin());
	CHECK(syc_memory_maps_add(range(0x1000, 0x9000)));
	CHECK(syc_memory_maps_cut(range(0x3000, 0x5000), &cut));
	CHECK(is_range(&cut.was, 0x1000, 0x9000));
	CHECK(is_range(&cut.part, 0x3000, 0x5000));
	CHECK(is_range(&cut.left[0], 0x1000, 0x3000));
	CHECK(is_range(&cut.left[1], 0x5000, 0x9000));
	CHECK(has(0x1000) && has(0x2FFF) && !has(0x3000) && !has(0x4FFF));
	CHECK(has(0x5000) && has(0x8FFF) && !has(0x9000));
	CHECK(!syc_memory_maps_cut(range(0x3000, 0x5000), &cut));
}

TEST(range_over_several_mappings)
{
	struct syc_memory_cut cut;

	CHECK(syc_memory_maps_begin());
	CHECK(syc_memory_maps_add(range(0x8000, 0xA000)));
	CHECK(syc_memory_maps_add(range(0x1000, 0x3000)));
	CHECK(syc_memory_maps_add(range(0x3000, 0x4000)));
	CHECK(syc_memory_maps_cut(range(0x2000, 0x9000), &cut));
	CHECK(is_range(&cut.was, 0x1000, 0x3000));
	CHECK(is_range(&cut.part, 0x2000, 0x3000));
	CHECK(syc_memory_maps_cut(range(0x2000, 0x9000), &cut));
	CHECK(is_range(&cut.part, 0x3000, 0x4000));
	CHECK(cut.left[0].begin == cut.left[0].end);
	CHECK(cut.left[1].begin == cut.left[1].end);
	CHECK(syc_memory_maps_cut(range(0x2000, 0x9000), &cut));
	CHECK(is_range(&cut.left[1], 0x9000, 0xA000));
	CHECK(!syc_memory_maps_cut(range(0x2000, 0x9000), &cut));
}

TEST(undo_needs_an_unchanged_rest)
{
	struct syc_memory_cut cut, other;

	CHECK(syc_memory_maps_begin());
	CHECK(syc_memory_maps_add(range(0x1000, 0x9000)));
	CHECK(syc_memory_maps_cut(range(0x3000, 0x5000), &cut));
	CHECK(syc_memory_maps_mend(&cut));
	CHECK(has(0x4000));
	CHECK(syc_memory_maps_cut(range(0, 0x10000), &other));
	CHECK(is_range(&other.was, 0x1000, 0x9000));
	CHECK(!has(0x1000) && !has(0x8000));
	CHECK(syc_memory_maps_mend(&other));

	CHECK(syc_memory_maps_cut(range(0x3000, 0x5000), &cut));
	CHECK(syc_memory_maps_cut(range(0x8000, 0x9000), &other));
	CHECK(!syc_memory_maps_mend(&cut));
	CHECK(has(0x1000) && !has(0x4000) && has(0x7000) && !has(0x8000));
}

TEST(forked_child_has_an_empty_table)
{
	int status;
	pid_t pid;

	CHECK(syc_memory_maps_begin());
	CHECK(syc_memory_maps_add(range(0x1000, 0x9000)));
	pid = fork();
	if (pid == 0)
		_exit(has(0x1000) ||
		      !syc_memory_maps_add(range(0x2000, 0x3000)));
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(has(0x1000));
}

TEST(ranges_are_whole_pages)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct syc_memory_range all;

	all = syc_memory_maps_round((void *)(4 * page), page + 1);
	CHECK(is_range(&all, 4 * page, 6 * page));
	all = syc_memory_maps_round((void *)(4 * page), page);
	CHECK(is_range(&all, 4 * page, 5 * page));
}

#define N_THREADS 4u

/*
 * Each thread has its own addresses, interleaved with those of other threads.
 */
static void *run(void *number)
{
	const uintptr_t first = (uintptr_t)number * 0x10000;
	const unsigned n = test_is_whole() ? 200000 : 5000;
	struct syc_memory_cut cut;

	for (unsigned i = 0; i < n; i++) {
		const uintptr_t at = first + i % 64 * N_THREADS * 0x10000;

		CHECK(syc_memory_maps_add(range(at, at + 0x8000)));
		CHECK(syc_memory_maps_cut(range(at + 0x2000, at + 0x3000),
		                          &cut));
		CHECK(is_range(&cut.was, at, at + 0x8000));
		if (i % 3 == 0) {
			CHECK(syc_memory_maps_mend(&cut));
			CHECK(has(at + 0x2000));
		} else {
			CHECK(syc_memory_maps_cut(range(at, at + 0x2000),
			                          &cut));
		}
		CHECK(syc_memory_maps_cut(range(at, at + 0x8000), &cut));
		CHECK(!syc_memory_maps_cut(range(at, at + 0x8000), &cut));
	}
	return NULL;
}

/* Each step may refuse a thread that can't wait for the lock. */
static void *run_refused(void *number)
{
	const uintptr_t first = (uintptr_t)number * 0x10000;
	const unsigned n = test_is_whole() ? 200000 : 5000;
	struct syc_memory_cut cut;

	for (unsigned i = 0; i < n; i++) {
		const uintptr_t at = first + i % 64 * N_THREADS * 0x10000;

		if (!syc_memory_maps_add(range(at, at + 0x8000)))
			continue;
		if (syc_memory_maps_cut(range(at + 0x2000, at + 0x3000), &cut))
			syc_memory_maps_mend(&cut);
		while (syc_memory_maps_cut(range(at, at + 0x8000), &cut))
			CHECK(cut.was.begin >= at &&
			      cut.was.end <= at + 0x8000);
	}
	return NULL;
}

static void run_threads(void *(*function)(void *))
{
	pthread_t threads[N_THREADS];

	CHECK(syc_memory_maps_begin());
	for (uintptr_t i = 0; i < N_THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, function,
		                     (void *)(i + 1)) == 0);
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

TEST(simultaneous_threads)
{
	run_threads(run);
}

TEST(simultaneous_threads_without_lock_waits)
{
	struct syc_memory_cut cut;
	uintptr_t end = 0;

	syc_seccomp_filters = true;
	run_threads(run_refused);
	/* The remaining ranges are sorted and disjoint */
	while (syc_memory_maps_cut(range(0, UINTPTR_MAX), &cut)) {
		CHECK(cut.was.begin >= end && cut.was.end > cut.was.begin);
		end = cut.was.end;
	}
}
