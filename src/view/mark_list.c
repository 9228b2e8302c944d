/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_list.c - the marks of one name, one by one. */
#define _GNU_SOURCE
#include "view/mark_list.h"

#include <math.h>
#include <stdlib.h>

#include "view/bars.h"
#include "view/cells.h"

#define FRAME_NS    16666667.0 /* of 60 a second */
#define BARS_HEIGHT 4
#define BARS_ROOM   14 /* lines of the page from which on there are bars */

enum {
	AT,
	DURATION,
	THREAD,
	MESSAGE,
	N_COLUMNS
};

static const struct syc_column columns[N_COLUMNS] = {
	[AT] = { "at", 16, true, 2 },
	[DURATION] = { "duration", 11, true, 0 },
	[THREAD] = { "thread", 16, false, 1 },
	[MESSAGE] = { "message", 0, false, 0 },
};

_Static_assert(AT == SYC_MARK_LIST_TIME && MESSAGE == SYC_MARK_LIST_ORDERS,
               "the header says so");

struct ordering {
	const struct syc_mark_list *by;
	const struct syscap_profile *profile;
};

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

	if (order->by->sorted == DURATION)
		r = (a.duration < b.duration) - (a.duration > b.duration);
	else if (order->by->sorted == THREAD)
		r = (a.thread > b.thread) - (a.thread < b.thread);
	if (r == 0)
		r = (a.time > b.time) - (a.time < b.time);
	if (r == 0)
		r = (number_a > number_b) - (number_a < number_b);
	return order->by->is_up ? -r : r;
}

void syc_mark_list_begin(struct syc_mark_list *marks, size_t row)
{
	marks->row = row;
	marks->list = (struct syc_list){ 0 };
	marks->n_bars = 0;
	marks->sorted = AT;
	marks->is_up = false;
}

void syc_mark_list_sort(const struct syc_mark_list *marks,
                        struct syc_mark_table *table,
                        const struct syc_desk *desk)
{
	const struct syc_mark_row *row = &table->rows[marks->row];
	struct ordering by = { marks, desk->source->profile };

	qsort_r(table->marks + row->first, row->count, sizeof(uint32_t),
	        compare_marks, &by);
}

static struct syscap_profile_mark mark_of(const struct syc_desk *desk,
                                          uint32_t number)
{
	return syscap_profile_mark(desk->source->profile, number);
}

/* The longest of each column's time. */
static void make_bars(struct syc_mark_list *marks,
                      const struct syc_mark_table *table,
                      const struct syc_desk *desk, int width)
{
	const struct syc_mark_row *row = &table->rows[marks->row];
	const uint32_t *numbers = table->marks + row->first;
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

static void draw_bars(struct syc_mark_list *marks,
                      const struct syc_mark_table *table, struct syc_desk *desk)
{
	const struct syc_mark_row *row = &table->rows[marks->row];
	const int width = desk->grid->width < SYC_MARK_LIST_BARS
	                          ? desk->grid->width
	                          : SYC_MARK_LIST_BARS;

	if (marks->n_bars != width)
		make_bars(marks, table, desk, width);
	syc_bars_draw(desk->grid, 0, desk->top, BARS_HEIGHT, marks->bars, width,
	              row->max > 2 * FRAME_NS ? (double)row->max : 2 * FRAME_NS,
	              FRAME_NS);
}

static void draw_mark(const struct syc_columns *at, struct syc_desk *desk,
                      int y, uint32_t number, struct syc_style style)
{
	const struct syscap_profile_mark mark = mark_of(desk, number);
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

void syc_mark_list_draw(struct syc_mark_list *marks,
                        const struct syc_mark_table *table,
                        struct syc_desk *desk)
{
	const struct syc_mark_row *row = &table->rows[marks->row];
	const struct syscap_profile_mark_name *name =
		syc_desk_mark_name(desk, row->name);
	struct syc_list *list = &marks->list;
	char median[SYC_FIGURE], p99[SYC_FIGURE], max[SYC_FIGURE];
	int y = desk->top;

	if (desk->bottom - desk->top >= BARS_ROOM) {
		draw_bars(marks, table, desk);
		y += BARS_HEIGHT;
	}
	syc_columns_fit(&marks->columns, columns, N_COLUMNS, desk->grid->width);
	syc_columns_titles(&marks->columns, desk->grid, y, marks->sorted,
	                   marks->is_up);
	syc_list_fit(list, row->count, y + 1, desk->bottom - y - 1);
	for (int i = 0; i < syc_list_lines(list); i++) {
		const size_t number = list->top + (size_t)i;

		draw_mark(&marks->columns, desk, list->y + i,
		          table->marks[row->first + number],
		          syc_cells_begin(desk, list->y + i,
		                          number == list->chosen));
	}
	syc_figures_time(median, row->median, desk->is_exact);
	syc_figures_time(p99, row->p99, desk->is_exact);
	syc_figures_time(max, row->max, desk->is_exact);
	syc_desk_say(desk, "%zu of %zu · median %s · p99 %s · max %s · %s/%s",
	             list->chosen + 1, row->count, median, p99, max,
	             name->group, name->name);
}

void syc_mark_list_find(struct syc_mark_list *marks,
                        const struct syc_mark_table *table,
                        const struct syc_desk *desk, size_t direction)
{
	const struct syc_mark_row *row = &table->rows[marks->row];
	size_t at = marks->list.chosen;

	for (size_t i = 0; i < row->count; i++) {
		const char *message;

		at = (at + row->count + direction) % row->count;
		message = syscap_profile_message(
			desk->source->profile, desk->source->reader,
			mark_of(desk, table->marks[row->first + at]).offset);
		if (message == NULL ||
		    !syc_search_matches(desk->search.pattern, message))
			continue;
		marks->list.chosen = at;
		return;
	}
}
