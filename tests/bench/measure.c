/* SPDX-License-Identifier: BSD-2-Clause */
/* measure.c - samples, and the length of a tick. */
#define _GNU_SOURCE
#include "bench/measure.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/fail.h"

void bench_samples_init(struct bench_samples *samples, size_t n_max)
{
	samples->ticks = malloc(n_max * sizeof(*samples->ticks));
	if (samples->ticks == NULL)
		bench_fail("no memory");
	memset(samples->ticks, 0xFF, n_max * sizeof(*samples->ticks));
	samples->n = 0;
	samples->n_max = n_max;
}

void bench_samples_free(struct bench_samples *samples)
{
	free(samples->ticks);
	samples->ticks = NULL;
}

void bench_samples_add(struct bench_samples *samples, uint64_t ticks)
{
	if (samples->n == samples->n_max)
		bench_fail("more than %zu samples", samples->n_max);
	samples->ticks[samples->n++] =
		ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

uint32_t bench_samples_at(struct bench_samples *samples, double fraction)
{
	if (samples->n == 0)
		bench_fail("nothing was measured");
	qsort(samples->ticks, samples->n, sizeof(*samples->ticks), compare);
	return samples->ticks[(size_t)(fraction * (double)(samples->n - 1))];
}

uint32_t bench_samples_median_of(struct bench_samples *samples, unsigned part)
{
	const size_t from = samples->n * part / BENCH_PARTS;
	const size_t to = samples->n * (part + 1) / BENCH_PARTS;

	if (from == to)
		bench_fail("nothing was measured");
	/* Sorting within a part does not change the parts */
	qsort(samples->ticks + from, to - from, sizeof(*samples->ticks),
	      compare);
	return samples->ticks[from + (to - from) / 2];
}

double bench_ns_per_tick(void)
{
	static uint64_t first_ticks;
	static int64_t first_ns;

	if (first_ns == 0) {
		first_ticks = bench_ticks();
		first_ns = bench_now_ns();
	}
	for (;;) {
		const uint64_t ticks = bench_ticks();
		const int64_t ns = bench_now_ns();

		/* 20 ms: the two clocks' reading times then differ by less than
		 * 1e-5 */
		if (ns - first_ns > 20000000)
			return (double)(ns - first_ns) /
			       (double)(ticks - first_ticks);
	}
}

double bench_ns_per_page(void)
{
	const size_t n = 4096, page = 4096;
	struct timespec begin, end;
	char *const pages = mmap(NULL, n * page, PROT_READ | PROT_WRITE,
	                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		bench_fail("no memory");
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	for (size_t i = 0; i < n; i++)
		((volatile char *)pages)[i * page] = 1;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	munmap(pages, n * page);
	return ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
	        (double)(end.tv_nsec - begin.tv_nsec)) /
	       (double)n;
}
