/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * marks.c - marks by group and name with statistics; those of one name one by
 * one, and how long they took as bars over time.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/bars.h"
#include "view/columns.h"
#include "view/list.h"
#include "view/mark_table.h"
#include "view/page.h"

#define NONE SYSCAP_PROFILE_NONE

#define FRAME_NS    16666667.0 /* of 60 a second */
#define BARS_HEIGHT 4
#define BARS_ROOM   14 /* lines of the page from which on there are bars */
#define BARS_MOST   1000

enum {
	COUNT,
	TOTAL,
	MIN,
	MEAN,
	MEDIAN,
	P99,
	MAX,
	NAME,
	N_COLUMNS
};

static const struct syc_column columns[N_COLUMNS] = {
	[COUNT] = { "count", 10, true, 1 },
	[TOTAL] = { "total", 11, true, 0 },
	[MIN] = { "min", 11, true, 6 },
	[MEAN] = { "mean", 11, true, 5 },
	[MEDIAN] = { "median", 11, true, 2 },
	[P99] = { "p99", 11, true, 3 },
	[MAX] = { "max", 11, true, 4 },
	[NAME] = { "mark", 0, false, 0 },
};

enum {
	AT,
	DURATION,
	THREAD,
	MESSAGE,
	N_MARK_COLUMNS
};

static const struct syc_column mark_columns[N_MARK_COLUMNS] = {
	[AT] = { "at", 16, true, 2 },
	[DURATION] = { "duration", 11, true, 0 },
	[THREAD] = { "thread", 16, false, 1 },
	[MESSAGE] = { "message", 0, false, 0 },
};

struct marks {
	struct syc_mark_table table;
	struct syc_list names, list;
	struct syc_columns columns;
	int sorted, mark_sorted;
	bool is_up, mark_is_up, has_begun;
	uint32_t shown; /* name of marks that are listed, plus 1; 0: none */
	size_t row;     /* of it */
	double bars[BARS_MOST];
	int n_bars; /* 0: not made yet */
};

struct ordering {
	const struct marks *marks;
	const struct syscap_profile *profile;
	const struct syscap_profile_mark_name *names;
};

static int64_t value_of(const struct syc_mark_row *row, int column)
{
	switch (column) {
	case COUNT:
		return (int64_t)row->count;
	case MIN:
		return row->min;
	case MEAN:
		return row->mean;
	case MEDIAN:
		return row->median;
	case P99:
		return row->p99;
	case MAX:
		return row->max;
	default:
		return row->total;
	}
}

static int compare_names(const void *one, const void *other, void *data)
{
	const struct syc_mark_row *a = one, *b = other;
	const struct ordering *order = data;
	const int column = order->marks->sorted;
	const int64_t left = value_of(a, column), right = value_of(b, column);
	int r = column == NAME ? 0 : (left < right) - (left > right);

	if (r == 0)
		r = strcmp(order->names[a->name].group,
		           order->names[b->name].group);
	if (r == 0)
		r = strcmp(order->names[a->name].name,
		           order->names[b->name].name);
	return order->marks->is_up ? -r : r;
}

static int compare_marks(const void *one, const void *other, void *data)
{
	const struct ordering *order = data;
	const uint32_t number_a = *(const uint32_t *)one;
	const uint32_t number_b = *(const uint32_t *)other;
	const struct syscap_profile_mark a =
		syscap_profile_mark(order->profile, number_a);
	const struct syscap_profile_mark b =
		syscap_profile_mark(order->profile, number_b);
	int r = 0;

	if (order->marks->mark_sorted == DURATION)
		r = (a.duration < b.duration) - (a.duration > b.duration);
	else if (order->marks->mark_sorted == THREAD)
		r = (a.thread > b.thread) - (a.thread < b.thread);
	if (r == 0)
		r = (a.time > b.time) - (a.time < b.time);
	if (r == 0)
		r = (number_a > number_b) - (number_a < number_b);
	return order->marks->mark_is_up ? -r : r;
}

static struct ordering order_of(const struct marks *marks,
                                const struct syc_desk *desk)
{
	size_t n;

	return (struct ordering){
		marks,
		desk->source->profile,
		syscap_profile_mark_names(desk->source->profile, &n),
	};
}

static void sort_names(struct marks *marks, const struct syc_desk *desk)
{
	struct ordering by = order_of(marks, desk);

	if (marks->table.n_rows > 0)
		qsort_r(marks->table.rows, marks->table.n_rows,
		        sizeof(*marks->table.rows), compare_names, &by);
}

static void sort_marks(struct marks *marks, const struct syc_desk *desk)
{
	const struct syc_mark_row *row = &marks->table.rows[marks->row];
	struct ordering by = order_of(marks, desk);

	qsort_r(marks->table.marks + row->first, row->count, sizeof(uint32_t),
	        compare_marks, &by);
}

static void order(void *state, struct syc_desk *desk)
{
	struct marks *marks = state;

	if (marks->shown > 0)
		sort_marks(marks, desk);
	else
		sort_names(marks, desk);
}

/* The row of the name that is listed; false: it has none. */
static bool find_row(struct marks *marks, uint32_t name)
{
	for (size_t i = 0; i < marks->table.n_rows; i++)
		if (marks->table.rows[i].name == name) {
			marks->row = i;
			return true;
		}
	return false;
}

static void list_marks(struct marks *marks, size_t row)
{
	marks->row = row;
	marks->shown = marks->table.rows[row].name + 1;
	marks->list = (struct syc_list){ 0 };
	marks->n_bars = 0;
	marks->mark_sorted = AT;
	marks->mark_is_up = false;
}

static int renew(void *state, struct syc_desk *desk)
{
	struct marks *marks = state;
	const int r = syc_mark_table_make(&marks->table, desk->source->profile,
	                                  desk->view);

	if (r < 0)
		return r;
	if (!marks->has_begun)
		marks->sorted = TOTAL;
	marks->has_begun = true;
	marks->n_bars = 0;
	sort_names(marks, desk);
	if (marks->shown > 0 && !find_row(marks, marks->shown - 1))
		marks->shown = 0;
	if (marks->shown > 0 && marks->mark_sorted != AT)
		sort_marks(marks, desk);
	return 0;
}

static struct syc_style begin_row(struct syc_desk *desk, int y, bool is_chosen)
{
	const struct syc_style style =
		is_chosen ? SYC_STYLE_CHOSEN : SYC_STYLE_PLAIN;

	syc_grid_fill(desk->grid, 0, y, desk->grid->width, ' ', style);
	return style;
}

static const struct syscap_profile_mark_name *
name_of(const struct syc_desk *desk, uint32_t name)
{
	size_t n;

	return &syscap_profile_mark_names(desk->source->profile, &n)[name];
}

static void put_name(const struct marks *marks, struct syc_desk *desk, int y,
                     uint32_t name, struct syc_style style)
{
	const struct syscap_profile_mark_name *about = name_of(desk, name);
	const struct syc_columns *at = &marks->columns;
	int x = at->x[NAME], left = at->width[NAME], used;
	struct syc_style quiet = style;

	if ((style.attributes & SYC_REVERSE) == 0)
		quiet.attributes |= SYC_DIM;
	if (desk->search.pattern[0] != 0 &&
	    (syc_search_matches(desk->search.pattern, about->name) ||
	     syc_search_matches(desk->search.pattern, about->group)))
		style.attributes |= SYC_BOLD | SYC_UNDERLINE;
	used = syc_grid_put(desk->grid, x, y, left, about->group, quiet);
	used += syc_grid_put(desk->grid, x + used, y, left - used, "/", quiet);
	syc_grid_put(desk->grid, x + used, y, left - used, about->name, style);
}

static void draw_names(struct marks *marks, struct syc_desk *desk)
{
	struct syc_list *list = &marks->names;

	syc_columns_fit(&marks->columns, columns, N_COLUMNS, desk->grid->width);
	syc_columns_titles(&marks->columns, desk->grid, desk->top,
	                   marks->sorted, marks->is_up);
	syc_list_fit(list, marks->table.n_rows, desk->top + 1,
	             desk->bottom - desk->top - 1);
	for (int i = 0; i < syc_list_lines(list); i++) {
		const size_t number = list->top + (size_t)i;
		const struct syc_mark_row *row = &marks->table.rows[number];
		const struct syc_style style =
			begin_row(desk, list->y + i, number == list->chosen);
		char text[SYC_FIGURE];

		syc_figures_count(text, row->count, desk->is_exact);
		syc_columns_put(&marks->columns, desk->grid, COUNT, list->y + i,
		                text, style);
		for (unsigned k = TOTAL; k <= MAX; k++) {
			syc_figures_time(text, value_of(row, (int)k),
			                 desk->is_exact);
			syc_columns_put(&marks->columns, desk->grid, k,
			                list->y + i, text, style);
		}
		put_name(marks, desk, list->y + i, row->name, style);
	}
	syc_desk_say(desk,
	             "%zu names · %zu marks · Enter lists them, c compares "
	             "the slowest",
	             marks->table.n_rows, marks->table.n_marks);
}

/* The longest of each column's time. */
static struct syscap_profile_mark mark_of(const struct syc_desk *desk,
                                          uint32_t number)
{
	return syscap_profile_mark(desk->source->profile, number);
}

static void make_bars(struct marks *marks, const struct syc_desk *desk,
                      int width)
{
	const struct syc_mark_row *row = &marks->table.rows[marks->row];
	const uint32_t *numbers = marks->table.marks + row->first;
	double *values = marks->bars, begin = INFINITY, end = -INFINITY;

	for (size_t i = 0; i < row->count; i++) {
		const double time = (double)mark_of(desk, numbers[i]).time;

		begin = time < begin ? time : begin;
		end = time > end ? time : end;
	}
	for (int i = 0; i < width; i++)
		values[i] = NAN;
	for (size_t i = 0; i < row->count; i++) {
		const struct syscap_profile_mark mark =
			mark_of(desk, numbers[i]);
		const double share = end > begin ? ((double)mark.time - begin) /
		                                           (end - begin)
		                                 : 0;
		const int x = (int)(share * (width - 1));

		if (isnan(values[x]) || (double)mark.duration > values[x])
			values[x] = (double)mark.duration;
	}
	marks->n_bars = width;
}

static void draw_bars(struct marks *marks, struct syc_desk *desk)
{
	const struct syc_mark_row *row = &marks->table.rows[marks->row];
	const int width =
		desk->grid->width < BARS_MOST ? desk->grid->width : BARS_MOST;

	if (marks->n_bars != width)
		make_bars(marks, desk, width);
	syc_bars_draw(desk->grid, 0, desk->top, BARS_HEIGHT, marks->bars, width,
	              row->max > 2 * FRAME_NS ? (double)row->max : 2 * FRAME_NS,
	              FRAME_NS);
}

static void draw_mark(const struct marks *marks, struct syc_desk *desk, int y,
                      uint32_t number, struct syc_style style)
{
	const struct syscap_profile_mark mark = mark_of(desk, number);
	const struct syc_columns *at = &marks->columns;
	const char *message;
	struct syscap_profile_span span;
	char text[256];

	syscap_profile_span(desk->source->profile, &span);
	syc_figures_moment(text, mark.time, span.begin, desk->is_exact);
	syc_columns_put(at, desk->grid, AT, y, text, style);
	syc_figures_time(text, mark.duration, desk->is_exact);
	syc_columns_put(at, desk->grid, DURATION, y, text, style);
	syc_desk_thread_name(desk, mark.thread, text, sizeof(text));
	syc_columns_put(at, desk->grid, THREAD, y, text, style);
	message = syscap_profile_message(desk->source->profile,
	                                 desk->source->reader, mark.offset);
	syc_columns_put(at, desk->grid, MESSAGE, y,
	                message != NULL ? message : "", style);
}

static void draw_marks(struct marks *marks, struct syc_desk *desk)
{
	const struct syc_mark_row *row = &marks->table.rows[marks->row];
	const struct syscap_profile_mark_name *name = name_of(desk, row->name);
	struct syc_list *list = &marks->list;
	char median[SYC_FIGURE], p99[SYC_FIGURE], max[SYC_FIGURE];
	int y = desk->top;

	if (desk->bottom - desk->top >= BARS_ROOM) {
		draw_bars(marks, desk);
		y += BARS_HEIGHT;
	}
	syc_columns_fit(&marks->columns, mark_columns, N_MARK_COLUMNS,
	                desk->grid->width);
	syc_columns_titles(&marks->columns, desk->grid, y, marks->mark_sorted,
	                   marks->mark_is_up);
	syc_list_fit(list, row->count, y + 1, desk->bottom - y - 1);
	for (int i = 0; i < syc_list_lines(list); i++) {
		const size_t number = list->top + (size_t)i;

		draw_mark(marks, desk, list->y + i,
		          marks->table.marks[row->first + number],
		          begin_row(desk, list->y + i, number == list->chosen));
	}
	syc_figures_time(median, row->median, desk->is_exact);
	syc_figures_time(p99, row->p99, desk->is_exact);
	syc_figures_time(max, row->max, desk->is_exact);
	syc_desk_say(desk, "%zu of %zu · median %s · p99 %s · max %s · %s/%s",
	             list->chosen + 1, row->count, median, p99, max,
	             name->group, name->name);
}

static void draw(void *state, struct syc_desk *desk)
{
	struct marks *marks = state;

	if (marks->table.n_rows == 0)
		syc_desk_show_none(desk, "no marks");
	else if (marks->shown > 0)
		draw_marks(marks, desk);
	else
		draw_names(marks, desk);
}

static uint32_t chosen_name(const struct marks *marks)
{
	return marks->shown > 0 ? marks->shown - 1
	                        : marks->table.rows[marks->names.chosen].name;
}

static void enter(struct marks *marks, struct syc_desk *desk)
{
	const struct syc_mark_row *row;

	if (marks->shown == 0) {
		list_marks(marks, marks->names.chosen);
		return;
	}
	row = &marks->table.rows[marks->row];
	desk->about_mark = marks->table.marks[row->first + marks->list.chosen];
	desk->wants_page = SYC_PAGE_CHART;
}

static void sort_by(struct marks *marks, struct syc_desk *desk, int column,
                    bool is_up)
{
	if (marks->shown > 0) {
		if (column == MESSAGE)
			return;
		marks->mark_sorted = column;
		marks->mark_is_up = is_up;
		desk->wants_order = true;
		marks->list.chosen = 0;
	} else {
		marks->sorted = column;
		marks->is_up = is_up;
		desk->wants_order = true;
		marks->names.chosen = 0;
	}
}

static bool take_letter(struct marks *marks, struct syc_desk *desk,
                        uint32_t letter)
{
	const bool is_list = marks->shown > 0;
	const int n = is_list ? MESSAGE : N_COLUMNS;
	const int sorted = is_list ? marks->mark_sorted : marks->sorted;

	if (letter == 's') {
		sort_by(marks, desk, (sorted + 1) % n, false);
	} else if (letter == 'S') {
		sort_by(marks, desk, sorted,
		        !(is_list ? marks->mark_is_up : marks->is_up));
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
		column = syc_columns_find(&marks->columns, event->x, event->y);
	if (column >= 0) {
		const int sorted = is_list ? marks->mark_sorted : marks->sorted;
		const bool is_up = is_list ? marks->mark_is_up : marks->is_up;

		sort_by(marks, desk, column, column == sorted && !is_up);
		return true;
	}
	switch (syc_list_take(is_list ? &marks->list : &marks->names, event)) {
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

static void find_name(struct marks *marks, struct syc_desk *desk,
                      size_t direction)
{
	const size_t n = marks->table.n_rows;
	size_t row = marks->names.chosen;

	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark_name *name;
		char text[256];

		row = (row + n + direction) % n;
		name = name_of(desk, marks->table.rows[row].name);
		snprintf(text, sizeof(text), "%s/%s", name->group, name->name);
		if (!syc_search_matches(desk->search.pattern, text))
			continue;
		marks->names.chosen = row;
		return;
	}
}

/* By message. */
static void find_mark(struct marks *marks, struct syc_desk *desk,
                      size_t direction)
{
	const struct syc_mark_row *row = &marks->table.rows[marks->row];
	size_t at = marks->list.chosen;

	for (size_t i = 0; i < row->count; i++) {
		const char *message;

		at = (at + row->count + direction) % row->count;
		message = syscap_profile_message(
			desk->source->profile, desk->source->reader,
			mark_of(desk, marks->table.marks[row->first + at])
				.offset);
		if (message == NULL ||
		    !syc_search_matches(desk->search.pattern, message))
			continue;
		marks->list.chosen = at;
		return;
	}
}

static void find(void *state, struct syc_desk *desk, int direction)
{
	struct marks *marks = state;

	if (marks->shown > 0)
		find_mark(marks, desk, (size_t)direction);
	else
		find_name(marks, desk, (size_t)direction);
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
