/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_self.c - cost of a process's own recording.
 *
 *	drain       frames from the rings into a file, against a loop of
 *	            write() of the same bytes
 *	emit        the same mark into a recorder's ring and into the process's
 *	            own ring, which the drain thread reads at the same time;
 *	            both readers run on another processor, if there is one
 *	flight      the same mark into the process's own ring, which was just
 *	            emptied, and into a ring in flight mode
 *	sustained   the highest rate at which no event is lost
 *
 * Files are made in $BENCH_DIR (default: the current directory) and in
 * /dev/shm.  Turns alternate.  Medians come from the part of the run in which
 * both variants together were fastest.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/recorder.h"
#include "bench/report.h"

#define FRAME       104u
#define DRAIN_EACH  9000u /* marks: most of a ring of 1 MiB */
#define DRAIN_TURNS 300u
#define BURST       400u
#define EMIT_TURNS  600u
#define BLOCK       20u /* turns before a change of the sink */

BENCH_EVENT(mark, SYSCAP_MARK("bench", "mark", 1000, 10, NULL))

static cpu_set_t all_processors;

/* Lets new threads run anywhere, or keeps this thread on its processor. */
static void allow(bool all)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &all_processors))
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), all ? &all_processors : &one);
}

static const char *directory(void)
{
	const char *const dir = getenv("BENCH_DIR");

	return dir != NULL ? dir : ".";
}

static void start(const char *dir, uint32_t kib, unsigned flags)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .ring_kib = kib,
		                          .flags = flags };
	char name[500];

	snprintf(name, sizeof(name), "%s/bench-%%p.syscap", dir);
	options.output = name;
	allow(true);
	if (syscap_start(&options) != 0)
		bench_fail("%s: %s", name, options.message);
	allow(false);
	/* no later run needs the file */
	unlink(options.message);
}

static struct syscap_stats stats_now(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

static void stop(uint64_t dropped_before)
{
	const int r = syscap_stop();

	if (r != 0)
		bench_fail("stopping: %s", strerror(-r));
	if (stats_now().n_dropped != dropped_before)
		bench_fail("events were lost");
}

/* Medians of two variants that took turns, from the quietest part. */
static void pair_medians(struct bench_samples *a, struct bench_samples *b,
                         double events, double *ret_a, double *ret_b)
{
	const double ns = bench_ns_per_tick();
	uint64_t least = UINT64_MAX;

	for (unsigned part = 0; part < BENCH_PARTS; part++) {
		const uint32_t in_a = bench_samples_median_of(a, part);
		const uint32_t in_b = bench_samples_median_of(b, part);

		if ((uint64_t)in_a + in_b >= least)
			continue;
		least = (uint64_t)in_a + in_b;
		*ret_a = in_a * ns / events;
		*ret_b = in_b * ns / events;
	}
}

/* ----------------------------------------------------------------- drain */

static void write_plainly(int fd, const unsigned char *bytes, size_t n)
{
	while (n != 0) {
		const ssize_t done = write(fd, bytes, n);

		if (done <= 0)
			bench_fail("write: %s", strerror(errno));
		bytes += done;
		n -= (size_t)done;
	}
}

static void bench_drain_to(const char *dir, const char *what)
{
	const uint64_t dropped = stats_now().n_dropped;
	struct bench_samples ours, plain;
	unsigned char *const bytes = malloc(DRAIN_EACH * FRAME);
	char name[500];

	bench_samples_init(&ours, DRAIN_TURNS);
	bench_samples_init(&plain, DRAIN_TURNS);
	memset(bytes, 7, DRAIN_EACH * FRAME);
	snprintf(name, sizeof(name), "%s/bench-plain", dir);
	const int fd =
		open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		bench_fail("%s: %s", name, strerror(errno));
	unlink(name);
	start(dir, 1024, SYSCAP_NO_THREAD);
	for (unsigned turn = 0; turn < DRAIN_TURNS; turn++) {
		bulk_mark(DRAIN_EACH);
		const uint64_t before = stats_now().n_written;
		uint64_t from = bench_ticks();
		const int r = syscap_drain();
		bench_samples_add(&ours, bench_ticks() - from);
		const uint64_t written = stats_now().n_written - before;
		if (r != 0 || (turn != 0 && written != DRAIN_EACH * FRAME))
			bench_fail("a drain wrote %llu bytes",
			           (unsigned long long)written);
		/* as warm in the cache as just emitted frames */
		memset(bytes, (int)turn, DRAIN_EACH * FRAME);
		from = bench_ticks();
		write_plainly(fd, bytes, DRAIN_EACH * FRAME);
		bench_samples_add(&plain, bench_ticks() - from);
	}
	stop(dropped);
	close(fd);
	struct bench_row row = { .what = what,
		                 .p999 = BENCH_NONE,
		                 .other = "plain write()",
		                 .other_p999 = BENCH_NONE,
		                 .target = BENCH_RATIO_LEAST,
		                 .bound = 0.8 };
	pair_medians(&ours, &plain, DRAIN_EACH, &row.median, &row.other_median);
	bench_report_row(&row);
	free(bytes);
	bench_samples_free(&ours);
	bench_samples_free(&plain);
}

/* ------------------------------------------------------------------ emit */

static void burst(struct bench_samples *samples)
{
	bulk_mark(16);
	const uint64_t from = bench_ticks();
	bulk_mark(BURST);
	bench_samples_add(samples, bench_ticks() - from);
}

static void nap_us(long us)
{
	const struct timespec time = { 0, us * 1000 };

	nanosleep(&time, NULL);
}

/* Parent and child pause before each burst, so that caches are equally cold. */
static void block_in_recorder(struct bench_samples *samples, long between_us)
{
	for (unsigned i = 0; i < BLOCK; i++) {
		nap_us(between_us);
		burst(samples);
		bench_expect(BENCH_OURS, SYSCAP_FRAME_MARK, BURST + 16);
	}
}

/* The drain thread naps between two drains, or sleeps until the burst's first
 * mark wakes it. */
static void block_in_own(struct bench_samples *samples, long between_us)
{
	const uint64_t dropped = stats_now().n_dropped;

	start(directory(), 4 * BENCH_RING_SIZE / 1024, 0);
	/* warms the whole ring, like the recorder's ring */
	for (unsigned i = 0; i < 14; i++) {
		bulk_mark(BURST);
		nap_us(1000);
	}
	for (unsigned i = 0; i < BLOCK; i++) {
		nap_us(between_us);
		burst(samples);
	}
	stop(dropped);
}

static void bench_emit_own(void)
{
	struct bench_samples recorder, awake, asleep, again;
	struct bench_row row = { .p999 = BENCH_NONE,
		                 .other = "recorder's ring",
		                 .other_p999 = BENCH_NONE,
		                 .target = BENCH_RATIO_MOST,
		                 .bound = 1.1 };

	bench_samples_init(&recorder, EMIT_TURNS);
	bench_samples_init(&again, EMIT_TURNS / 5);
	bench_samples_init(&awake, EMIT_TURNS);
	bench_samples_init(&asleep, EMIT_TURNS / 5);
	for (unsigned turn = 0; turn < EMIT_TURNS; turn += BLOCK) {
		block_in_recorder(&recorder, 2000);
		block_in_own(&awake, 2000);
		if (turn % (5 * BLOCK) == 0) {
			block_in_recorder(&again, 130000);
			block_in_own(&asleep, 130000);
		}
	}
	row.what = "mark, own ring, thread awake";
	pair_medians(&awake, &recorder, BURST, &row.median, &row.other_median);
	bench_report_row(&row);
	row.what = "the same, the thread asleep before";
	pair_medians(&asleep, &again, BURST, &row.median, &row.other_median);
	bench_report_row(&row);
}

/* The own ring, which syscap_drain() empties before each burst; or flight mode,
 * after the ring's first laps. */
static void block_without_thread(struct bench_samples *samples, unsigned flags)
{
	const uint64_t dropped = stats_now().n_dropped;

	start("/dev/shm", 4 * BENCH_RING_SIZE / 1024, flags);
	for (unsigned i = 0; i < 14; i++) {
		bulk_mark(BURST);
		syscap_drain();
	}
	for (unsigned i = 0; i < BLOCK; i++) {
		syscap_drain();
		burst(samples);
	}
	stop(dropped);
}

static void bench_flight(void)
{
	struct bench_samples plain, flight;
	struct bench_row row = { .what = "mark, flight mode",
		                 .p999 = BENCH_NONE,
		                 .other = "own ring, drained before",
		                 .other_p999 = BENCH_NONE,
		                 .target = BENCH_RATIO_MOST,
		                 .bound = 1.1 };

	bench_samples_init(&plain, EMIT_TURNS);
	bench_samples_init(&flight, EMIT_TURNS);
	for (unsigned turn = 0; turn < EMIT_TURNS; turn += BLOCK) {
		block_without_thread(&plain, SYSCAP_NO_THREAD);
		block_without_thread(&flight, SYSCAP_FLIGHT);
	}
	pair_medians(&flight, &plain, BURST, &row.median, &row.other_median);
	bench_report_row(&row);
	bench_samples_free(&plain);
	bench_samples_free(&flight);
}

/* ------------------------------------------------------------- sustained */

/* Emits @rate marks per second for half a second, in portions of 100 us; true:
 * no mark was lost. */
static bool keeps_up(const char *dir, double rate)
{
	const uint64_t dropped = stats_now().n_dropped;
	const unsigned portion = (unsigned)(rate / 10000.0);

	start(dir, 1024, 0);
	int64_t next = bench_now_ns();
	for (unsigned i = 0; i < 5000; i++) {
		bulk_mark(portion);
		next += 100000;
		while (bench_now_ns() < next)
			;
	}
	const bool lost = stats_now().n_dropped != dropped;
	const int r = syscap_stop();
	return r == 0 && !lost;
}

static void bench_sustained(const char *dir, const char *what)
{
	double kept = 0;

	for (double rate = 250000; rate < 40e6; rate *= 1.25) {
		unsigned good = 0;

		for (unsigned i = 0; i < 3; i++)
			good += keeps_up(dir, rate);
		if (good < 2)
			break;
		kept = rate;
	}
	bench_report_note("%-34s%.1f M marks/s, %.0f MB/s without a loss", what,
	                  kept / 1e6, kept * FRAME / 1e6);
}

static int run(void)
{
	sched_getaffinity(0, sizeof(all_processors), &all_processors);
	allow(false);
	bulk_mark(1);
	bench_expect(BENCH_OURS, SYSCAP_FRAME_MARK, 1);
	bench_drain_to("/dev/shm", "drain to tmpfs");
	bench_drain_to(directory(), "drain to a file");
	bench_emit_own();
	bench_flight();
	bench_sustained("/dev/shm", "sustained, tmpfs");
	bench_sustained(directory(), "sustained, file");
	return 0;
}

int main(void)
{
	const char *const roles[] = { "self", NULL };

	if (bench_role() != NULL)
		return run();
	return bench_record(BENCH_RING_SIZE, roles, 1);
}
