/* SPDX-License-Identifier: BSD-2-Clause */
/* test_sampling_summary.c - messages about requested and arrived samples. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/test.h"
#include "recorder/frame_intake.h"

static char said[4096];

/* Reads the output of @print on stderr; returns the number of lines. */
static unsigned read_lines(const struct syc_sampling_summary *sampling,
                           void (*print)(const struct syc_sampling_summary *))
{
	const int file = memfd_create("stderr", MFD_CLOEXEC);
	const int before = dup(2);
	unsigned n = 0;

	CHECK(file >= 0 && before >= 0);
	fflush(stderr);
	dup2(file, 2);
	print(sampling);
	fflush(stderr);
	dup2(before, 2);
	close(before);
	memset(said, 0, sizeof(said));
	CHECK(pread(file, said, sizeof(said) - 1, 0) >= 0);
	close(file);
	for (const char *at = said; (at = strchr(at, '\n')) != NULL; at++)
		n++;
	return n;
}

static const char *asked_for;

static void print_delivered(const struct syc_sampling_summary *sampling)
{
	syc_sampling_summary_print(sampling, asked_for, "program");
}

/*
 * Print the summary of @samples for @ticks, of which @stopped are incomplete,
 * and of the processes' reports; returns the number of lines.
 */
static unsigned say(unsigned samples, unsigned ticks, unsigned stopped,
                    const char *told, const char *asked)
{
	struct syc_sampling_summary sampling = { .samples = samples,
		                                 .ticks = ticks,
		                                 .stopped = stopped };

	syc_sampling_summary_note(&sampling, told);
	asked_for = asked;
	return read_lines(&sampling, print_delivered);
}

static bool says(const char *words)
{
	return strstr(said, words) != NULL;
}

TEST(samples_as_requested_print_nothing)
{
	CHECK_EQ(say(1000, 1010, 3,
	             "samples 1000, ticks 1010, skipped 0, refused 0, "
	             "took_us 900",
	             "1000,perf"),
	         0);
}

TEST(share_of_time_for_samples_is_printed)
{
	CHECK_EQ(say(1000, 1000, 0,
	             "samples 1000, ticks 1000, skipped 9, refused 0, "
	             "took_us 80000",
	             "1000,wall"),
	         1);
	CHECK(says("samples took 8 % of the threads' time"));
	/* The share of time is the same with a period of 0.1 ms */
	CHECK_EQ(say(1000, 1000, 0, "ticks 1000, took_us 8000", "10000,wall"),
	         1);
	CHECK(says("samples took 8 %"));
}

TEST(at_most_three_lines_with_unsampled_threads_first)
{
	CHECK_EQ(say(1000, 4000, 500, "blocked 3, ticks 4000, took_us 900000",
	             "1000,cpu"),
	         3);
	CHECK(says("threads without samples: 3 block the signal"));
	CHECK(says("50 % of the stacks are incomplete"));
	CHECK(says("samples took 22 %"));
	CHECK(!says("this kernel's timers"));
	CHECK_EQ(say(1000, 4000, 500, "blocked 3", "1000,cpu"), 3);
	CHECK(says("250 instead of 1000 samples came per second of processor "
	           "time"));
}

TEST(the_tick_is_blamed_only_for_higher_rates)
{
	CHECK_EQ(say(1000, 4000, 0, "", "100,cpu"), 1);
	CHECK(says("25 instead of 100 samples came per second of processor "
	           "time; the weights of the samples are right\n"));
	/* No kernel has a tick of 20000 Hz. */
	CHECK_EQ(say(1000, 4000, 0, "", "20000,cpu"), 1);
	CHECK(says("; this kernel's timers allow at most "));
	CHECK(!says("allow at most 5000"));
}

static void take_weighted(struct syc_sampling_summary *sampling, unsigned n,
                          uint32_t weight)
{
	const struct syscap_wire_sample sample = {
		.frame.padding2 = SYSCAP_WEIGHT_TAG | weight,
		.n_addrs = 1,
	};

	for (unsigned i = 0; i < n; i++)
		syc_sampling_summary_take(sampling, &sample);
}

TEST(blocked_signals_are_not_blamed_on_the_timers)
{
	struct syc_sampling_summary sampling = { 0 };

	take_weighted(&sampling, 300, 1);
	take_weighted(&sampling, 3, 500);
	asked_for = "1000,cpu";
	CHECK_EQ(read_lines(&sampling, print_delivered), 1);
	CHECK(says("1500 ms of processor time have only 3 late samples: "
	           "threads blocked signals, or ran in the kernel"));
	/* The rate is that of the other samples */
	take_weighted(&sampling, 300, 4);
	CHECK_EQ(read_lines(&sampling, print_delivered), 2);
	CHECK(says("400 instead of 1000 samples came per second"));
	/* Wall time */
	asked_for = "1000,wall";
	CHECK_EQ(read_lines(&sampling, print_delivered), 1);
	CHECK(!says("late"));
}

/* Compare @ticks ms of samples with @cpu_ms; returns the number of lines. */
static unsigned say_missing(unsigned ticks, const char *told, int64_t cpu_ms,
                            const char *asked)
{
	struct syc_sampling_summary sampling = { .samples = ticks,
		                                 .ticks = ticks };

	syc_sampling_summary_note(&sampling, told);
	syc_sampling_summary_compare(&sampling, asked, 1000 * cpu_ms);
	asked_for = asked;
	return read_lines(&sampling, print_delivered);
}

TEST(processor_time_without_samples_is_printed)
{
	CHECK_EQ(say_missing(298, "", 618, "1000,auto"), 1);
	CHECK(says("320 of 618 ms of processor time could not be sampled"));
	CHECK_EQ(say_missing(298, "", 618, "1000,wall"), 1);
	CHECK_EQ(say_missing(6, "blocked 2", 650, "1000,auto"), 2);
	CHECK(says("644 of 650 ms"));
	/* The starts of programs, and rounding */
	CHECK_EQ(say_missing(600, "", 700, "1000,auto"), 0);
	CHECK_EQ(say_missing(10, "", 50, "1000,auto"), 0);
	/* A thread blocks the signal, but sleeps */
	CHECK_EQ(say_missing(1000, "blocked 1", 1010, "1000,auto"), 1);
}

TEST(lost_samples_are_not_unsampled_time)
{
	struct syc_sampling_summary sampling = { .samples = 100,
		                                 .ticks = 400,
		                                 .lost = 50 };

	/* Samples of 4 ms each: 150 samples are 600 ms */
	syc_sampling_summary_compare(&sampling, "1000,auto", 610000);
	CHECK(sampling.unsampled.has_cpu);
	CHECK_EQ(sampling.unsampled.sampled_us, 600000);
	/* The weight of so many lost samples is unknown */
	sampling = (struct syc_sampling_summary){ .samples = 9,
		                                  .ticks = 9,
		                                  .lost = 150 };
	syc_sampling_summary_compare(&sampling, "1000,auto", 610000);
	CHECK(!sampling.unsampled.has_cpu);
}

TEST(one_unsampled_thread_is_singular)
{
	CHECK_EQ(say_missing(1000, "blocked 1, small 1", 1010, "1000,auto"), 1);
	CHECK(says("1 blocks the signal, 1 has a small stack"));
	CHECK_EQ(say_missing(1000, "blocked 2, asleep 1", 1010, "1000,wall"),
	         1);
	CHECK(says("2 block the signal, 1 sleeps with the signal blocked"));
}

TEST(few_samples_print_nothing)
{
	CHECK_EQ(say(40, 400, 40, "ticks 40, took_us 40000", "1000,cpu"), 0);
}

TEST(threads_that_a_filter_ended_are_counted_and_refused_filters_are_not)
{
	struct syc_sampling_summary sampling = { 0 };

	CHECK_EQ(read_lines(&sampling, syc_sampling_summary_print_forbidden),
	         0);
	syc_sampling_summary_note_filter(&sampling, "ended 4: samples");
	syc_sampling_summary_note_filter(&sampling, "resumed 4: samples");
	CHECK_EQ(read_lines(&sampling, syc_sampling_summary_print_forbidden),
	         0);
	syc_sampling_summary_note_filter(&sampling, "ended 1: samples");
	CHECK_EQ(read_lines(&sampling, syc_sampling_summary_print_forbidden),
	         1);
	CHECK(says("recording of 1 thread ended early"));
	syc_sampling_summary_note_filter(&sampling, "ended 2: all");
	read_lines(&sampling, syc_sampling_summary_print_forbidden);
	CHECK(says("recording of 3 threads ended early"));
}

static void take(struct syc_sampling_summary *sampling, uint32_t tagged,
                 uint16_t flags, unsigned n)
{
	const struct syscap_wire_sample sample = {
		.frame = { .padding2 = tagged }, .flags = flags
	};

	while (n-- != 0)
		syc_sampling_summary_take(sampling, &sample);
}

TEST(samples_of_weight_1_count_as_all_others)
{
	struct syc_sampling_summary sampling = { 0 };

	take(&sampling, 0, SYSCAP_STACK_STOPPED, 60);
	take(&sampling, SYSCAP_WEIGHT_TAG | 4, 0, 40);
	CHECK_EQ(sampling.samples, 100);
	CHECK_EQ(sampling.ticks, 220);
	CHECK_EQ(sampling.stopped, 60);
}

TEST(delivered_rate_of_each_clock)
{
	CHECK_EQ(say(1000, 2000, 0, "", "1000,perf"), 1);
	CHECK(says("500 instead of 1000 samples came per second of processor "
	           "time"));
	CHECK(!says("perf has more"));
	CHECK_EQ(say(1000, 2000, 0, "", "1000,wall"), 1);
	CHECK(says("500 instead of 1000 samples came per second of wall time"));
}
