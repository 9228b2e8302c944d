/* SPDX-License-Identifier: BSD-2-Clause */
/* test_delivered.c - what the summary says of the samples that came. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/test.h"
#include "record/delivered.h"

static char said[4096];

/* What is said of @samples that stand for @ticks, @stopped of them short, and
 * of what processes told; returns how many lines. */
static unsigned say(unsigned samples, unsigned ticks, unsigned stopped,
                    const char *told, const char *asked)
{
	struct syc_delivered delivered = { .samples = samples,
		                           .ticks = ticks,
		                           .stopped = stopped };
	const int file = memfd_create("stderr", MFD_CLOEXEC);
	const int before = dup(2);
	unsigned n = 0;

	CHECK(file >= 0 && before >= 0);
	syc_delivered_note(&delivered, told);
	fflush(stderr);
	dup2(file, 2);
	syc_delivered_print(&delivered, asked, "program");
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

static bool says(const char *words)
{
	return strstr(said, words) != NULL;
}

TEST(where_all_is_as_asked_for_nothing_is_said)
{
	CHECK_EQ(say(1000, 1010, 3,
	             "samples 1000, ticks 1010, skipped 0, refused 0, "
	             "took_us 900",
	             "1000,perf"),
	         0);
}

TEST(the_share_of_the_threads_time_that_samples_took_is_said)
{
	CHECK_EQ(say(1000, 1000, 0,
	             "samples 1000, ticks 1000, skipped 9, refused 0, "
	             "took_us 80000",
	             "1000,wall"),
	         1);
	CHECK(says("samples took 8 % of the threads' time"));
	/* The same of a period of 0.1 ms */
	CHECK_EQ(say(1000, 1000, 0, "ticks 1000, took_us 8000", "10000,wall"),
	         1);
	CHECK(says("samples took 8 %"));
}

TEST(there_are_three_lines_at_most_and_threads_without_samples_come_first)
{
	CHECK_EQ(say(1000, 4000, 500, "blocked 3, ticks 4000, took_us 900000",
	             "1000,cpu"),
	         3);
	CHECK(says("threads without samples: 3 block the signal"));
	CHECK(says("50 % of the stacks stop short"));
	CHECK(says("samples took 22 %"));
	CHECK(!says("this kernel's timers"));
	CHECK_EQ(say(1000, 4000, 500, "blocked 3", "1000,cpu"), 3);
	CHECK(says("250 samples a second of processor time came, of 1000"));
}

TEST(of_a_few_samples_nothing_is_said)
{
	CHECK_EQ(say(40, 400, 40, "ticks 40, took_us 40000", "1000,cpu"), 0);
}
