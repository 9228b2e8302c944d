/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - the counters page: counters as lines over time. */
#define _GNU_SOURCE
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "view/page_context.h"
#include "view/table.h"

#define SPARK_WIDTH 24
#define WIDTH_MOST  1000

enum {
	NAME,
	LINE,
	MIN,
	MAX,
	LAST,
	PROCESS,
	N_COLUMNS
};

static const struct syc_column columns[N_COLUMNS] = {
	[NAME] = { "counter", 26, false, 0 },
	[LINE] = { "", SPARK_WIDTH, false, 1 },
	[MIN] = { "min", 12, true, 4 },
	[MAX] = { "max", 12, true, 3 },
	[LAST] = { "last", 12, true, 2 },
	[PROCESS] = { "process", 0, false, 0 },
};

/* Columns with room for all digits of a double. */
static const struct syc_column exact_columns[N_COLUMNS] = {
	[NAME] = { "counter", 26, false, 0 },
	[LINE] = { "", SPARK_WIDTH, false, 1 },
	[MIN] = { "min", 24, true, 4 },
	[MAX] = { "max", 24, true, 3 },
	[LAST] = { "last", 24, true, 2 },
	[PROCESS] = { "process", 0, false, 0 },
};

/* Values of one counter that pass the filter. */
struct row {
	uint32_t counter;
	size_t first, count; /* range of the values in numbers[] */
	/* A long double has all digits of an int64_t. */
	long double min, max, last;
};

struct counters {
	SYC_ARRAY(struct row) rows;
	uint32_t *numbers; /* numbers of values, by counter and time */
	struct syc_list list;
	struct syc_columns columns;
	bool shows_one;
};

static long double value_of(const struct syscap_profile_values *values,
                            const struct syscap_profile_counter *counters,
                            uint32_t number)
{
	const struct syscap_profile_counter *counter =
		&counters[values->counters[number]];
	double real;
	int64_t whole;

	if (counters[counter->shown_as].is_double || counter->is_double) {
		memcpy(&real, &values->bits[number], sizeof(real));
		return real;
	}
	memcpy(&whole, &values->bits[number], sizeof(whole));
	return (long double)whole;
}

static int by_time(const void *one, const void *other, void *data)
{
	const struct syscap_profile_values *values = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;

	if (values->times[a] != values->times[b])
		return values->times[a] < values->times[b] ? -1 : 1;
	return (a > b) - (a < b);
}

static void add_up(struct counters *counters, struct row *row,
                   struct syscap_profile_values *values,
                   const struct syscap_profile_counter *items)
{
	uint32_t *numbers = counters->numbers + row->first;

	for (size_t i = 1; i < row->count; i++)
		if (values->times[numbers[i]] < values->times[numbers[i - 1]]) {
			qsort_r(numbers, row->count, sizeof(*numbers), by_time,
			        values);
			break;
		}
	row->min = row->max = row->last = NAN; /* fmin() ignores a NaN */
	for (size_t i = 0; i < row->count; i++) {
		const long double value = value_of(values, items, numbers[i]);

		row->min = fminl(row->min, value);
		row->max = fmaxl(row->max, value);
		row->last = value;
	}
}

/*
 * Count the values, then place them, counter by counter.  A value belongs to
 * the counter that represents the value's own counter.  A counter that was
 * never set has no values.
 */
static int place(struct counters *counters,
                 const struct syc_page_context *context,
                 const struct syscap_profile_values *values, size_t *begins,
                 const struct syscap_profile_counter *items, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < values->n; i++)
		if (syscap_view_has(context->view, values->threads[i],
		                    values->times[i]))
			begins[items[values->counters[i]].shown_as]++;
	for (size_t i = 0; i < n; i++) {
		const struct row row = { .counter = (uint32_t)i,
			                 .first = at,
			                 .count = begins[i] };

		at += begins[i];
		begins[i] = row.first;
		if ((row.count > 0 || items[i].is_defined) &&
		    syc_array_push(&counters->rows, row) < 0)
			return -ENOMEM;
	}
	counters->numbers = calloc(at + 1, sizeof(*counters->numbers));
	if (counters->numbers == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < values->n; i++)
		if (syscap_view_has(context->view, values->threads[i],
		                    values->times[i]))
			counters->numbers[begins[items[values->counters[i]]
			                                 .shown_as]++] =
				(uint32_t)i;
	return 0;
}

static int renew(void *state, struct syc_page_context *context)
{
	struct counters *counters = state;
	const struct syscap_profile_counter *items;
	struct syscap_profile_values values;
	size_t n, *begins;
	int r;

	items = syscap_profile_counters(context->source->profile, &n);
	syscap_profile_values(context->source->profile, &values);
	begins = calloc(n + 1, sizeof(*begins));
	if (begins == NULL)
		return -ENOMEM;
	free(counters->numbers);
	counters->numbers = NULL;
	counters->rows.n = 0;
	r = place(counters, context, &values, begins, items, n);
	free(begins);
	for (size_t i = 0; r == 0 && i < counters->rows.n; i++)
		add_up(counters, &counters->rows.items[i], &values, items);
	counters->shows_one &= counters->rows.n > 0;
	return r;
}

/* The shown time: the time of the filter, or the whole span. */
static void find_span(const struct syc_page_context *context, double *ret_begin,
                      double *ret_end)
{
	const struct syscap_filter *filter = syc_page_context_filter(context);
	struct syscap_profile_span span;

	syscap_profile_span(context->source->profile, &span);
	*ret_begin = (double)(filter->has_from ? filter->from : span.begin);
	*ret_end = (double)(filter->has_to ? filter->to : span.end);
}

/*
 * Find the highest value in the time of each column.  A value lasts until the
 * next value.
 */
static void make_line(const struct counters *counters,
                      const struct syc_page_context *context,
                      const struct row *row, double *line, int width)
{
	const struct syscap_profile_counter *items;
	struct syscap_profile_values values;
	double begin, end, last = NAN;
	size_t n;

	items = syscap_profile_counters(context->source->profile, &n);
	syscap_profile_values(context->source->profile, &values);
	find_span(context, &begin, &end);
	for (int i = 0; i < width; i++)
		line[i] = NAN;
	for (size_t i = 0; i < row->count; i++) {
		const uint32_t number = counters->numbers[row->first + i];
		const double value = (double)value_of(&values, items, number);
		double at = ((double)values.times[number] - begin) /
		            (end > begin ? end - begin : 1) * width;
		int x;

		at = at < 0 ? 0 : at > width - 1 ? width - 1 : at;
		x = (int)at;
		if (isnan(line[x]) || value > line[x])
			line[x] = value;
	}
	for (int i = 0; i < width; i++) {
		if (isnan(line[i]))
			line[i] = last;
		last = line[i];
	}
}

/* Limit a value, so that the difference of two values is finite. */
static double clip(double value)
{
	const double most = DBL_MAX / 4;

	return value > most ? most : value < -most ? -most : value;
}

static void draw_line(const struct counters *counters,
                      struct syc_page_context *context, const struct row *row,
                      int x, int y, int width, int height)
{
	double line[WIDTH_MOST];
	const double low = clip(row->min < 0 ? (double)row->min : 0);

	width = width < WIDTH_MOST ? width : WIDTH_MOST;
	make_line(counters, context, row, line, width);
	for (int i = 0; i < width; i++)
		line[i] = clip(line[i]) - low;
	syc_bars_draw(context->grid, x, y, height, line, width,
	              clip((double)row->max) - low, 0);
}

/* Format of a counter's values. */
struct form {
	bool is_double, is_bytes;
};

static void name_row(const struct syc_page_context *context,
                     const struct row *row, char *text, size_t size,
                     struct form *ret_form)
{
	const struct syscap_profile_counter *items, *shown;
	size_t n;

	items = syscap_profile_counters(context->source->profile, &n);
	shown = &items[items[row->counter].shown_as];
	ret_form->is_double = shown->is_double;
	ret_form->is_bytes = syc_counter_is_bytes(shown->category, shown->name,
	                                          shown->description);
	if (shown->name[0] == 0 && shown->category[0] == 0)
		snprintf(text, size, "counter %" PRIu32,
		         items[row->counter].id);
	else
		snprintf(text, size, "%s: %s", shown->category, shown->name);
}

static void name_process(const struct syc_page_context *context,
                         const struct row *row, char *text, size_t size)
{
	const struct syscap_profile_counter *items;
	const struct syscap_profile_process *processes;
	uint32_t process;
	size_t n;

	items = syscap_profile_counters(context->source->profile, &n);
	processes = syscap_profile_processes(context->source->profile, &n);
	process = items[row->counter].process;
	if (processes[process].pid < 0)
		snprintf(text, size, "all");
	else
		snprintf(text, size, "%" PRId32 " %s", processes[process].pid,
		         processes[process].binary);
}

static void put_value(const struct syc_page_context *context,
                      const struct form *form, long double value, char *text)
{
	if (form->is_bytes && !context->is_exact && value >= 0 &&
	    value < (long double)INT64_MAX)
		syc_figures_amount(text, SYSCAP_UNIT_BYTES, (uint64_t)value,
		                   false);
	else
		syc_figures_value(text, value, form->is_double,
		                  context->is_exact);
}

static void draw_row(const struct counters *counters,
                     struct syc_page_context *context, size_t number, int y)
{
	const struct row *row = &counters->rows.items[number];
	const struct syc_columns *at = &counters->columns;
	const bool is_chosen = number == counters->list.chosen;
	const struct syc_style style = syc_cells_begin(context, y, is_chosen);
	struct form form;
	char text[512];

	name_row(context, row, text, sizeof(text), &form);
	syc_columns_put(at, context->grid, NAME, y, text, style);
	if (at->width[LINE] > 0)
		draw_line(counters, context, row, at->x[LINE], y,
		          at->width[LINE], 1);
	put_value(context, &form, row->min, text);
	syc_columns_put(at, context->grid, MIN, y, text, style);
	put_value(context, &form, row->max, text);
	syc_columns_put(at, context->grid, MAX, y, text, style);
	put_value(context, &form, row->last, text);
	syc_columns_put(at, context->grid, LAST, y, text, style);
	name_process(context, row, text, sizeof(text));
	syc_columns_put(at, context->grid, PROCESS, y, text, style);
}

static void say(const struct counters *counters,
                struct syc_page_context *context)
{
	const struct row *row = &counters->rows.items[counters->list.chosen];
	char name[512], min[SYC_FIGURE], max[SYC_FIGURE], last[SYC_FIGURE];
	struct form form;

	name_row(context, row, name, sizeof(name), &form);
	put_value(context, &form, row->min, min);
	put_value(context, &form, row->max, max);
	put_value(context, &form, row->last, last);
	syc_page_context_say(context, "%zu value%s from %s to %s, then %s · %s",
	                     row->count, syc_plural(row->count), min, max, last,
	                     name);
}

static void draw(void *state, struct syc_page_context *context)
{
	struct counters *counters = state;
	struct syc_list *list = &counters->list;

	if (counters->rows.n == 0) {
		syc_page_context_show_none(context, "no values of counters");
		return;
	}
	syc_columns_fit(&counters->columns,
	                context->is_exact ? exact_columns : columns, N_COLUMNS,
	                context);
	if (counters->shows_one) {
		if (list->chosen >= counters->rows.n)
			list->chosen = counters->rows.n - 1;
		draw_line(counters, context,
		          &counters->rows.items[list->chosen], 0, context->top,
		          context->grid->width, context->bottom - context->top);
		say(counters, context);
		return;
	}
	syc_columns_titles(&counters->columns, context->grid, context->top, -1,
	                   false);
	syc_list_fit(list, counters->rows.n, context->top + 1,
	             context->bottom - context->top - 1);
	for (int i = 0; i < syc_list_lines(list); i++)
		draw_row(counters, context, list->top + (size_t)i, list->y + i);
	say(counters, context);
}

static bool take(void *state, struct syc_page_context *context,
                 const struct syc_input_event *event)
{
	struct counters *counters = state;
	const enum syc_list_took took = syc_list_take(&counters->list, event);

	(void)context;
	if (event->key == SYC_KEY_ENTER || took == SYC_LIST_ENTERED) {
		counters->shows_one = counters->rows.n > 0;
	} else if (event->key == SYC_KEY_BACKSPACE && counters->shows_one) {
		counters->shows_one = false;
	} else {
		return took != SYC_LIST_NOTHING;
	}
	return true;
}

struct names {
	const struct counters *counters;
	struct syc_page_context *context;
	char text[512];
};

static const char *get_name(void *data, size_t row)
{
	struct names *names = data;
	struct form form;

	name_row(names->context, &names->counters->rows.items[row], names->text,
	         sizeof(names->text), &form);
	return names->text;
}

static enum syc_search_match find(void *state, struct syc_page_context *context,
                                  int direction)
{
	struct counters *counters = state;
	struct names names = { .counters = counters, .context = context };

	return syc_search_find(&context->search, counters->rows.n, direction,
	                       get_name, &names, &counters->list.chosen);
}

static void fini(void *state)
{
	struct counters *counters = state;

	free(counters->rows.items);
	free(counters->numbers);
}

const struct syc_view_page syc_counters_page = {
	.name = "counters",
	.hints = "↑↓ move  Enter one over the whole page  Backspace back  / "
		 "search",
	.size = sizeof(struct counters),
	.renew = renew,
	.draw = draw,
	.take = take,
	.find = find,
	.fini = fini,
};
