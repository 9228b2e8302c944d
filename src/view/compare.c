/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare.c - the compare page: differences inside the slowest marks of a name.
 *
 * The first name has the slowest marks with the largest excess over the other
 * marks.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/mark_stats.h"
#include "view/page_context.h"
#include "view/table.h"

static void put_time(const struct syc_page_context *context, char *text,
                     double ns)
{
	syc_figures_time(text, llround(ns), context->is_exact);
}

static void put_difference(const struct syc_page_context *context, char *text,
                           double ns)
{
	char number[SYC_FIGURE];

	put_time(context, number, ns);
	snprintf(text, SYC_FIGURE, "%s%.40s", ns > 0 ? "+" : "", number);
}

/*
 * Format a mean amount of one mark, or a difference of two amounts, in
 * SYC_FIGURE bytes.
 */
static void slow_marks_figure(const struct syc_slow_marks *slow_marks,
                              const struct syc_page_context *context,
                              char *text, double value)
{
	if (slow_marks->unit == SYSCAP_UNIT_TICKS)
		snprintf(text, SYC_FIGURE, "%.2f", value);
	else
		put_time(context, text, value);
}

static void slow_marks_figure_more(const struct syc_slow_marks *slow_marks,
                                   const struct syc_page_context *context,
                                   char *text, double value)
{
	if (slow_marks->unit == SYSCAP_UNIT_TICKS)
		snprintf(text, SYC_FIGURE, "%+.2f", value);
	else
		put_difference(context, text, value);
}

static double at_most(double value, double most)
{
	return value < most ? value : most;
}

/*
 * Draw "the slowest 1 % of gtk/frame: 3 of 300, 41 ms and more" and the mean
 * duration of a mark of each group.
 */
static int draw_marks(const struct syc_slow_marks *slow_marks,
                      struct syc_page_context *context,
                      const struct syscap_profile_mark_name *name,
                      double percent)
{
	char text[400], one[SYC_FIGURE], other[SYC_FIGURE], more[SYC_FIGURE];
	char least[SYC_FIGURE];
	const double ran = at_most(slow_marks->slow_running, slow_marks->slow);
	int y = context->top;

	syc_figures_time(least, slow_marks->least, context->is_exact);
	snprintf(text, sizeof(text),
	         "the slowest %g %% of %s/%s: %llu of %llu, %s and more",
	         percent, name->group, name->name,
	         (unsigned long long)slow_marks->n_slow,
	         (unsigned long long)(slow_marks->n_slow + slow_marks->n_rest),
	         least);
	syc_grid_put(context->grid, 0, y++, context->grid->width, text,
	             SYC_STYLE_BOLD);
	put_time(context, one, slow_marks->slow);
	put_time(context, other, slow_marks->rest);
	put_difference(context, more, slow_marks->slow - slow_marks->rest);
	snprintf(text, sizeof(text), "one of them took %s, of the rest %s: %s",
	         one, other, more);
	syc_grid_put(context->grid, 0, y++, context->grid->width, text,
	             SYC_STYLE_PLAIN);
	if (!slow_marks->has_waiting)
		return y;
	put_time(context, one, ran);
	put_time(context, other, slow_marks->slow - ran);
	if (slow_marks->slow - ran >= slow_marks->error) {
		snprintf(text, sizeof(text),
		         "time on a processor %s, waiting %s%s", one,
		         slow_marks->is_least ? "at least " : "", other);
	} else {
		put_time(context, other, slow_marks->error);
		snprintf(text, sizeof(text),
		         "time on a processor %s; waiting is within the "
		         "samples' error of %s",
		         one, other);
	}
	syc_grid_put(context->grid, 0, y++, context->grid->width, text,
	             SYC_STYLE_PLAIN);
	return y;
}

/* Draw the path.  If the path is too long, draw its end, with the innermost
 * functions. */
static int draw_path(const struct syc_slow_marks *slow_marks,
                     struct syc_page_context *context, int y)
{
	const int room = context->grid->width;
	char more[SYC_FIGURE];
	size_t first = slow_marks->path.n;
	int columns, x;

	if (first == 0)
		return y;
	slow_marks_figure_more(slow_marks, context, more,
	                       slow_marks->path_more);
	columns = syc_grid_columns(more) + 4;
	while (first > 0) {
		const struct syscap_profile_function *function =
			syscap_profile_function(
				context->source->profile,
				slow_marks->path.items[first - 1]);

		columns += syc_grid_columns(function->name) + 3;
		if (columns > room && first < slow_marks->path.n)
			break;
		first--;
	}
	x = syc_grid_put(context->grid, 0, y, room, more, SYC_STYLE_MORE);
	x += syc_grid_put(context->grid, x, y, room - x,
	                  first > 0 ? " … " : " ", SYC_STYLE_QUIET);
	for (size_t i = first; i < slow_marks->path.n; i++) {
		const struct syscap_profile_function *function =
			syscap_profile_function(context->source->profile,
		                                slow_marks->path.items[i]);

		if (i > 0)
			x += syc_grid_put(context->grid, x, y, room - x, "› ",
			                  SYC_STYLE_QUIET);
		x += syc_grid_put(context->grid, x, y, room - x, function->name,
		                  i + 1 == slow_marks->path.n
		                          ? SYC_STYLE_BOLD
		                          : SYC_STYLE_PLAIN);
		x += syc_grid_put(context->grid, x, y, room - x, " ",
		                  SYC_STYLE_PLAIN);
	}
	return y + 1;
}

/*
 * Draw the sizes of both groups and the path to the main cause, at the top of
 * the page.  The groups are the slowest @percent of marks of @name, and the
 * rest. Returns
 * the next line. */
static int slow_marks_draw(const struct syc_slow_marks *slow_marks,
                           struct syc_page_context *context,
                           const struct syscap_profile_mark_name *name,
                           double percent)
{
	return draw_path(slow_marks, context,
	                 draw_marks(slow_marks, context, name, percent));
}

#define NONE SYSCAP_PROFILE_NONE

/* Least number of marks with a slowest group. */
#define MARKS_LEAST 20
#define BAR_WIDTH   10

static const double shares[] = { 0.1, 1, 5, 10, 25, 50 };

#define N_SHARES (sizeof(shares) / sizeof(shares[0]))

enum {
	SLOW,
	REST,
	MORE,
	UNEXPECTED,
	BAR,
	NAME,
	N_COLUMNS
};

static const struct syc_column self_columns[N_COLUMNS] = {
	[SLOW] = { "slowest, self", 13, true, 2 },
	[REST] = { "the rest", 11, true, 4 },
	[MORE] = { "difference", 12, true, 1 },
	[UNEXPECTED] = { "unexpected", 12, true, 0 },
	[BAR] = { "", BAR_WIDTH, false, 3 },
	[NAME] = { "function", 0, false, 0 },
};

static const struct syc_column total_columns[N_COLUMNS] = {
	[SLOW] = { "slowest, total", 14, true, 2 },
	[REST] = { "the rest", 11, true, 4 },
	[MORE] = { "difference", 12, true, 1 },
	[UNEXPECTED] = { "unexpected", 12, true, 0 },
	[BAR] = { "", BAR_WIDTH, false, 3 },
	[NAME] = { "function", 0, false, 0 },
};

struct candidate {
	uint32_t name;
	double excess;
};

struct compare {
	struct candidate *candidates; /* candidates, the largest excess first */
	size_t n_candidates, at;
	uint32_t name; /* name of the compared marks, plus 1 */
	unsigned share;
	struct syc_slow_marks slow_marks;
	bool is_known, by_total, has_begun;
	char error[200];
	struct syc_list list;
	struct syc_columns columns;
};

static int by_excess(const void *one, const void *other)
{
	const struct candidate *a = one, *b = other;

	if (a->excess != b->excess)
		return a->excess > b->excess ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* Approximate excess of the slowest 1 % over as many usual marks. */
static double excess(const struct syc_mark_row *row)
{
	const double n = ceil((double)row->count / 100);
	const double slow = ((double)row->sums.p99 + (double)row->sums.max) / 2;

	return row->count < MARKS_LEAST ? -1 / (1 + (double)row->sums.total)
	                                : n * (slow - (double)row->sums.median);
}

static int find_candidates(struct compare *compare,
                           const struct syc_page_context *context)
{
	struct syc_mark_table table = { 0 };
	int r = syc_mark_table_make(&table, context->source->profile,
	                            context->view);

	free(compare->candidates);
	compare->n_candidates = 0;
	compare->candidates =
		calloc(table.n_rows + 1, sizeof(*compare->candidates));
	if (r == 0 && compare->candidates == NULL)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && i < table.n_rows; i++)
		compare->candidates[compare->n_candidates++] =
			(struct candidate){ table.rows[i].name,
			                    excess(&table.rows[i]) };
	syc_mark_table_fini(&table);
	if (compare->n_candidates > 0)
		qsort(compare->candidates, compare->n_candidates,
		      sizeof(*compare->candidates), by_excess);
	return r;
}

static double more_of(const struct compare *compare,
                      const struct syc_slow_marks_row *row)
{
	return compare->by_total ? row->slow_total - row->rest_total
	                         : row->slow_self - row->rest_self;
}

static double unexpected_of(const struct compare *compare,
                            const struct syc_slow_marks_row *row)
{
	return compare->by_total
	               ? syc_slow_marks_unexpected(&compare->slow_marks,
	                                           row->slow_total,
	                                           row->rest_total)
	               : syc_slow_marks_unexpected(&compare->slow_marks,
	                                           row->slow_self,
	                                           row->rest_self);
}

static int by_unexpected(const void *one, const void *other, void *data)
{
	const struct syc_slow_marks_row *a = one, *b = other;
	double left = unexpected_of(data, a), right = unexpected_of(data, b);

	if (left == right) {
		left = more_of(data, a);
		right = more_of(data, b);
	}
	if (left != right)
		return left > right ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static void sort(struct compare *compare)
{
	if (compare->slow_marks.rows.n > 0)
		qsort_r(compare->slow_marks.rows.items,
		        compare->slow_marks.rows.n,
		        sizeof(struct syc_slow_marks_row), by_unexpected,
		        compare);
	compare->list.chosen = 0;
}

static void look(struct compare *compare,
                 const struct syc_page_context *context)
{
	struct syscap_error error = { 0 };
	int r = syc_source_settle(context->source);

	if (r == 0)
		r = syc_slow_marks_find(
			&compare->slow_marks, context->source->profile,
			syc_page_context_filter(context),
			syc_page_context_mark_name(context, compare->name - 1),
			shares[compare->share], &error);
	snprintf(compare->error, sizeof(compare->error), "%s",
	         r == 0         ? ""
	         : r == -EINVAL ? error.message
	                        : "out of memory");
	sort(compare);
	compare->is_known = true;
}

static int renew(void *state, struct syc_page_context *context)
{
	struct compare *compare = state;
	const int r = find_candidates(compare, context);

	if (!compare->has_begun)
		compare->share = 1;
	compare->has_begun = true;
	compare->is_known = false;
	return r;
}

/* Select the marks of a click on another page, or the most suspicious marks. */
static void settle(struct compare *compare, struct syc_page_context *context)
{
	if (context->about_name != NONE) {
		compare->is_known &= compare->name == context->about_name + 1;
		compare->name = context->about_name + 1;
		context->about_name = NONE;
	}
	if (compare->name == 0 && compare->n_candidates > 0)
		compare->name = compare->candidates[0].name + 1;
	for (size_t i = 0; i < compare->n_candidates; i++)
		if (compare->candidates[i].name + 1 == compare->name)
			compare->at = i;
	if (!compare->is_known && compare->name > 0)
		look(compare, context);
}

static void draw_row(const struct compare *compare,
                     struct syc_page_context *context,
                     const struct syc_slow_marks_row *row, int y,
                     bool is_chosen, double most)
{
	const struct syc_columns *at = &compare->columns;
	const struct syc_style style = syc_cells_begin(context, y, is_chosen);
	const double more = more_of(compare, row);
	const double unexpected = unexpected_of(compare, row);
	const struct syc_style colour = is_chosen        ? style
	                                : unexpected > 0 ? SYC_STYLE_MORE
	                                : unexpected < 0 ? SYC_STYLE_LESS
	                                                 : SYC_STYLE_PLAIN;
	char text[SYC_FIGURE];

	slow_marks_figure(&compare->slow_marks, context, text,
	                  compare->by_total ? row->slow_total : row->slow_self);
	syc_columns_put(at, context->grid, SLOW, y, text, style);
	slow_marks_figure(&compare->slow_marks, context, text,
	                  compare->by_total ? row->rest_total : row->rest_self);
	syc_columns_put(at, context->grid, REST, y, text, style);
	slow_marks_figure_more(&compare->slow_marks, context, text, more);
	syc_columns_put(at, context->grid, MORE, y, text, style);
	slow_marks_figure_more(&compare->slow_marks, context, text, unexpected);
	syc_columns_put(at, context->grid, UNEXPECTED, y, text, colour);
	if (at->width[BAR] > 0 && most > 0)
		syc_grid_fill(context->grid, at->x[BAR], y,
		              (int)(fabs(unexpected) / most * BAR_WIDTH + 0.5),
		              0x2588, colour);
	if (row->function == NONE)
		syc_grid_put(context->grid, at->x[NAME], y, at->width[NAME],
		             "(waiting: not on the processor)", style);
	else
		syc_page_context_put_function(context, at->x[NAME], y,
		                              at->width[NAME], row->function,
		                              style);
}

static void draw(void *state, struct syc_page_context *context)
{
	struct compare *compare = state;
	struct syc_list *list = &compare->list;
	const struct syc_slow_marks *slow_marks = &compare->slow_marks;
	double most = 0;
	int y;

	settle(compare, context);
	if (compare->name == 0 || compare->error[0] != 0) {
		syc_page_context_show_none(context, compare->name == 0
		                                            ? "no marks"
		                                            : compare->error);
		return;
	}
	y = slow_marks_draw(
		slow_marks, context,
		syc_page_context_mark_name(context, compare->name - 1),
		shares[compare->share]);
	syc_columns_fit(&compare->columns,
	                compare->by_total ? total_columns : self_columns,
	                N_COLUMNS, context);
	syc_columns_titles(&compare->columns, context->grid, y, UNEXPECTED,
	                   false);
	syc_list_fit(list, slow_marks->rows.n, y + 1, context->bottom - y - 1);
	for (size_t i = 0; i < slow_marks->rows.n; i++)
		most = fmax(most,
		            fabs(unexpected_of(compare,
		                               &slow_marks->rows.items[i])));
	for (int i = 0; i < syc_list_lines(list); i++) {
		const size_t row = list->top + (size_t)i;

		draw_row(compare, context, &slow_marks->rows.items[row],
		         list->y + i, row == list->chosen, most);
	}
	syc_page_context_say(
		context,
		"means of one mark · marks %zu of %zu by how much the "
		"slowest stand out",
		compare->at + 1, compare->n_candidates);
}

static void step_candidate(struct compare *compare, int by)
{
	const size_t n = compare->n_candidates;

	if (n == 0)
		return;
	compare->at = (compare->at + n + (size_t)by) % n;
	compare->name = compare->candidates[compare->at].name + 1;
	compare->is_known = false;
}

static void step_share(struct compare *compare, int by)
{
	if ((by < 0 && compare->share > 0) ||
	    (by > 0 && compare->share + 1 < N_SHARES)) {
		compare->share += (unsigned)by;
		compare->is_known = false;
	}
}

static bool take_letter(struct compare *compare,
                        struct syc_page_context *context, uint32_t letter)
{
	if (letter == 's') {
		compare->by_total = !compare->by_total;
		sort(compare);
	} else if (letter == '+' || letter == '-') {
		step_share(compare, letter == '+' ? 1 : -1);
	} else if (letter == 'h' || letter == 'l') {
		step_candidate(compare, letter == 'h' ? -1 : 1);
	} else if (letter == 'f' && compare->name > 0) {
		if (syc_page_context_look_inside(context, compare->name - 1,
		                                 shares[compare->share]) == 0)
			context->wants_page = SYC_PAGE_FLAME;
	} else {
		return false;
	}
	return true;
}

static bool take(void *state, struct syc_page_context *context,
                 const struct syc_input_event *event)
{
	struct compare *compare = state;

	settle(compare, context);
	if (syc_list_take(&compare->list, event) != SYC_LIST_NOTHING)
		return true;
	if (event->key == SYC_KEY_LEFT || event->key == SYC_KEY_RIGHT)
		step_candidate(compare, event->key == SYC_KEY_LEFT ? -1 : 1);
	else if (event->key == SYC_KEY_ENTER)
		return take_letter(compare, context, 'f');
	else if (event->key == SYC_KEY_CHARACTER)
		return take_letter(compare, context, event->point);
	else
		return false;
	return true;
}

static enum syc_search_match find(void *state, struct syc_page_context *context,
                                  int direction)
{
	struct compare *compare = state;
	const size_t n = compare->slow_marks.rows.n;
	size_t row = compare->list.chosen;

	for (size_t i = 0; i < n; i++) {
		row = (row + n + (size_t)direction) % n;
		if (compare->slow_marks.rows.items[row].function != NONE &&
		    syc_page_context_is_match(
			    context,
			    compare->slow_marks.rows.items[row].function)) {
			compare->list.chosen = row;
			return context->match;
		}
	}
	return SYC_SEARCH_NONE;
}

static void fini(void *state)
{
	struct compare *compare = state;

	free(compare->candidates);
	syc_slow_marks_fini(&compare->slow_marks);
}

const struct syc_view_page syc_compare_page = {
	.name = "compare",
	.hints = "←→ other marks  + - more or fewer of them  s self, total  "
		 "Enter flame graph of the slowest",
	.size = sizeof(struct compare),
	.renew = renew,
	.draw = draw,
	.take = take,
	.find = find,
	.fini = fini,
};
