/* SPDX-License-Identifier: BSD-2-Clause */
/* test_stage.c - keys whose answer is a walk over many samples. */
#include <stdlib.h>
#include <string.h>

#include "harness/make_capture.h"
#include "harness/test.h"
#include "view/stage_draw.h"
#include "view/stage_keys.h"

#define MANY  250000u
#define WIDTH 70

static struct make_capture capture;
static struct syc_source source;
static struct syc_stage stage;

static void begin(unsigned n_samples)
{
	static const struct syscap_profile_options no_lookup = { .no_lookup =
		                                                         true };
	const struct syscap_filter all = { 0 };
	struct syscap_reader *reader;
	struct syscap_error error;

	make_begin(&capture, false, 1000, 0);
	for (unsigned i = 0; i < n_samples; i++) {
		const uint64_t stack[] = { 0x5000 + i % 7 * 16, 0x9000 };

		make_stack(&capture, 2, 7, 7, 1000 + i, false, stack, 2);
	}
	CHECK_EQ(syscap_reader_open_memory(capture.data, capture.size, &reader,
	                                   &error),
	         0);
	CHECK_EQ(syc_source_open(&source, "memory", reader, &no_lookup), 0);
	CHECK_EQ(syc_source_read(&source, 0), 0);
	CHECK_EQ(syc_source_settle(&source), 0);
	CHECK_EQ(syc_stage_init(&stage, &source, WIDTH, 20), 0);
	stage.title = "memory";
	CHECK_EQ(syc_stage_begin(&stage, &all, ""), 0);
	CHECK_EQ(syc_stage_ask(&stage, &error), 0);
	CHECK_EQ(syc_stage_draw(&stage), 0);
}

static void end(void)
{
	syc_stage_fini(&stage);
	syc_source_close(&source);
	make_free(&capture);
}

static void type(char key)
{
	const struct syc_input_event event = { .key = SYC_KEY_CHARACTER,
		                               .point = (uint32_t)key };

	CHECK_EQ(syc_stage_take(&stage, &event), 0);
}

/* What is on the screen, as lines. */
static bool shows(const char *text)
{
	static char screen[20000];
	FILE *out = fmemopen(screen, sizeof(screen), "w");

	syc_grid_print(&stage.grid, out);
	fclose(out);
	return strstr(screen, text) != NULL;
}

static bool is_told(void)
{
	return syc_grid_at(&stage.grid, WIDTH - 1, 0)->point == 0x2026;
}

TEST(a_key_that_takes_a_walk_is_answered_before_it)
{
	const struct syscap_view *before;

	begin(MANY);
	CHECK(!syc_stage_is_late(&stage));
	before = stage.desk.view;
	type('r');
	CHECK(syc_stage_is_late(&stage));
	CHECK(stage.desk.view == before);
	syc_stage_draw_late(&stage);
	CHECK(shows("callees first"));
	CHECK(is_told());
	CHECK(!shows("samples"));
	CHECK_EQ(syc_stage_draw(&stage), 0);
	CHECK(stage.desk.view != before);
	CHECK(!syc_stage_is_late(&stage));
	CHECK(shows("callees first"));
	CHECK(!is_told());
	CHECK(shows("samples"));
	end();
}

TEST(pages_and_orders_that_take_long_are_told_too)
{
	begin(MANY);
	type('3');
	CHECK(syc_stage_is_late(&stage));
	CHECK_EQ(syc_stage_draw(&stage), 0);
	CHECK(!syc_stage_is_late(&stage));
	type('s');
	CHECK(syc_stage_is_late(&stage));
	CHECK_EQ(syc_stage_draw(&stage), 0);
	CHECK(!syc_stage_is_late(&stage));
	end();
}

TEST(what_is_found_at_once_is_not_told)
{
	begin(1000);
	type('r');
	CHECK(stage.desk.wants_view);
	CHECK(!syc_stage_is_late(&stage));
	CHECK_EQ(syc_stage_draw(&stage), 0);
	CHECK(shows("callees first"));
	end();
}

TEST(going_back_from_a_filter_takes_no_walk)
{
	const struct syscap_view *first, *second;

	begin(1000);
	first = stage.desk.view;
	type('r');
	CHECK_EQ(syc_stage_draw(&stage), 0);
	second = stage.desk.view;
	CHECK(second != first);
	type('y');
	CHECK_EQ(syc_stage_draw(&stage), 0);
	type('u');
	CHECK_EQ(syc_stage_draw(&stage), 0);
	CHECK(stage.desk.view == second);
	CHECK(shows("callees first"));
	type('u');
	CHECK_EQ(syc_stage_draw(&stage), 0);
	CHECK_EQ(stage.desk.view->total, 1000);
	CHECK(!shows("callees first"));
	/* Through another one than what was kept is of */
	type('y');
	type('u');
	type('r');
	CHECK_EQ(syc_stage_draw(&stage), 0);
	CHECK(shows("callees first"));
	CHECK_EQ(stage.desk.view->n_passed, 1000);
	end();
}

TEST(each_key_of_a_burst_meets_what_the_one_before_it_made)
{
	const char *keys = "3ssSrryuu1rru";

	begin(1000);
	for (; *keys != 0; keys++)
		type(*keys);
	CHECK_EQ(syc_stage_draw(&stage), 0);
	CHECK(shows("callees first"));
	end();
}

/* Before the end of a long capture; each piece brings new functions. */
TEST(keys_while_more_is_read_look_at_all_of_it)
{
	static const char *const keys[] = { "r",  "x", "3",   "2", "4c", "5+",
		                            "1f", "y", "5s-", "6", "7",  "8" };
	const struct syscap_filter all = { 0 };
	struct syscap_reader *reader;
	struct syscap_error error;
	const unsigned n = 25000;
	unsigned asked = 0;

	make_begin(&capture, false, 1000, 0);
	for (unsigned i = 0; i < n; i++) {
		const uint64_t stack[] = { 0x500000 + i * 16, 0x9000 };

		make_stack(&capture, 2, 7 + i % 3, 7 + i % 99, 1000 + i, false,
		           stack, 2);
		if (i % 10 == 0)
			make_mark(&capture, 7, 7, 1000 + i, 5 + i % 7, "a",
			          "turn", "");
	}
	CHECK_EQ(syscap_reader_open_memory(capture.data, capture.size, &reader,
	                                   &error),
	         0);
	CHECK_EQ(syc_source_open(&source, "memory", reader, NULL), 0);
	CHECK_EQ(syc_source_read(&source, 1), 0);
	CHECK_EQ(syc_source_settle(&source), 0);
	CHECK_EQ(syc_stage_init(&stage, &source, WIDTH, 20), 0);
	stage.title = "memory";
	CHECK_EQ(syc_stage_begin(&stage, &all, ""), 0);
	CHECK_EQ(syc_stage_ask(&stage, &error), 0);
	CHECK_EQ(syc_stage_draw(&stage), 0);
	while (!source.is_read) {
		CHECK_EQ(syc_source_read(&source, 1), 0);
		for (unsigned i = 0; i < 4; i++)
			for (const char *key = keys[asked++ % 12]; *key != 0;
			     key++)
				type(*key);
		CHECK_EQ(syc_stage_draw(&stage), 0);
	}
	CHECK(asked >= 12);
	end();
}
