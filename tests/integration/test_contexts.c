/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_contexts.c - events in unusual contexts, row by row of docs/contexts.md.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/test.h"
#include "integration/recording.h"

static struct recording recording;

static void record(const char *what)
{
	/* LeakSanitizer ends a process without /proc, or with another pid */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	recording_init(&recording);
	const int status = recording_run(
		&recording, recording_program("contexts"), what, NULL);
	if (status == 77) {
		recording_free(&recording);
		SKIP("the precondition is not available here");
	}
	CHECK_EQ(status, 0);
	CHECK(strstr(recording.messages, "could not be") == NULL);
}

static size_t count(const char *name)
{
	return recording_count_marks(&recording, "contexts", name);
}

static void check_nothing_lost(void)
{
	if (strstr(recording.messages, " 0 frames lost") == NULL)
		test_fail(__FILE__, __LINE__, "%s", recording.messages);
	recording_free(&recording);
}

TEST(a_threads_first_event_may_be_in_a_handler)
{
	record("handler");
	CHECK_EQ(count("in a handler"), 2);
	CHECK_EQ(count("behind it"), 2);
	check_nothing_lost();
}

TEST(a_scope_that_is_left_by_longjmp_is_no_mark_and_harms_no_other)
{
	record("jump");
	CHECK_EQ(count("inside"), 100);
	CHECK_EQ(count("ended"), 100);
	CHECK_EQ(count("left"), 0);
	check_nothing_lost();
}

TEST(programs_that_posix_spawn_system_and_popen_start_are_recorded)
{
	record("spawn");
	CHECK_EQ(count("of a program"), 3);
	CHECK_EQ(count("first"), 1);
	CHECK_EQ(count("last"), 1);
	check_nothing_lost();
}

TEST(a_program_without_our_variables_is_not_recorded)
{
	record("clear");
	CHECK_EQ(count("of a program"), 0);
	CHECK(count("kept") >= 1);
	check_nothing_lost();
}

TEST(events_arrive_from_a_chroot_without_proc)
{
	record("chroot");
	CHECK_EQ(count("without /proc"), 4);
	CHECK_EQ(count("of a child"), 4);
	CHECK_EQ(count("of a thread"), 4);
	check_nothing_lost();
}

TEST(events_arrive_from_another_pid_namespace)
{
	record("namespace");
	CHECK_EQ(count("inside"), 2);
	check_nothing_lost();
}

TEST(a_program_that_sets_our_variables_is_recorded_as_before)
{
	record("setenv");
	CHECK_EQ(count("still"), 1);
	check_nothing_lost();
}

TEST(after_setuid_events_use_the_inherited_socket)
{
	record("rights");
	CHECK_EQ(count("of root"), 1);
	CHECK_EQ(count("of nobody"), 2);
	CHECK_EQ(count("of a thread"), 2);
	CHECK_EQ(count("of a child"), 2);
	check_nothing_lost();
}

TEST(a_filter_that_kills_ring_creation_leads_to_requests)
{
	record("box");
	CHECK_EQ(count("of a thread"), 0);
	CHECK_EQ(count("behind a victim"), 20);
	check_nothing_lost();
}

TEST(a_copy_that_dlmopen_loaded_is_recorded)
{
	if (test_is_sanitized())
		SKIP("a process has only one sanitizer run time");
	record("elsewhere");
	CHECK_EQ(count("here"), 1);
	CHECK_EQ(recording_count_marks(&recording, "plugin", "there"), 5);
	CHECK_EQ(recording_count_marks(&recording, "plugin", "of a thread"), 5);
	CHECK_EQ(recording_count_marks(&recording, "plugin", "of a child"), 5);
	check_nothing_lost();
}

TEST(fibres_that_are_switched_between_events_lose_nothing)
{
	record("fibres");
	CHECK_EQ(count("of a fibre"), 100);
	CHECK_EQ(count("of the thread"), 1);
	check_nothing_lost();
}

/* The program's own count of events lost by threads without a state. */
static bool is_dropped(const struct syscap_frame *frame, const void *arg)
{
	if (frame->type != SYSCAP_FRAME_MARK ||
	    strcmp(frame->mark.name, "dropped") != 0)
		return false;
	*(unsigned *)(uintptr_t)arg =
		(unsigned)strtoul(frame->mark.message, NULL, 10);
	return true;
}

TEST(threads_beyond_8192_at_once_lose_their_events_and_are_counted)
{
	unsigned dropped = 0;

	if (!test_is_whole())
		SKIP("runs only with --whole, because the load rises to hundreds");
	if (test_is_sanitized())
		SKIP("sanitizers do not support as many threads");
	recording_init(&recording);
	const int status = recording_run(
		&recording, recording_program("contexts"), "many", NULL);
	if (status == 77) {
		recording_free(&recording);
		SKIP("the system refuses 200 threads");
	}
	/* The recorder may refuse a ring, too; its events count as dropped */
	CHECK(status == 0 || status == 125);
	CHECK_EQ(recording_count(&recording, is_dropped, &dropped), 1);
	CHECK(dropped >= 10);
	CHECK_EQ(count("of many") + dropped, 8201);
	recording_free(&recording);
}
