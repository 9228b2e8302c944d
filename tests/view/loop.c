/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loop.c - a program that uses processor time in known shares: view_loop MS (0:
 * forever).  Exit status 3.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Not a multiple of usual sampling periods. */
#define TURN_NS INT64_C(10300000)

volatile unsigned view_loop_sum;

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void work_until(int64_t end)
{
	while (now() < end)
		for (int i = 0; i < 2000; i++)
			view_loop_sum += (unsigned)i;
}

__attribute__((noinline)) static void three_quarters(int64_t begin)
{
	work_until(begin + TURN_NS / 4 * 3);
	view_loop_sum++; /* no tail call */
}

__attribute__((noinline)) static void one_quarter(int64_t begin)
{
	work_until(begin + TURN_NS);
	view_loop_sum++;
}

int main(int argc, char **argv)
{
	const int64_t ms = argc > 1 ? atoll(argv[1]) : 0;
	int64_t begin = now();
	const int64_t end = begin + ms * 1000000;

	while (ms == 0 || begin < end) {
		three_quarters(begin);
		one_quarter(begin);
		begin += TURN_NS;
	}
	puts("a turn");
	return 3;
}
