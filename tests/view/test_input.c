/* SPDX-License-Identifier: BSD-2-Clause */
/* test_input.c - bytes of a terminal as keys. */
#include <string.h>

#include "harness/test.h"
#include "view/terminal.h"

static struct syc_input input;

static void feed(const char *bytes)
{
	size_t room;
	unsigned char *at = syc_input_room(&input, &room);

	CHECK(strlen(bytes) <= room);
	memcpy(at, bytes, strlen(bytes));
	input.n += strlen(bytes);
}

static struct syc_input_event next(void)
{
	struct syc_input_event event = { .key = SYC_KEY_NONE };

	CHECK(syc_input_next(&input, false, &event));
	return event;
}

TEST(letters_and_utf8_are_characters)
{
	feed("a中");
	CHECK_EQ(next().point, 'a');
	CHECK_EQ(next().point, 0x4E2D);
}

TEST(key_from_single_bytes)
{
	struct syc_input_event event;

	for (const char *bytes = "\33[A"; bytes[1] != 0; bytes++) {
		const char one[] = { bytes[0], 0 };

		feed(one);
		CHECK(!syc_input_next(&input, false, &event));
	}
	feed("A");
	CHECK_EQ(next().key, SYC_KEY_UP);
	feed("\xE4");
	CHECK(!syc_input_next(&input, false, &event));
	feed("\xB8\xAD");
	CHECK_EQ(next().point, 0x4E2D);
}

TEST(escape_alone_is_a_key_after_timeout)
{
	struct syc_input_event event;

	feed("\33");
	CHECK(!syc_input_next(&input, false, &event));
	CHECK(syc_input_next(&input, true, &event));
	CHECK_EQ(event.key, SYC_KEY_ESCAPE);
	feed("\33q");
	CHECK_EQ(next().key, SYC_KEY_ESCAPE);
	CHECK_EQ(next().point, 'q');
}

TEST(both_forms_of_cursor_keys)
{
	feed("\33OB\33[1;5C\33[5~\33[6~\33[H\33OF\33[Z");
	CHECK_EQ(next().key, SYC_KEY_DOWN);
	CHECK_EQ(next().key, SYC_KEY_RIGHT);
	CHECK_EQ(next().key, SYC_KEY_PAGE_UP);
	CHECK_EQ(next().key, SYC_KEY_PAGE_DOWN);
	CHECK_EQ(next().key, SYC_KEY_HOME);
	CHECK_EQ(next().key, SYC_KEY_END);
	CHECK_EQ(next().key, SYC_KEY_BACK_TAB);
}

TEST(mouse_position)
{
	struct syc_input_event event;

	feed("\33[<0;12;7M\33[<0;12;7m\33[<64;1;1M\33[<2;3;4M");
	event = next();
	CHECK_EQ(event.key, SYC_KEY_CLICK);
	CHECK_EQ(event.x, 11);
	CHECK_EQ(event.y, 6);
	CHECK_EQ(next().key, SYC_KEY_NONE);
	CHECK_EQ(next().key, SYC_KEY_WHEEL_UP);
	CHECK_EQ(next().key, SYC_KEY_BACK_CLICK);
}

TEST(pasted_text_has_no_keys)
{
	feed("\33[200~q\r1\33[201~q");
	CHECK_EQ(next().key, SYC_KEY_NONE);
	CHECK_EQ(next().key, SYC_KEY_PASTED);
	CHECK_EQ(next().key, SYC_KEY_NONE);
	CHECK_EQ(next().key, SYC_KEY_PASTED);
	CHECK_EQ(next().key, SYC_KEY_NONE);
	CHECK_EQ(next().key, SYC_KEY_CHARACTER);
}

TEST(unknown_sequences_skipped)
{
	unsigned long long seed = test_seed();

	for (int i = 0; i < 200000; i++) {
		struct syc_input_event event;
		size_t room;
		unsigned char *at = syc_input_room(&input, &room);

		CHECK(room > 0);
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		*at = seed >> 60 == 0   ? '['
		      : seed >> 61 == 1 ? 27
		                        : (unsigned char)(seed >> 40);
		input.n++;
		while (syc_input_next(&input, i % 7 == 0, &event))
			;
	}
}
