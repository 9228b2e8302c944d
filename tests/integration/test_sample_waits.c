/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_sample_waits.c - programs that wait for times or signals do not notice
 * sampling by wall time.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "harness/test.h"
#include "integration/recording.h"

static struct recording recording;

/* Checks that a program does not notice samples of its sleeping threads. */
static void check_waits(const char *rate, const char *program, const char *deed)
{
	if (test_is_sanitized())
		SKIP("sanitized programs do not start with a library "
		     "preloaded");
	recording_init(&recording);
	const int status = recording_run(
		&recording, rate, recording_program(program), deed, NULL);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP("ptrace() is not permitted here");
	if (status != 0)
		test_fail(__FILE__, __LINE__, "%s %s: status %d: %s", rate,
		          program, status, recording.messages);
	recording_free(&recording);
}

TEST(no_wait_returns_early_or_interrupted)
{
	check_waits("--sample=1000,wall", "sample_waits", NULL);
	check_waits("--sample=10000,wall", "sample_waits", NULL);
}

TEST(no_wait_is_interrupted_by_a_tick_whose_timer_was_set)
{
	check_waits("--sample=10000,wall", "sample_late_ticks", NULL);
}

TEST(no_signal_is_missed_between_the_parts_of_a_wait)
{
	check_waits("--sample=1000,wall", "sample_seams", NULL);
}

static void check_deed(const char *deed)
{
	check_waits("--sample=10000,wall", "sample_takes_all", deed);
}

TEST(a_wait_for_all_signals_gets_no_tick_of_another_signal)
{
	check_deed("waits");
}

TEST(a_signalfd_gets_no_tick_of_another_signal)
{
	check_deed("signalfd");
	check_deed("all_but_urgent");
	check_deed("few");
}

TEST(a_child_takes_no_signal_from_its_parents_signalfd)
{
	check_deed("forks");
}

TEST(taking_the_signal_of_ticks_is_no_cancellation_point)
{
	check_deed("cancelled");
}
