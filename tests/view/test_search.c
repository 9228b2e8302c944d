/* SPDX-License-Identifier: BSD-2-Clause */
/* test_search.c - searches by parts, expressions, or single characters of a
 * name. */
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

static enum syc_search_match match(const char *pattern, const char *text)
{
	type(pattern);
	return syc_search_match(&search, text);
}

TEST(letters_are_found_in_their_order)
{
	CHECK_EQ(match("gfcp", "gdk_frame_clock_paint"), SYC_SEARCH_LETTERS);
	CHECK_EQ(match("pcfg", "gdk_frame_clock_paint"), SYC_SEARCH_NONE);
	CHECK_EQ(match("paint x", "gdk_frame_clock_paint"), SYC_SEARCH_NONE);
	CHECK_EQ(match("  ", "anything"), SYC_SEARCH_NONE);
}

TEST(all_words_are_parts_in_any_order)
{
	CHECK_EQ(match("paint gdk", "gdk_frame_clock_paint"), SYC_SEARCH_PART);
	CHECK_EQ(match("paint gfc", "gdk_frame_clock_paint"),
	         SYC_SEARCH_LETTERS);
	CHECK_EQ(match("aab", "aaab"), SYC_SEARCH_PART);
}

TEST(slash_begins_regular_expression)
{
	CHECK_EQ(match("/^gdk.*paint$/", "gdk_frame_clock_paint"),
	         SYC_SEARCH_PART);
	CHECK_EQ(match("/^frame", "gdk_frame_clock_paint"), SYC_SEARCH_NONE);
	CHECK_EQ(match("/a|o/", "clock"), SYC_SEARCH_PART);
	CHECK_EQ(match("/(/", "("), SYC_SEARCH_NONE);
	CHECK(!search.has_regex);
	CHECK_EQ(match("/", "/"), SYC_SEARCH_NONE);
}

static const char *get_name(void *data, size_t row)
{
	return ((const char *const *)data)[row];
}

TEST(rows_with_letters_only_rank_last)
{
	static const char *names[] = { "move", "main_over", "mr_over_ve",
		                       "mover" };
	size_t row = 0;

	type("mov");
	CHECK_EQ(syc_search_find(&search, 4, 1, get_name, names, &row),
	         SYC_SEARCH_PART);
	CHECK_EQ(row, 3);
	CHECK_EQ(syc_search_find(&search, 4, 1, get_name, names, &row),
	         SYC_SEARCH_PART);
	CHECK_EQ(row, 0);
	type("mnvr");
	CHECK_EQ(syc_search_find(&search, 4, -1, get_name, names, &row),
	         SYC_SEARCH_LETTERS);
	CHECK_EQ(row, 1);
	type("xyz");
	CHECK_EQ(syc_search_find(&search, 4, 1, get_name, names, &row),
	         SYC_SEARCH_NONE);
	CHECK_EQ(row, 1);
}

TEST(capital_in_pattern_makes_case_significant)
{
	CHECK_EQ(match("draw", "Window::Draw"), SYC_SEARCH_PART);
	CHECK_EQ(match("Draw", "Window::Draw"), SYC_SEARCH_PART);
	CHECK_EQ(match("Draw", "window::draw"), SYC_SEARCH_NONE);
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
