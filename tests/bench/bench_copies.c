/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_copies.c - several static copies of the library in one process,
 * compared with copies of the reference library.  Measures an event with 1, 2
 * and 4 copies, and the memory of four copies with twenty threads.
 *
 * One copy is this program's own; the others are in libraries.  Copies can't be
 * unloaded, so each number of copies has its own process, and the processes
 * take turns.
 */
#define _GNU_SOURCE
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/recorder.h"
#include "bench/report.h"

#define ROUNDS    800u
#define BURST     500u
#define THREADS   20u
#define EVENTS    500u
#define N_COPIES  4u
#define N_NUMBERS 3u
#define N_TURNS   (4u * N_COPIES)

BENCH_EVENT(mark, SYSCAP_MARK("bench", "mark", 1000, 10, NULL))

static const unsigned numbers[N_NUMBERS] = { 1, 2, 4 };

/* Emits @n marks through a library's copy. */
typedef void emit_fn(unsigned n);

static emit_fn *load(const char *kind, unsigned i)
{
	char path[4200];
	emit_fn *emit;
	const ssize_t n = readlink("/proc/self/exe", path, 4096);

	if (n < 0)
		bench_fail("/proc/self/exe can't be read");
	path[n] = '\0';
	snprintf(strrchr(path, '/') + 1, 100, "libbench_copy_%s_%u.so", kind,
	         i);
	void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (handle == NULL)
		bench_fail("%s", dlerror());
	*(void **)&emit = dlsym(handle, "bench_copy_emit");
	return emit;
}

/* ------------------------------------------------------------------ cost */

/* Cost of an event in picoseconds. */
static uint64_t in_ps(struct bench_samples *samples, double fraction)
{
	return (uint64_t)(1000.0 * bench_samples_at(samples, fraction) *
	                  bench_ns_per_tick() / BURST);
}

/* @told has the median and the 99.9 % quantile of each process. */
static void report_costs(const uint64_t *told)
{
	for (unsigned i = 1; i < N_NUMBERS; i++) {
		char what[40];

		snprintf(what, sizeof(what), "mark, %u copies", numbers[i]);
		const struct bench_row row = {
			.what = what,
			.median = (double)told[2 * i] / 1000,
			.p999 = (double)told[2 * i + 1] / 1000,
			.other = "mark, 1 copy",
			.other_median = (double)told[0] / 1000,
			.other_p999 = (double)told[1] / 1000,
			.target = BENCH_RATIO_MOST,
			.bound = 1.02,
		};
		bench_report_row(&row);
	}
}

static int measure(unsigned which)
{
	struct bench_samples samples;
	struct syscap_stats stats = { .size = sizeof(stats) };

	bench_ns_per_tick();
	bulk_mark(1);
	for (unsigned i = 1; i < numbers[which]; i++)
		load("ours", i)(1);
	bench_expect(BENCH_OURS, SYSCAP_FRAME_MARK, numbers[which]);
	syscap_get_stats(&stats);
	if (stats.n_copies != numbers[which] || stats.n_rings != 1)
		bench_fail("%u copies with %u rings", stats.n_copies,
		           stats.n_rings);
	bench_samples_init(&samples, ROUNDS);
	for (unsigned round = 0; round < ROUNDS; round++) {
		bench_turn_wait(which);
		for (unsigned i = 0; i < 2; i++) { /* first to warm up */
			const uint64_t start = bench_ticks();

			bulk_mark(BURST);
			if (i != 0)
				bench_samples_add(&samples,
				                  bench_ticks() - start);
		}
		bench_expect(BENCH_OURS, SYSCAP_FRAME_MARK, 2 * BURST);
		bench_turn_pass((which + 1) % N_NUMBERS);
	}
	bench_turn_wait(which);
	uint64_t *const mine = &bench_page()->numbers[2 * which];
	mine[0] = in_ps(&samples, 0.5);
	mine[1] = in_ps(&samples, 0.999);
	bench_samples_free(&samples);
	if (which == N_NUMBERS - 1)
		report_costs(bench_page()->numbers);
	bench_turn_pass(which + 1);
	return 0;
}

/* ---------------------------------------------------------------- memory */

static emit_fn *copies[N_COPIES];
static pthread_barrier_t barrier;

/* Emits until every ring has wrapped, as after some time of use. */
static void *emit_through_all(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < N_TURNS; i++) {
		pthread_barrier_wait(&barrier);
		copies[i % N_COPIES](EVENTS);
		pthread_barrier_wait(&barrier);
	}
	pthread_barrier_wait(&barrier);
	return unused;
}

/* Resident memory of this process in KiB. */
static uint64_t resident_kib(void)
{
	FILE *const file = fopen("/proc/self/smaps_rollup", "re");
	unsigned long long kib = 0;
	char line[256];

	if (file == NULL)
		bench_fail("/proc/self/smaps_rollup can't be read");
	while (fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "Rss: %llu", &kib) == 1)
			break;
	fclose(file);
	return kib;
}

static int take_memory(const char *kind, enum bench_owner owner,
                       uint64_t *ret_kib)
{
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < N_COPIES; i++)
		copies[i] = load(kind, i + 1);
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, emit_through_all, NULL) !=
		    0)
			bench_fail("can't start a thread");
	pthread_barrier_wait(&barrier);
	const uint64_t before = resident_kib();
	for (unsigned i = 0; i < N_TURNS; i++) {
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		bench_expect(owner, SYSCAP_FRAME_MARK, THREADS * EVENTS);
	}
	*ret_kib = resident_kib() - before;
	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static void report_memory(const uint64_t *kib)
{
	const double ratio = (double)kib[0] / (double)kib[1];

	bench_report_note("%u copies, %u threads: %llu KiB%s", N_COPIES,
	                  THREADS, (unsigned long long)kib[0],
	                  BENCH_HAVE_REFERENCE ? "" : ", no reference");
	if (BENCH_HAVE_REFERENCE)
		bench_report_note("  the reference's: %llu KiB; ratio %.2f, at "
		                  "most 0.30: %s",
		                  (unsigned long long)kib[1], ratio,
		                  ratio <= 0.3 ? "met" : "MISSED");
}

static int run(const char *role)
{
	uint64_t *const kib = &bench_page()->numbers[32];

	for (unsigned i = 0; i < N_NUMBERS; i++)
		if (atoi(role) == (int)numbers[i])
			return measure(i);
	if (strcmp(role, "ours") == 0) {
		const int r = take_memory(role, BENCH_OURS, &kib[0]);

		if (!BENCH_HAVE_REFERENCE)
			report_memory(kib);
		bench_turn_pass(1);
		return r;
	}
	bench_turn_wait(1);
	const int r = take_memory(role, BENCH_REFERENCE, &kib[1]);
	report_memory(kib);
	return r;
}

int main(void)
{
	const char *const costs[] = { "1", "2", "4", NULL };
	const char *const memories[] = {
		"ours", BENCH_HAVE_REFERENCE ? "reference" : NULL, NULL
	};

	if (bench_role() != NULL)
		return run(bench_role());
	return bench_record(BENCH_RING_SIZE, costs, 1) |
	       bench_record(BENCH_RING_SIZE, memories, -1);
}
