/* SPDX-License-Identifier: BSD-2-Clause */
/* test_buffer.c - frames of calls that interrupt each other, step by step. */
#include <string.h>

#include "harness/test.h"
#include "sysprof_compat/buffer.h"

#define SIZE     4096u
#define CAPACITY (SIZE + SYC_BUFFER_SPARE)

static unsigned char memory[2][CAPACITY] __attribute__((aligned(8)));
static struct syc_buffer_words words;

static struct syc_buffer new_buffer(void)
{
	memset(&words, 0, sizeof(words));
	return (struct syc_buffer){ .words = &words,
		                    .halves = { memory[0], memory[1] },
		                    .size = SIZE,
		                    .limit = SIZE,
		                    .capacity = CAPACITY };
}

/* The calls of a handler that interrupts a call. */
static unsigned char *add_on_top(struct syc_buffer *buffer, uint32_t len)
{
	CHECK(!syc_buffer_enter(buffer));
	unsigned char *const frame = syc_buffer_reserve(buffer, len);
	syc_buffer_leave(buffer);
	return frame;
}

/* The steps of a call that can't be alone, after syc_buffer_withdraw(). */
static unsigned char *add_outermost(struct syc_buffer *buffer, uint32_t len)
{
	CHECK(syc_buffer_enter(buffer));
	unsigned char *const frame = syc_buffer_reserve(buffer, len);
	CHECK(!syc_buffer_leave_last(buffer));
	return frame;
}

TEST(frame_of_a_handler_follows_the_interrupted_one)
{
	struct syc_buffer buffer = new_buffer();
	struct syc_buffer_frame frame;

	CHECK(syc_buffer_begin(&buffer, 104, &frame));
	CHECK(frame.at == memory[0]);
	CHECK(add_on_top(&buffer, 128) == memory[0] + 104);
	CHECK(syc_buffer_end(&buffer, frame.next));
	CHECK(add_outermost(&buffer, 24) == memory[0] + 104 + 128);
}

/* A handler comes when the interrupted call no longer counts as running.  An
 * earlier handler has added a frame during that call. */
TEST(call_on_a_leaving_call_takes_no_frame_of_handlers)
{
	struct syc_buffer buffer = new_buffer();
	struct syc_buffer_frame frame, later;

	CHECK(syc_buffer_begin(&buffer, 104, &frame));
	CHECK(add_on_top(&buffer, 128) == memory[0] + 104);
	CHECK(syc_buffer_end(&buffer, frame.next));
	CHECK(!syc_buffer_begin(&buffer, 136, &later));
	CHECK(later.next == 0 || syc_buffer_withdraw(&buffer) == NULL);
	CHECK(add_outermost(&buffer, 136) == memory[0] + 104 + 128);
}

/* A handler comes between the two checks of syc_buffer_begin(). */
TEST(announced_frame_stays_the_callers)
{
	struct syc_buffer buffer = new_buffer();

	words.nest = 1;
	words.end = 104;
	CHECK(add_on_top(&buffer, 128) == memory[0] + 104);
	CHECK(syc_buffer_withdraw(&buffer) == memory[0]);
	CHECK(syc_buffer_end(&buffer, 104));
	CHECK(add_outermost(&buffer, 24) == memory[0] + 104 + 128);
}
