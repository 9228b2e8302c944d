/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_sample_waits.c - programs that wait, for time to pass or for signals, do not
 * notice that they are sampled by wall time.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "harness/test.h"
#include "integration/recording.h"

static struct recording recording;

/* Threads are sampled as they sleep, and know nothing of it. */
static void check_waits(const char *rate, const char *program)
{
	if (test_is_sanitized())
		SKIP("sanitized programs do not start with a library preloaded");
	recording_init(&recording);
	const int status = recording_run(&recording, rate,
	                                 recording_program(program), NULL);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP("nobody may be debugged here");
	if (status != 0)
		test_fail(__FILE__, __LINE__, "%s %s: status %d: %s", rate,
		          program, status, recording.messages);
	recording_free(&recording);
}

TEST(no_wait_returns_early_or_interrupted)
{
	check_waits("--sample=1000,wall", "sample_waits");
	check_waits("--sample=10000,wall", "sample_waits");
}

TEST(no_signal_is_missed_between_the_parts_of_a_wait)
{
	check_waits("--sample=1000,wall", "sample_seams");
}

TEST(who_takes_all_signals_is_given_no_tick_when_they_come_by_another)
{
	check_waits("--sample=10000,wall", "sample_takes_all");
}
