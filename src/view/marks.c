/* SPDX-License-Identifier: BSD-2-Clause */
/* marks.c - marks by group and name; or those of one name one by one. */
#include "view/mark_list.h"
#include "view/mark_names.h"
#include "view/page.h"

struct marks {
	struct syc_mark_table table;
	struct syc_mark_names names;
	struct syc_mark_list one_by_one;
	bool has_begun;
	uint32_t shown; /* name of those one by one, plus 1; 0: all names */
};

static void order(void *state, struct syc_desk *desk)
{
	struct marks *marks = state;

	if (marks->shown > 0)
		syc_mark_list_sort(&marks->one_by_one, &marks->table, desk);
	else
		syc_mark_names_sort(&marks->names, &marks->table, desk);
}

/* The row of the name that is listed; false: it has none. */
static bool find_row(struct marks *marks, uint32_t name)
{
	for (size_t i = 0; i < marks->table.n_rows; i++)
		if (marks->table.rows[i].name == name) {
			marks->one_by_one.row = i;
			return true;
		}
	return false;
}

static int renew(void *state, struct syc_desk *desk)
{
	struct marks *marks = state;
	const int r = syc_mark_table_make(&marks->table, desk->source->profile,
	                                  desk->view);

	if (r < 0)
		return r;
	if (!marks->has_begun)
		marks->names.sorted = SYC_MARK_NAMES_TOTAL;
	marks->has_begun = true;
	marks->one_by_one.n_bars = 0;
	syc_mark_names_sort(&marks->names, &marks->table, desk);
	if (marks->shown > 0 && !find_row(marks, marks->shown - 1))
		marks->shown = 0;
	if (marks->shown > 0 && marks->one_by_one.sorted != SYC_MARK_LIST_TIME)
		syc_mark_list_sort(&marks->one_by_one, &marks->table, desk);
	return 0;
}

static void draw(void *state, struct syc_desk *desk)
{
	struct marks *marks = state;

	if (marks->table.n_rows == 0)
		syc_desk_show_none(desk, "no marks");
	else if (marks->shown > 0)
		syc_mark_list_draw(&marks->one_by_one, &marks->table, desk);
	else
		syc_mark_names_draw(&marks->names, &marks->table, desk);
}

static uint32_t chosen_name(const struct marks *marks)
{
	return marks->shown > 0
	               ? marks->shown - 1
	               : marks->table.rows[marks->names.list.chosen].name;
}

static void enter(struct marks *marks, struct syc_desk *desk)
{
	const size_t chosen = marks->names.list.chosen;
	const struct syc_mark_row *row;

	if (marks->shown == 0) {
		marks->shown = marks->table.rows[chosen].name + 1;
		syc_mark_list_begin(&marks->one_by_one, chosen);
		return;
	}
	row = &marks->table.rows[marks->one_by_one.row];
	desk->about_mark =
		marks->table.marks[row->first + marks->one_by_one.list.chosen];
	desk->wants_page = SYC_PAGE_CHART;
}

static void sort_by(struct marks *marks, struct syc_desk *desk, int column,
                    bool is_up)
{
	if (marks->shown == 0) {
		marks->names.sorted = column;
		marks->names.is_up = is_up;
		marks->names.list.chosen = 0;
	} else if (column < SYC_MARK_LIST_ORDERS) {
		marks->one_by_one.sorted = column;
		marks->one_by_one.is_up = is_up;
		marks->one_by_one.list.chosen = 0;
	} else {
		return;
	}
	desk->wants_order = true;
}

static bool take_letter(struct marks *marks, struct syc_desk *desk,
                        uint32_t letter)
{
	const bool is_list = marks->shown > 0;
	const int n = is_list ? SYC_MARK_LIST_ORDERS : SYC_MARK_NAMES_ORDERS;
	const int sorted =
		is_list ? marks->one_by_one.sorted : marks->names.sorted;

	if (letter == 's') {
		sort_by(marks, desk, (sorted + 1) % n, false);
	} else if (letter == 'S') {
		sort_by(marks, desk, sorted,
		        !(is_list ? marks->one_by_one.is_up
		                  : marks->names.is_up));
	} else if (letter == 'f') {
		if (syc_desk_look_inside(desk, chosen_name(marks), 0) == 0)
			desk->wants_page = SYC_PAGE_FLAME;
	} else if (letter == 'c') {
		desk->about_name = chosen_name(marks);
		desk->wants_page = SYC_PAGE_COMPARE;
	} else {
		return false;
	}
	return true;
}

static bool back(struct marks *marks)
{
	if (marks->shown == 0)
		return false;
	marks->shown = 0;
	return true;
}

static bool take(void *state, struct syc_desk *desk,
                 const struct syc_input_event *event)
{
	struct marks *marks = state;
	const bool is_list = marks->shown > 0;
	int column = -1;

	if (marks->table.n_rows == 0)
		return false;
	if (event->key == SYC_KEY_CLICK)
		column = syc_columns_find(is_list ? &marks->one_by_one.columns
		                                  : &marks->names.columns,
		                          event->x, event->y);
	if (column >= 0) {
		const int sorted = is_list ? marks->one_by_one.sorted
		                           : marks->names.sorted;
		const bool is_up =
			is_list ? marks->one_by_one.is_up : marks->names.is_up;

		sort_by(marks, desk, column, column == sorted && !is_up);
		return true;
	}
	switch (syc_list_take(is_list ? &marks->one_by_one.list
	                              : &marks->names.list,
	                      event)) {
	case SYC_LIST_ENTERED:
		enter(marks, desk);
		return true;
	case SYC_LIST_MOVED:
		return true;
	case SYC_LIST_NOTHING:
		break;
	}
	if (event->key == SYC_KEY_ENTER)
		enter(marks, desk);
	else if (event->key == SYC_KEY_BACKSPACE)
		return back(marks);
	else if (event->key == SYC_KEY_CHARACTER)
		return take_letter(marks, desk, event->point);
	else
		return false;
	return true;
}

static void find(void *state, struct syc_desk *desk, int direction)
{
	struct marks *marks = state;

	if (marks->shown > 0)
		syc_mark_list_find(&marks->one_by_one, &marks->table, desk,
		                   (size_t)direction);
	else
		syc_mark_names_find(&marks->names, &marks->table, desk,
		                    (size_t)direction);
}

static void fini(void *state)
{
	struct marks *marks = state;

	syc_mark_table_fini(&marks->table);
}

const struct syc_view_page syc_marks_page = {
	.name = "marks",
	.hints = "↑↓ move  Enter one by one, then in the chart  c compare the "
		 "slowest  f inside of them  s sort  / search",
	.size = sizeof(struct marks),
	.renew = renew,
	.order = order,
	.draw = draw,
	.take = take,
	.find = find,
	.fini = fini,
};
