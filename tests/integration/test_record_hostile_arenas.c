/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_record_hostile_arenas.c - invalid files that a process hands over, and
 * later changes to the files. The recorder survives, and the frames of other
 * processes arrive, each once and in order.
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
	CHECK_EQ(recording_run(&recording, recording_program("hostile_arena"),
	                       what, GOOD, NULL),
	         0);
	recording_check_good(&recording, N_GOOD);
}

static bool says(const char *text)
{
	return strstr(recording.messages, text) != NULL;
}

TEST(memory_that_could_be_taken_away_is_not_mapped)
{
	record_beside("seals");
	CHECK(says("the arena's size is not sealed"));
	CHECK(says("could not record 1 process"));
	recording_free(&recording);
}

TEST(facts_that_the_file_does_not_bear_out_are_refused)
{
	record_beside("facts");
	CHECK(says("the arena's header is invalid"));
	recording_free(&recording);
}

TEST(other_files_are_closed_and_nothing_else)
{
	record_beside("files");
	CHECK(says("the fd is not a memfd"));
	recording_free(&recording);
}

TEST(messages_without_fds_and_fds_without_messages_are_harmless)
{
	record_beside("messages");
	CHECK(says("an invalid request"));
	recording_free(&recording);
}

TEST(a_process_with_a_thousand_arenas_excludes_no_other_process)
{
	record_beside("thousand");
	CHECK(says("the process sent too many arenas"));
	recording_free(&recording);
}

TEST(an_arena_that_is_scribbled_over_harms_its_own_frames_only)
{
	record_beside("scribble");
	recording_free(&recording);
}

static bool is_of_init(const struct syscap_frame *frame, const void *arg)
{
	(void)arg;
	return frame->type == SYSCAP_FRAME_MARK && frame->pid == 1;
}

TEST(slots_with_foreign_pids_are_not_attributed_to_these_pids)
{
	record_beside("others");
	CHECK_EQ(recording_count(&recording, is_of_init, NULL), 0);
	recording_free(&recording);
}

TEST(a_child_that_overwrites_its_inherited_arena_harms_no_other_arena)
{
	record_beside("child");
	recording_free(&recording);
}

TEST(slots_that_say_they_are_full_cost_no_memory)
{
	record_beside("tails");
	recording_free(&recording);
}
