/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * work.c - a program to be sampled.  The program has three threads, recursion,
 * and callbacks through the C library.  The program emits nested and
 * overlapping marks, and its own samples with names for addresses.
 *
 *	work MILLISECONDS	of processor time, of each thread
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <syscap.h>
#include <syscap/runtime.h>
#include <syscap/sampler.h>

#define NUMBERS 4000

SYSCAP_WITH_SAMPLER;

static _Thread_local volatile uint64_t sink;
static int64_t wanted_ns;

static int64_t cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

__attribute__((noinline)) static uint64_t fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

__attribute__((noinline)) static void sort_numbers(void)
{
	static _Thread_local uint32_t numbers[NUMBERS];
	uint32_t seed = 1;

	for (unsigned i = 0; i < NUMBERS; i++)
		numbers[i] = seed = seed * 1664525 + 1013904223;
	qsort(numbers, NUMBERS, sizeof(numbers[0]), compare);
	sink += numbers[NUMBERS / 2];
}

__attribute__((noinline)) static void fill_memory(void)
{
	static _Thread_local char memory[1 << 20];

	memset(memory, (int)sink, sizeof(memory));
	sink += (uint64_t)memory[sink % sizeof(memory)];
}

/* Records of a runtime: the script's functions, the innermost first. */
static int script(uint64_t *addrs, unsigned n_addrs, void *user)
{
	static const char *const names[] = { "leaf (a.script:3)",
		                             "middle (a.script:2)",
		                             "middle (a.script:2)",
		                             "main (a.script:1)" };
	const unsigned first = *(const unsigned *)user % 3;
	unsigned n = 0;

	for (unsigned i = first; i < 4 && n < n_addrs; i++)
		addrs[n++] = syscap_jit_intern(names[i], strlen(names[i]));
	return (int)n;
}

/*
 * Records of a malloc() wrapper.  Some memory is freed at once, some later, and
 * some never.  Some frees get lost.
 */
static void allocate(unsigned number)
{
	static _Thread_local char blocks[64];
	const unsigned block = number * 7 % sizeof(blocks);
	const uint64_t address = (uint64_t)(uintptr_t)&blocks[block];

	syscap_allocation(address, 16 + number % 100, script, &number);
	if (number % 3 == 0)
		syscap_allocation(address, 0, script, &number);
	if (number % 4 == 0) {
		const uint64_t other = (uint64_t)(uintptr_t)&blocks[block / 2];

		syscap_allocation(other, 0, NULL, NULL);
	}
}

static void turn(unsigned number)
{
	const int64_t begin = syscap_clock(), middle = begin + 1000;

	sink += fibonacci(18 + number % 5);
	sort_numbers();
	if (number % 7 == 0)
		for (unsigned i = 0; i < 40; i++)
			fill_memory();
	syscap_sample(script, &number);
	allocate(number);
	SYSCAP_MARK("work", "sort", middle, syscap_clock() - middle, NULL);
	SYSCAP_MARK("work", "turn", begin, syscap_clock() - begin, "message");
	/* This mark begins before the mark "turn", and ends within "turn". */
	SYSCAP_MARK("other", "late", begin - 500, 900, NULL);
}

static void *work(void *unused)
{
	unsigned number = 0;

	(void)unused;
	while (cpu_now() < wanted_ns)
		turn(number++);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	wanted_ns = (argc > 1 ? atoi(argv[1]) : 300) * INT64_C(1000000);
	for (unsigned i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	work(NULL);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
