/* SPDX-License-Identifier: BSD-2-Clause */
/* test_list.c - rows with a selected row. */
#include "harness/test.h"
#include "view/table.h"

static void press(struct syc_list *list, enum syc_key key)
{
	const struct syc_input_event event = { .key = key };

	syc_list_take(list, &event);
	syc_list_fit(list, list->n, list->y, list->height);
}

TEST(chosen_row_visible)
{
	struct syc_list list = { 0 };

	syc_list_fit(&list, 100, 2, 10);
	press(&list, SYC_KEY_END);
	CHECK_EQ(list.chosen, 99);
	CHECK_EQ(list.top, 90);
	press(&list, SYC_KEY_DOWN);
	CHECK_EQ(list.chosen, 99);
	press(&list, SYC_KEY_PAGE_UP);
	CHECK_EQ(list.chosen, 90);
	press(&list, SYC_KEY_UP);
	CHECK_EQ(list.top, 89);
	press(&list, SYC_KEY_HOME);
	press(&list, SYC_KEY_UP);
	CHECK_EQ(list.chosen, 0);
}

TEST(shortened_list_chooses_last_row)
{
	struct syc_list list = { 0 };

	syc_list_fit(&list, 100, 0, 10);
	press(&list, SYC_KEY_END);
	syc_list_fit(&list, 5, 0, 10);
	CHECK_EQ(list.chosen, 4);
	CHECK_EQ(list.top, 0);
	CHECK_EQ(syc_list_lines(&list), 5);
	syc_list_fit(&list, 0, 0, 10);
	press(&list, SYC_KEY_DOWN);
	CHECK_EQ(list.chosen, 0);
	CHECK_EQ(syc_list_lines(&list), 0);
}

TEST(first_click_chooses_second_enters)
{
	struct syc_list list = { 0 };
	struct syc_input_event event = { .key = SYC_KEY_CLICK, .y = 5 };

	syc_list_fit(&list, 100, 2, 10);
	CHECK_EQ(syc_list_take(&list, &event), SYC_LIST_MOVED);
	CHECK_EQ(list.chosen, 3);
	CHECK_EQ(syc_list_take(&list, &event), SYC_LIST_ENTERED);
	event.y = 1;
	CHECK_EQ(syc_list_take(&list, &event), SYC_LIST_NOTHING);
	event.y = 12;
	CHECK_EQ(syc_list_take(&list, &event), SYC_LIST_NOTHING);
}

TEST(exact_form_has_room_for_all_digits)
{
	static const struct syc_column table[] = {
		{ "total", 11, true, 0 },
		{ "", 7, true, 1 },
		{ "name", 0, false, 0 },
	};
	struct syc_grid grid = { 0 };
	struct syc_page_context context = { .grid = &grid };
	struct syc_columns columns;
	char text[SYC_FIGURE];

	CHECK_EQ(syc_grid_resize(&grid, 80, 5), 0);
	syc_columns_fit(&columns, table, 3, &context);
	CHECK_EQ(columns.width[0], 11);
	context.is_exact = true;
	syc_columns_fit(&columns, table, 3, &context);
	syc_figures_amount(text, SYSCAP_UNIT_BYTES, UINT64_MAX, true);
	CHECK(columns.width[0] >= syc_grid_columns(text));
	syc_figures_time(text, INT64_MIN, true);
	CHECK(columns.width[0] >= syc_grid_columns(text));
	CHECK_EQ(columns.width[1], 7);
	syc_figures_value(text, -1.7976931348623157e+308, true, true);
	CHECK_STR(text, "-1.7976931348623157e+308");
	/* A double cannot hold all digits of the number. */
	syc_figures_value(text, (long double)(INT64_MAX - 2), false, true);
	CHECK_STR(text, "9223372036854775805");
	syc_grid_fini(&grid);
}
