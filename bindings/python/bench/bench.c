/* SPDX-License-Identifier: BSD-2-Clause */
/* bench.c - cost of the same calls in C, in the form of bench.py. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <syscap.h>

#define N    5000
#define RUNS 25

/* Runs that fill a ring of 32 MiB once */
#define WARM_UP 30

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

static const struct {
	const char *name;
	void (*loop)(void);
} loops[] = {
	{ "empty loop", empty },
	{ "mark", mark },
	{ "scope", scope },
	{ "counter", count },
	{ "log, message", log_message },
};

#define N_LOOPS (sizeof(loops) / sizeof(loops[0]))

static double times[N_LOOPS][RUNS];

static double measure(void (*loop)(void))
{
	const struct timespec pause = { .tv_nsec = 30 * 1000 * 1000 };
	struct timespec begin, end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	loop();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	if (syscap_is_active())
		nanosleep(&pause, NULL);
	return ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
	        (double)(end.tv_nsec - begin.tv_nsec)) /
	       N;
}

static double median(double *of)
{
	qsort(of, RUNS, sizeof(*of), compare);
	return of[RUNS / 2];
}

int main(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	/* Omits runs that touch the ring's memory for the first time */
	for (size_t n = 0; n < WARM_UP && syscap_is_active(); n++)
		for (size_t i = 0; i < N_LOOPS; i++)
			measure(loops[i].loop);
	for (size_t run = 0; run < RUNS; run++)
		for (size_t i = 0; i < N_LOOPS; i++)
			times[i][run] = measure(loops[i].loop);
	const double base = median(times[0]);
	printf("C, %s\n", syscap_is_active() ? "on" : "off");
	for (size_t i = 1; i < N_LOOPS; i++)
		printf("  %-34s%8.1f ns\n", loops[i].name,
		       median(times[i]) - base);
	syscap_get_stats(&stats);
	printf("  dropped %llu\n", (unsigned long long)stats.n_dropped);
	return 0;
}
