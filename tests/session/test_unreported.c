/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_unreported.c - an event that begins before a recording's end and is
 * published after the end. The next recording reports the event as lost.
 * Losses that the first recording reported are not reported again.
 *
 * The stop comes between two steps of the event, which this program executes
 * itself: the lookup of the thread's state, and the rest.
 */
#include <stdio.h>
#include <string.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

/* More marks than a ring holds */
#define MANY 2000u

static void start(char which)
{
	char path[300];
	struct syscap_options options = { .size = sizeof(options),
		                          .output = path,
		                          .ring_kib = 64,
		                          .flags = SYSCAP_NO_THREAD };

	snprintf(path, sizeof(path), "%s.%c", peer_arg(), which);
	CHECK_EQ(syscap_start(&options), 0);
}

/* Emits, with a stop after the lookup, and a start after the last step. */
static void stop_inside(void)
{
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), 0);
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);
	volatile uintptr_t token;

	CHECK(st != NULL);
	CHECK_EQ(syscap_stop(), 0);
	const bool is_outermost = syc_enter(st, &token);
	unsigned char *const frame =
		syc_reserve(st, len, SYSCAP_FRAME_MARK, syscap_clock());
	CHECK(frame != NULL);
	memset(frame + SYC_HEAD_SIZE, 0, len - SYC_HEAD_SIZE);
	syc_commit(frame, SYSCAP_FRAME_MARK, st->tid_tag);
	syc_leave(st, &token, is_outermost);
	start('2');
}

CHILD(one)
{
	start('1');
	written_mark(0, 0);
	stop_inside();
	written_mark(1, 0);
	CHECK_EQ(syscap_stop(), 0);
}

CHILD(many)
{
	start('1');
	for (unsigned i = 0; i < MANY; i++)
		written_mark(0, i);
	stop_inside();
	written_mark(1, 0);
	CHECK_EQ(syscap_stop(), 0);
}

SYSCAP_COUNTER(a_counter, "test", "counter", "", SYSCAP_INT64);

/* The first event of each recording is a value of the same counter. */
CHILD(counter_in_two)
{
	for (char which = '1'; which <= '2'; which++) {
		start(which);
		syscap_counter_set_int64(&a_counter, which);
		CHECK_EQ(syscap_stop(), 0);
	}
}

TEST(each_recording_defines_its_counters)
{
	char *const dir = written_make_dir();
	char base[300], path[310];
	struct tally tally;

	snprintf(base, sizeof(base), "%s/out", dir);
	written_run("counter_in_two", base, NULL, -1);
	for (char which = '1'; which <= '2'; which++) {
		snprintf(path, sizeof(path), "%s.%c", base, which);
		written_tally(path, &tally);
		CHECK_EQ(tally.frames[SYSCAP_FRAME_CTRDEF], 1);
		CHECK_EQ(tally.frames[SYSCAP_FRAME_CTRSET], 1);
	}
	written_remove_dir(dir);
}

static void check(const char *child, unsigned n)
{
	char *const dir = written_make_dir();
	char base[300], path[310];
	struct tally first, second;

	snprintf(base, sizeof(base), "%s/out", dir);
	written_run(child, base, NULL, -1);
	snprintf(path, sizeof(path), "%s.1", base);
	written_tally(path, &first);
	snprintf(path, sizeof(path), "%s.2", base);
	written_tally(path, &second);
	CHECK_EQ(first.received + first.lost, n);
	CHECK_EQ(second.received, 1);
	CHECK_EQ(second.lost, 1);
	written_remove_dir(dir);
}

TEST(an_event_overtaken_by_a_stop_is_reported_lost)
{
	check("one", 1);
}

TEST(losses_reported_by_a_stop_are_not_reported_again)
{
	check("many", MANY);
}
