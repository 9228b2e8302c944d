/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_list.c - list of the single marks of one name, with bars over time. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/mark_stats.h"

#define FRAME_NS    16666667.0 /* duration of a frame at 60 per second */
#define BARS_HEIGHT 4
#define BARS_ROOM   14 /* least height of a page with bars */

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
               "the header has these numbers");

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
                        const struct syc_page_context *context)
{
	const struct syc_mark_row *row = &table->rows[marks->row];
	struct ordering by = { marks, context->source->profile };

	qsort_r(table->marks + row->first, row->count, sizeof(uint32_t),
	        compare_marks, &by);
}

static struct syscap_profile_mark
mark_of(const struct syc_page_context *context, uint32_t number)
{
	return syscap_profile_mark(context->source->profile, number);
}

static uint32_t process_of(const struct syc_page_context *context,
                           const struct syscap_profile_mark *mark)
{
	size_t n;

	return syscap_profile_threads(context->source->profile,
	                              &n)[mark->thread]
	        .process;
}

/*
 * Find the longest mark in the time of each column, in the busiest process.
 * Frame times of two programs have nothing in common.
 */
static void make_bars(struct syc_mark_list *marks,
                      const struct syc_mark_table *table,
                      const struct syc_page_context *context, int width)
{
	const struct syc_mark_row *row = &table->rows[marks->row];
	const uint32_t *numbers = table->marks + row->first;
	double *values = marks->bars, begin = INFINITY, end = -INFINITY;
	bool has_others = false;
	const uint32_t process = syc_mark_row_process(
		table, row, context->source->profile, &has_others);

	marks->process = has_others ? process : SYSCAP_PROFILE_NONE;
	for (size_t i = 0; i < row->count; i++) {
		const double time = (double)mark_of(context, numbers[i]).time;

		begin = time < begin ? time : begin;
		end = time > end ? time : end;
	}
	for (int i = 0; i < width; i++)
		values[i] = NAN;
	for (size_t i = 0; i < row->count; i++) {
		const struct syscap_profile_mark mark =
			mark_of(context, numbers[i]);
		const double share = end > begin ? ((double)mark.time - begin) /
		                                           (end - begin)
		                                 : 0;
		const int x = (int)(share * (width - 1));

		if (has_others && process_of(context, &mark) != process)
			continue;
		if (isnan(values[x]) || (double)mark.duration > values[x])
			values[x] = (double)mark.duration;
	}
	marks->n_bars = width;
}

static void draw_bars(struct syc_mark_list *marks,
                      const struct syc_mark_table *table,
                      struct syc_page_context *context)
{
	const struct syc_mark_row *row = &table->rows[marks->row];
	const int width = context->grid->width < SYC_MARK_LIST_BARS
	                          ? context->grid->width
	                          : SYC_MARK_LIST_BARS;

	if (marks->n_bars != width)
		make_bars(marks, table, context, width);
	syc_bars_draw(
		context->grid, 0, context->top, BARS_HEIGHT, marks->bars, width,
		(double)row->sums.max > 2 * FRAME_NS ? (double)row->sums.max
						     : 2 * FRAME_NS,
		FRAME_NS);
}

static void draw_mark(const struct syc_columns *at,
                      struct syc_page_context *context, int y, uint32_t number,
                      struct syc_style style)
{
	const struct syscap_profile_mark mark = mark_of(context, number);
	const char *message;
	struct syscap_profile_span span;
	char text[256], moment[SYC_FIGURE];

	syscap_profile_span(context->source->profile, &span);
	syc_figures_moment(moment, mark.time, span.begin, context->is_exact);
	snprintf(text, sizeof(text), "%s%s", mark.began < mark.time ? "◂ " : "",
	         moment);
	syc_columns_put(at, context->grid, AT, y, text, style);
	syc_figures_time(text, mark.duration, context->is_exact);
	syc_columns_put(at, context->grid, DURATION, y, text, style);
	syc_page_context_thread_name(context, mark.thread, text, sizeof(text));
	syc_columns_put(at, context->grid, THREAD, y, text, style);
	message = syscap_profile_message(context->source->profile,
	                                 context->source->reader, mark.offset);
	syc_columns_put(at, context->grid, MESSAGE, y,
	                message != NULL ? message : "", style);
}

/* Name the process of the bars if other processes have marks of the name,
 * too. */
static void describe_bars(const struct syc_mark_list *marks,
                          const struct syc_page_context *context, char *text,
                          size_t size)
{
	const struct syscap_profile_process *processes;
	size_t n;

	text[0] = 0;
	processes = syscap_profile_processes(context->source->profile, &n);
	if (marks->n_bars > 0 && marks->process < n)
		snprintf(text, size, " · bars of process %d",
		         processes[marks->process].pid);
}

void syc_mark_list_draw(struct syc_mark_list *marks,
                        const struct syc_mark_table *table,
                        struct syc_page_context *context)
{
	const struct syc_mark_row *row = &table->rows[marks->row];
	const struct syscap_profile_mark_name *name =
		syc_page_context_mark_name(context, row->name);
	struct syc_list *list = &marks->list;
	char median[SYC_FIGURE], p99[SYC_FIGURE], max[SYC_FIGURE];
	char before[SYC_FIGURE], of[64];
	int64_t early;
	struct syscap_profile_mark chosen;
	int y = context->top;
	bool is_cut;

	if (context->bottom - context->top >= BARS_ROOM) {
		draw_bars(marks, table, context);
		y += BARS_HEIGHT;
	}
	syc_columns_fit(&marks->columns, columns, N_COLUMNS, context);
	syc_columns_titles(&marks->columns, context->grid, y, marks->sorted,
	                   marks->is_up);
	syc_list_fit(list, row->count, y + 1, context->bottom - y - 1);
	for (int i = 0; i < syc_list_lines(list); i++) {
		const size_t number = list->top + (size_t)i;

		draw_mark(&marks->columns, context, list->y + i,
		          table->marks[row->first + number],
		          syc_cells_begin(context, list->y + i,
		                          number == list->chosen));
	}
	chosen = mark_of(context, table->marks[row->first + list->chosen]);
	is_cut = chosen.began < chosen.time;
	syc_figures_time(median, row->sums.median, context->is_exact);
	syc_figures_time(p99, row->sums.p99, context->is_exact);
	syc_figures_time(max, row->sums.max, context->is_exact);
	if (__builtin_sub_overflow(chosen.time, chosen.began, &early))
		early = INT64_MAX;
	syc_figures_time(before, early, context->is_exact);
	describe_bars(marks, context, of, sizeof(of));
	syc_page_context_say(
		context,
		"%s%s%s%zu of %zu · median %s · p99 %s · max %s · %s/%s%s",
		is_cut ? "cut: it began " : "", is_cut ? before : "",
		is_cut ? " before the recording · " : "", list->chosen + 1,
		row->count, median, p99, max, name->group, name->name, of);
}

struct messages {
	const struct syc_mark_table *table;
	const struct syc_mark_row *row;
	const struct syc_page_context *context;
};

static const char *get_message(void *data, size_t number)
{
	const struct messages *of = data;
	const uint32_t mark = of->table->marks[of->row->first + number];
	const char *message = syscap_profile_message(
		of->context->source->profile, of->context->source->reader,
		mark_of(of->context, mark).offset);

	return message != NULL ? message : "";
}

enum syc_search_match syc_mark_list_find(struct syc_mark_list *marks,
                                         const struct syc_mark_table *table,
                                         const struct syc_page_context *context,
                                         int direction)
{
	struct messages messages = { table, &table->rows[marks->row], context };

	return syc_search_find(&context->search, messages.row->count, direction,
	                       get_message, &messages, &marks->list.chosen);
}
