/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_recorder_only.c - a program whose copy of the library supports only
 * recorders, beside a copy that records the process.
 */
#define _GNU_SOURCE
#include <stdio.h>

#include <syscap.h>

#include "copies/parts.h"
#include "emit/ring_source.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

#define N_EVENTS 5

const struct syc_own_recording *const syc_own_recording = NULL;

static struct syscap_stats get_stats(const struct part *part)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	part->stats(&stats);
	return stats;
}

CHILD(begins_with_the_program)
{
	const struct part *const part = parts_load("a");
	char file[4096];

	snprintf(file, sizeof(file), "%s/x", peer_arg());
	CHECK_EQ(part->start(file, 0, NULL), 0);
	CHECK(syscap_is_active());
	for (unsigned i = 0; i < N_EVENTS; i++)
		SYSCAP_MARK("test", "mark", 1, 0, NULL);
	CHECK_EQ(get_stats(part).n_dropped, N_EVENTS);
	for (unsigned i = 0; i < N_EVENTS; i++)
		part->mark(0, i);
	CHECK_EQ(get_stats(part).n_dropped, N_EVENTS);
	CHECK_EQ(get_stats(part).n_untold, 0);
	for (unsigned i = 0; i < N_EVENTS; i++)
		SYSCAP_MARK("test", "mark", 1, 0, NULL);
	CHECK_EQ(get_stats(part).n_dropped, N_EVENTS);
	CHECK_EQ(part->stop(), 0);
}

TEST(a_recorder_only_copy_does_not_block_rings_of_another_copy)
{
	char *const dir = written_make_dir();
	const char *const env[] = { NULL };

	written_run("begins_with_the_program", dir, env, -1);
	written_remove_dir(dir);
}
