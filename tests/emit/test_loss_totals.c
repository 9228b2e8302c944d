/* SPDX-License-Identifier: BSD-2-Clause */
/* test_loss_totals.c - a handler's loss is counted, and in the range, at every
 * instruction of an interrupted loss count. */
#define _GNU_SOURCE
#include <string.h>

#include <syscap/format.h>

#include "emit/loss.h"
#include "harness/stepper.h"
#include "harness/test.h"

static struct syc_ring_losses losses;

static void lose(void)
{
	syc_loss_totals_add_own(&losses, SYSCAP_FRAME_MARK, 64, 1000);
}

static void lose_later(void)
{
	syc_loss_totals_add_own(&losses, SYSCAP_FRAME_LOG, 32, 2000);
}

static void check_both(void)
{
	CHECK_EQ(losses.from, 1000);
	CHECK_EQ(losses.to, 2000);
	CHECK_EQ(losses.bytes, 96);
	CHECK_EQ(losses.frames[SYSCAP_FRAME_MARK], 1);
	CHECK_EQ(losses.frames[SYSCAP_FRAME_LOG], 1);
}

TEST(a_loss_within_a_loss_is_counted_and_in_its_range)
{
	struct stepper stepper;
	long n = 1;

	stepper_install(false);
	for (;; n++) {
		memset(&losses, 0, sizeof(losses));
		if (!stepper_run(&stepper, n, lose, lose_later))
			break;
		check_both();
	}
	/* The stepper has stepped */
	CHECK(n > 20);
}

static struct syc_ring_losses taken;

static void take(void)
{
	syc_loss_totals_take(&taken, &losses);
}

/* The writer of a loss record takes the range: a handler's loss is in the taken
 * range, or in the new range. */
TEST(a_loss_while_losses_are_taken_is_in_a_range)
{
	struct stepper stepper;

	stepper_install(false);
	for (long n = 1;; n++) {
		memset(&losses, 0, sizeof(losses));
		memset(&taken, 0, sizeof(taken));
		lose();
		if (!stepper_run(&stepper, n, take, lose_later))
			break;
		const bool is_taken = taken.frames[SYSCAP_FRAME_LOG] == 1;

		CHECK_EQ(taken.from, 1000);
		CHECK_EQ(taken.frames[SYSCAP_FRAME_MARK], 1);
		if (is_taken)
			CHECK_EQ(taken.to, 2000);
		else
			CHECK_EQ(losses.to, 2000);
		CHECK_EQ(losses.frames[SYSCAP_FRAME_LOG], 1);
	}
}
