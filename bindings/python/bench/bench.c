/* SPDX-License-Identifier: BSD-2-Clause */
/* bench.c - what the same calls cost in C, in the form of bench.py. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <syscap.h>

#define N    5000
#define RUNS 25

SYSCAP_COUNTER(counter, "bench", "counter", "", SYSCAP_INT64);

static void empty(void)
{
	for (int i = 0; i < N; i++)
		__asm__ volatile("");
}

static void mark(void)
{
	for (int i = 0; i < N; i++)
		SYSCAP_INSTANT("bench", "mark", NULL);
}

static void scope(void)
{
	for (int i = 0; i < N; i++) {
		SYSCAP_SCOPE("bench", "scope");
		__asm__ volatile("");
	}
}

static void count(void)
{
	for (int i = 0; i < N; i++)
		SYSCAP_COUNTER_SET(counter, i);
}

static void log_message(void)
{
	for (int i = 0; i < N; i++)
		SYSCAP_LOG(SYSCAP_INFO, "bench", "a message");
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double measure(void (*loop)(void))
{
	static double times[RUNS];
	const struct timespec pause = { .tv_nsec = 30 * 1000 * 1000 };
	struct timespec begin, end;

	for (int i = 0; i < RUNS; i++) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
		loop();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
		times[i] = ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
		            (double)(end.tv_nsec - begin.tv_nsec)) /
		           N;
		if (syscap_is_active())
			nanosleep(&pause, NULL);
	}
	qsort(times, RUNS, sizeof(*times), compare);
	return times[RUNS / 2];
}

int main(void)
{
	static const struct {
		const char *name;
		void (*loop)(void);
	} loops[] = {
		{ "mark", mark },
		{ "scope", scope },
		{ "counter", count },
		{ "log, message", log_message },
	};
	struct syscap_stats stats = { .size = sizeof(stats) };
	const double base = measure(empty);

	printf("C, %s\n", syscap_is_active() ? "on" : "off");
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		printf("  %-34s%8.1f ns\n", loops[i].name,
		       measure(loops[i].loop) - base);
	syscap_get_stats(&stats);
	printf("  dropped %llu\n", (unsigned long long)stats.n_dropped);
	return 0;
}
