/* SPDX-License-Identifier: BSD-2-Clause */
/* test_width.c - the number of columns of a character. */
#include "harness/test.h"
#include "view/grid.h"

TEST(letters_take_one_column)
{
	CHECK_EQ(syc_width_of('a'), 1);
	CHECK_EQ(syc_width_of(0xE9), 1);
	CHECK_EQ(syc_width_of(0x2588), 1);
	CHECK_EQ(syc_width_of(0xFFFD), 1);
}

TEST(east_asian_characters_and_emoji_take_two)
{
	CHECK_EQ(syc_width_of(0x4E2D), 2);
	CHECK_EQ(syc_width_of(0xAC00), 2);
	CHECK_EQ(syc_width_of(0xFF21), 2);
	CHECK_EQ(syc_width_of(0x1F600), 2);
	CHECK_EQ(syc_width_of(0x20000), 2);
}

TEST(combining_marks_take_no_column)
{
	CHECK_EQ(syc_width_of(0x301), 0);
	CHECK_EQ(syc_width_of(0x200D), 0);
	CHECK_EQ(syc_width_of(0xFE0F), 0);
	CHECK_EQ(syc_width_of(0x1160), 0);
}
