/* SPDX-License-Identifier: BSD-2-Clause */
/* test_frame_layout.c - the table of frame layouts. */
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "common/frame_layout.h"
#include "harness/make_capture.h"
#include "harness/test.h"

#define HEADER sizeof(struct syscap_wire_file)

static struct make_capture little, big;

/* Makes the same frames in both byte orders. */
static void make_both(void)
{
	make_everything(&little, false);
	make_everything(&big, true);
	CHECK_EQ(little.size, big.size);
}

static void turn(unsigned char *frame, size_t len, bool is_big)
{
	const struct syc_frame_shape *const shape =
		syc_frame_shape(frame[SYC_AT(frame, type)]);

	CHECK(shape != NULL);
	CHECK(syc_frame_content_end(shape, frame, len, is_big) != 0);
	syc_frame_turn(frame, len, is_big);
	syc_frame_turn_header(frame);
}

TEST(frames_of_all_types_convert_to_the_other_order)
{
	bool was_met[SYSCAP_FRAME_LAST] = { false };
	size_t len;

	make_both();
	for (size_t at = HEADER; at < little.size; at += len) {
		unsigned char *const frame = little.data + at;
		unsigned char *const other = big.data + at;
		unsigned char copy[SYSCAP_FRAME_MAX];

		len = syc_load_u16(frame, false);
		memcpy(copy, frame, len);
		turn(copy, len, false);
		if (memcmp(copy, other, len) != 0)
			test_fail(__FILE__, __LINE__, "type %u",
			          frame[SYC_AT(frame, type)]);
		turn(other, len, true);
		CHECK_EQ(memcmp(other, frame, len), 0);
		was_met[frame[SYC_AT(frame, type)]] = true;
	}
	for (unsigned type = 1; type < SYSCAP_FRAME_LAST; type++)
		if (!was_met[type])
			test_fail(__FILE__, __LINE__, "no type %u", type);
	make_free(&little);
	make_free(&big);
}

TEST(rows_are_complete)
{
	for (unsigned type = 1; type < SYSCAP_FRAME_LAST; type++) {
		const struct syc_frame_shape *const shape =
			syc_frame_shape((uint8_t)type);

		CHECK(syc_frame_name(type)[0] != 0);
		CHECK(shape->size >= sizeof(struct syscap_wire_frame));
		CHECK_EQ(shape->least,
		         shape->size + (shape->last_text != NULL));
		CHECK(shape->sure == shape->least ||
		      shape->sure == SYC_FRAME_LOOK);
		CHECK_EQ(shape->count_at != 0, shape->unfit != NULL);
		CHECK(shape->item_size == 0 || shape->count_at != 0);
		/* Fields that readers examine in every frame: see frame_settle.c */
		CHECK(shape->count_at + 2u <= 48);
		CHECK(shape->gap_at + shape->gap_size <= shape->least);
		uint64_t word = UINT64_MAX;
		memset((char *)&word + shape->gap_at % 8, 0, shape->gap_size);
		CHECK_EQ(shape->gap, ~word);
		for (unsigned i = 0; shape->texts[i].size != 0; i++)
			CHECK(shape->texts[i].at + shape->texts[i].size <=
			      shape->size);
	}
	CHECK(syc_frame_shape(0) == NULL);
	CHECK(syc_frame_shape(SYSCAP_FRAME_LAST) == NULL);
	CHECK(syc_frame_shape(255) == NULL);
}
