/* SPDX-License-Identifier: BSD-2-Clause */
/* test_exceptions.c - stacks during C++ exceptions. */
#define _GNU_SOURCE
#include "harness/test.h"
#include "unwind/exceptions.h"
#include "unwind/shadow.h"
#include "unwind/stack_walk.h"

static struct walk walk;
static unsigned n_frames;

CHAIN(throws) static void throws(int depth, void (*on_frame)(void))
{
	exceptions_throw(depth, on_frame);
	exceptions_rethrow(depth, on_frame);
	CHAIN_END();
}

CHAIN(on_frame) static void on_frame(void)
{
	if (n_frames++ % 2)
		walk_trap();
	else
		walk_here(&walk, 512);
	CHAIN_END();

	struct walk_check check = walk_check(&walk);

	walk_next(&check, CHAIN_PART(on_frame));
	walk_skip_to(&check, CHAIN_PART(throws), 40);
	walk_ends_at_start(&check);
}

TEST(destructors_and_catch_blocks_during_exception)
{
	walk_on_trap(&walk, 512, false);
	throws(20, on_frame);
	CHECK_EQ(n_frames, 20 + 1 + 20 + 1 + 1);
}

static void nothing(void)
{
	CHAIN_END();
}

static void throw_once(void *data)
{
	throws(*(int *)data, nothing);
	CHAIN_END();
}

/*
 * The throwing function ends by replacing its own return address with the
 * handler's address.  The function's last instructions run with the new
 * address, so the stack in memory is neither the old nor the new stack.
 */
TEST(every_instruction_from_throw_to_catch)
{
	static struct shadow shadow;
	int depth = 3;

	if (!shadow_is_possible())
		SKIP("single steps are unavailable here");
	/* The first throw, which runs the dynamic linker, is not stepped. */
	throw_once(&depth);
	shadow_run(&shadow, throw_once, &depth);
	shadow_print(&shadow, "exceptions");

	const unsigned n_landings = 2 * (unsigned)depth + 4;

	CHECK(shadow.n_steps > 10000);
	CHECK(shadow.max_depth > 5);
	CHECK(shadow.n_same + 250 * n_landings >= shadow.n_steps);
}
