/* SPDX-License-Identifier: BSD-2-Clause */
/* test_app_state.c - keys that need a walk over many samples. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "harness/make_capture.h"
#include "harness/test.h"
#include "view/app_state.h"

#define MANY  250000u
#define WIDTH 70

static struct make_capture capture;
static struct syc_source source;
static struct syc_app_state app;

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
	CHECK_EQ(syc_app_state_init(&app, &source, WIDTH, 20), 0);
	app.title = "memory";
	CHECK_EQ(syc_app_state_begin(&app, &all, ""), 0);
	CHECK_EQ(syc_app_state_ask(&app, &error), 0);
	CHECK_EQ(syc_app_state_draw(&app), 0);
}

static void end(void)
{
	syc_app_state_fini(&app);
	syc_source_close(&source);
	make_free(&capture);
}

static void type(char key)
{
	const struct syc_input_event event = { .key = SYC_KEY_CHARACTER,
		                               .point = (uint32_t)key };

	CHECK_EQ(syc_app_state_take(&app, &event), 0);
}

/* Does the screen contain @text? */
static bool shows(const char *text)
{
	static char screen[20000];
	FILE *out = fmemopen(screen, sizeof(screen), "w");

	syc_grid_print(&app.grid, out);
	fclose(out);
	return strstr(screen, text) != NULL;
}

static bool is_told(void)
{
	return syc_grid_at(&app.grid, WIDTH - 1, 0)->point == 0x2026;
}

TEST(slow_key_shows_late_picture_first)
{
	const struct syscap_view *before;

	begin(MANY);
	CHECK(!syc_app_state_is_late(&app));
	before = app.context.view;
	type('r');
	CHECK(syc_app_state_is_late(&app));
	CHECK(app.context.view == before);
	syc_app_state_draw_late(&app);
	CHECK(shows("callees first"));
	CHECK(is_told());
	CHECK(!shows("samples"));
	CHECK_EQ(syc_app_state_draw(&app), 0);
	CHECK(app.context.view != before);
	CHECK(!syc_app_state_is_late(&app));
	CHECK(shows("callees first"));
	CHECK(!is_told());
	CHECK(shows("samples"));
	end();
}

TEST(slow_pages_and_sorting_show_late_picture)
{
	begin(MANY);
	type('3');
	CHECK(syc_app_state_is_late(&app));
	CHECK_EQ(syc_app_state_draw(&app), 0);
	CHECK(!syc_app_state_is_late(&app));
	type('s');
	CHECK(syc_app_state_is_late(&app));
	CHECK_EQ(syc_app_state_draw(&app), 0);
	CHECK(!syc_app_state_is_late(&app));
	end();
}

TEST(fast_search_shows_no_late_picture)
{
	begin(1000);
	type('r');
	CHECK(app.context.wants_view);
	CHECK(!syc_app_state_is_late(&app));
	CHECK_EQ(syc_app_state_draw(&app), 0);
	CHECK(shows("callees first"));
	end();
}

TEST(leaving_a_filter_reuses_the_kept_view)
{
	const struct syscap_view *first, *second;

	begin(1000);
	first = app.context.view;
	type('r');
	CHECK_EQ(syc_app_state_draw(&app), 0);
	second = app.context.view;
	CHECK(second != first);
	type('y');
	CHECK_EQ(syc_app_state_draw(&app), 0);
	type('u');
	CHECK_EQ(syc_app_state_draw(&app), 0);
	CHECK(app.context.view == second);
	CHECK(shows("callees first"));
	type('u');
	CHECK_EQ(syc_app_state_draw(&app), 0);
	CHECK_EQ(app.context.view->total, 1000);
	CHECK(!shows("callees first"));
	/* The filter differs from the filter of the cached view */
	type('y');
	type('u');
	type('r');
	CHECK_EQ(syc_app_state_draw(&app), 0);
	CHECK(shows("callees first"));
	CHECK_EQ(app.context.view->n_passed, 1000);
	end();
}

TEST(keys_of_a_burst_apply_in_order)
{
	const char *keys = "3ssSrryuu1rru";

	begin(1000);
	for (; *keys != 0; keys++)
		type(*keys);
	CHECK_EQ(syc_app_state_draw(&app), 0);
	CHECK(shows("callees first"));
	end();
}

/* Keys before the end of a long capture, whose pieces add new functions. */
TEST(keys_during_reading_use_all_data_so_far)
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
	CHECK_EQ(syc_app_state_init(&app, &source, WIDTH, 20), 0);
	app.title = "memory";
	CHECK_EQ(syc_app_state_begin(&app, &all, ""), 0);
	CHECK_EQ(syc_app_state_ask(&app, &error), 0);
	CHECK_EQ(syc_app_state_draw(&app), 0);
	while (!source.is_read) {
		CHECK_EQ(syc_source_read(&source, 1), 0);
		for (unsigned i = 0; i < 4; i++)
			for (const char *key = keys[asked++ % 12]; *key != 0;
			     key++)
				type(*key);
		CHECK_EQ(syc_app_state_draw(&app), 0);
	}
	CHECK(asked >= 12);
	end();
}
