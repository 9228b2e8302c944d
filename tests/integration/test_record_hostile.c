/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_record_hostile.c - hostile actions of one process. The recorder
 * survives, and the frames of other processes arrive, each once and in order.
 */
#include <string.h>

#include "harness/test.h"
#include "integration/recording.h"

#define GOOD   "20000"
#define N_GOOD 20000

static struct recording recording;

static void record_beside(const char *what)
{
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, recording_program("hostile_client"),
	                       "beside", what, GOOD, NULL),
	         0);
	recording_check_good(&recording, N_GOOD);
}

static bool is_warning(const struct syscap_frame *frame, const void *arg)
{
	return frame->type == SYSCAP_FRAME_LOG &&
	       strcmp(frame->log.domain, "syscap") == 0 &&
	       frame->log.severity == 16 &&
	       strstr(frame->log.message, arg) != NULL;
}

TEST(a_ring_overwritten_during_reading_harms_no_other_ring)
{
	record_beside("scribble");
	CHECK(recording_count(&recording, is_warning, "closed the ring") >= 1);
	recording_free(&recording);
}

TEST(a_tail_outside_of_the_ring_closes_that_ring_only)
{
	record_beside("tail");
	CHECK_EQ(recording_count(&recording, is_warning,
	                         "the tail is not in the ring"),
	         5);
	CHECK_EQ(recording_count_marks(&recording, "test", "before"), 5);
	recording_free(&recording);
}

TEST(a_client_cannot_take_the_memory_of_a_ring_away)
{
	record_beside("truncate");
	recording_free(&recording);
}

TEST(garbage_and_partial_requests_do_not_disturb_other_senders)
{
	record_beside("garbage");
	CHECK(strstr(recording.messages, "an invalid request") != NULL);
	recording_free(&recording);
}

TEST(unrequested_descriptors_are_not_accepted)
{
	record_beside("descriptors");
	recording_free(&recording);
}

TEST(thousands_of_requests_without_reading_replies_leave_rings_for_others)
{
	record_beside("flood");
	recording_free(&recording);
}

TEST(closing_the_shared_socket_does_not_end_the_recording)
{
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, recording_program("hostile_client"),
	                       "shut", GOOD, NULL),
	         0);
	recording_check_good(&recording, N_GOOD);
	recording_free(&recording);
}

TEST(frames_of_a_thousand_invented_processes_close_the_ring)
{
	record_beside("forge");
	CHECK_EQ(recording_count(&recording, is_warning, "too many pids"), 1);
	recording_free(&recording);
}

static void check_malformed(const char *what, const char *why)
{
	record_beside(what);
	/* The frames before the bad frame stay; those after it are ignored. */
	CHECK_EQ(recording_count_marks(&recording, "test", "before"), 10);
	CHECK_EQ(recording_count_marks(&recording, "test", "after"), 0);
	CHECK_EQ(recording_count(&recording, is_warning, why), 1);
	CHECK(strstr(recording.messages, why) != NULL);
	recording_free(&recording);
}

TEST(a_malformed_frame_closes_its_ring_and_loses_nothing_before_it)
{
	check_malformed("zero-length", "a frame is shorter than the header");
	check_malformed("odd-length",
	                "a frame's length is not a multiple of 8");
	check_malformed("long", "a frame is longer than the written bytes");
	check_malformed("torn", "a frame ends inside the header");
	check_malformed("type-0", "a frame has an unknown type");
	check_malformed("type-18", "a frame has an unknown type");
	check_malformed("pid", "a frame has an invalid process id");
	check_malformed("addresses", "the addresses do not fit");
}
