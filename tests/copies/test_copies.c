/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_copies.c - copies are switched on and off while others enter: one
 * operation interrupts another at every instruction.
 *
 * The interrupting operation runs to its end, like another thread while the
 * first is not scheduled.  The block is the test's own; no copy of the library
 * is involved.
 */
#include <string.h>

#include "copies/copies.h"
#include "harness/stepper.h"
#include "harness/test.h"

static struct syc_block block;
static int32_t words[3];
static uint32_t look_due[3];

static void begin(int32_t active)
{
	memset(&block, 0, sizeof(block));
	memset(words, 0, sizeof(words));
	syc_block = &block;
	CHECK(syc_copies_enter(&block, &words[0], &look_due[0]));
	syc_copies_set_active(active);
}

static void enter(void)
{
	syc_copies_enter(&block, &words[1], &look_due[1]);
}

static void enter_another(void)
{
	syc_copies_enter(&block, &words[2], &look_due[2]);
}

static void switch_off(void)
{
	syc_copies_set_active(0);
}

static void switch_on(void)
{
	syc_copies_set_active(7);
}

static void switch_on_and_off(void)
{
	switch_on();
	switch_off();
}

static void fail_epoch_7(void)
{
	syc_copies_change_active(7, 0);
}

static void step(void (*call)(void), void (*action)(void), int32_t before)
{
	struct stepper stepper;
	bool reached = true;

	stepper_install(false);
	for (long k = 1; reached; k++) {
		begin(before);
		if (call != enter && action != enter)
			enter();
		reached = stepper_run(&stepper, k, call, action);
		if (!reached)
			action();
		const unsigned n = action == enter_another ? 3 : 2;
		/* after two simultaneous entries a copy may be listed twice */
		if (action != enter || call != enter)
			CHECK_EQ(block.n_copies, n);
		for (unsigned i = 0; i < n; i++)
			CHECK_EQ(words[i], block.active);
	}
}

TEST(an_entering_copy_gets_the_newest_state)
{
	step(enter, switch_on, 0);
	step(enter, switch_off, 5);
	step(enter, switch_on_and_off, 0);
	step(enter, switch_on_and_off, 5);
	step(enter, enter_another, 5);
	step(enter, enter, 5);
}

TEST(a_switch_reaches_copies_that_enter_during_it)
{
	step(switch_on, enter, 0);
	step(switch_off, enter, 5);
	step(switch_on, enter_another, 0);
}

TEST(of_two_that_switch_all_copies_follow_one)
{
	step(switch_on, switch_off, 5);
	step(switch_off, switch_on, 5);
	step(switch_on, switch_on_and_off, 5);
	step(switch_on, fail_epoch_7, 5);
	step(fail_epoch_7, switch_on, 7);
	step(fail_epoch_7, switch_off, 7);
}

TEST(only_the_last_copy_to_end_returns_true)
{
	begin(1);
	CHECK(syc_copies_enter(&block, &syc_active, &syc_look_due));
	CHECK_EQ(syc_copies_count(), 2);
	CHECK(!syc_copies_end()); /* the copy with words[0] has not ended */
	CHECK_EQ(block.copies[1].has_ended, 1);
	block.copies[0].has_ended = 1;
	CHECK(syc_copies_end());
}

TEST(a_second_entry_is_not_counted_and_excess_copies_are_refused)
{
	static int32_t many[SYC_COPIES_MAX + 1];
	uint32_t asleep = 0;

	begin(3);
	for (unsigned i = 1; i < SYC_COPIES_MAX; i++)
		CHECK(syc_copies_enter(&block, &many[i], &asleep));
	CHECK(!syc_copies_enter(&block, &many[SYC_COPIES_MAX], &asleep));
	CHECK(syc_copies_enter(&block, &many[1], &asleep));
	CHECK_EQ(syc_copies_count(), SYC_COPIES_MAX);
	CHECK_EQ(many[SYC_COPIES_MAX - 1], 3);
	CHECK_EQ(many[SYC_COPIES_MAX], 0);
	/* The first event must call its ring source */
	CHECK_EQ(asleep, 1);
	syc_copies_set_look_due(0);
	CHECK_EQ(asleep, 0);
}
