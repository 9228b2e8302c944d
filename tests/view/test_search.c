/* SPDX-License-Identifier: BSD-2-Clause */
/* test_search.c - searches by some letters of a name. */
#include "harness/test.h"
#include "view/page_context.h"

static struct syc_search search;

static void type(const char *text)
{
	syc_search_open(&search);
	for (; *text != 0; text++)
		syc_search_type(&search, (unsigned char)*text);
	syc_search_accept(&search);
}

TEST(letters_are_found_in_their_order)
{
	CHECK(syc_search_matches("gfcp", "gdk_frame_clock_paint"));
	CHECK(!syc_search_matches("pcfg", "gdk_frame_clock_paint"));
	CHECK(syc_search_matches("paint gdk", "gdk_frame_clock_paint"));
	CHECK(!syc_search_matches("paint x", "gdk_frame_clock_paint"));
	CHECK(!syc_search_matches("  ", "anything"));
}

TEST(capital_in_pattern_makes_case_significant)
{
	CHECK(syc_search_matches("draw", "Window::Draw"));
	CHECK(syc_search_matches("Draw", "Window::Draw"));
	CHECK(!syc_search_matches("Draw", "window::draw"));
}

TEST(former_patterns_recalled)
{
	type("one");
	type("two");
	type("two");
	CHECK_EQ(search.n_history, 2);
	syc_search_open(&search);
	syc_search_recall(&search, 1);
	CHECK_STR(search.typed, "two");
	syc_search_recall(&search, 1);
	syc_search_recall(&search, 1);
	CHECK_STR(search.typed, "one");
	syc_search_recall(&search, -1);
	syc_search_recall(&search, -1);
	CHECK_STR(search.typed, "");
}

TEST(backspace_deletes_whole_character)
{
	syc_search_open(&search);
	syc_search_type(&search, 'a');
	syc_search_type(&search, 0x4E2D);
	CHECK(syc_search_rub_out(&search));
	CHECK_STR(search.typed, "a");
	CHECK(syc_search_rub_out(&search));
	CHECK(!syc_search_rub_out(&search));
}

TEST(overlong_pattern_rejected)
{
	syc_search_open(&search);
	for (int i = 0; i < 1000; i++)
		syc_search_type(&search, 0x1F600);
	syc_search_accept(&search);
	CHECK_EQ(search.n_history <= SYC_SEARCH_HISTORY, true);
}
