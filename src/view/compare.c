/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare.c - what is different inside the slowest marks of a name.
 *
 * It begins with the name whose slowest marks took most time that the others
 * did not take.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/cells.h"
#include "view/inside_draw.h"
#include "view/list.h"
#include "view/mark_table.h"
#include "view/page.h"

#define NONE SYSCAP_PROFILE_NONE

/* Of fewer marks there are no slow ones. */
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
	struct candidate *candidates; /* the most first */
	size_t n_candidates, at;
	uint32_t name; /* of marks, plus 1 */
	unsigned share;
	struct syc_inside inside;
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

/* What the slowest 1 % took more than as many usual ones, about. */
static double excess(const struct syc_mark_row *row)
{
	const double n = ceil((double)row->count / 100);
	const double slow = ((double)row->p99 + (double)row->max) / 2;

	return row->count < MARKS_LEAST ? -1 / (1 + (double)row->total)
	                                : n * (slow - (double)row->median);
}

static int find_candidates(struct compare *compare, const struct syc_desk *desk)
{
	struct syc_mark_table table = { 0 };
	int r = syc_mark_table_make(&table, desk->source->profile, desk->view);

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
                      const struct syc_inside_row *row)
{
	return compare->by_total ? row->slow_total - row->rest_total
	                         : row->slow_self - row->rest_self;
}

static double unexpected_of(const struct compare *compare,
                            const struct syc_inside_row *row)
{
	return compare->by_total
	               ? syc_inside_unexpected(&compare->inside,
	                                       row->slow_total, row->rest_total)
	               : syc_inside_unexpected(&compare->inside, row->slow_self,
	                                       row->rest_self);
}

static int by_unexpected(const void *one, const void *other, void *data)
{
	const struct syc_inside_row *a = one, *b = other;
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
	if (compare->inside.rows.n > 0)
		qsort_r(compare->inside.rows.items, compare->inside.rows.n,
		        sizeof(struct syc_inside_row), by_unexpected, compare);
	compare->list.chosen = 0;
}

static void look(struct compare *compare, const struct syc_desk *desk)
{
	struct syscap_error error = { 0 };
	int r = syc_source_settle(desk->source);

	if (r == 0)
		r = syc_inside_find(&compare->inside, desk->source->profile,
		                    syc_desk_filter(desk),
		                    syc_desk_mark_name(desk, compare->name - 1),
		                    shares[compare->share], &error);
	snprintf(compare->error, sizeof(compare->error), "%s",
	         r == 0         ? ""
	         : r == -EINVAL ? error.message
	                        : "out of memory");
	sort(compare);
	compare->is_known = true;
}

static int renew(void *state, struct syc_desk *desk)
{
	struct compare *compare = state;
	const int r = find_candidates(compare, desk);

	if (!compare->has_begun)
		compare->share = 1;
	compare->has_begun = true;
	compare->is_known = false;
	return r;
}

/* Which marks, by a click elsewhere or as the most suspicious. */
static void settle(struct compare *compare, struct syc_desk *desk)
{
	if (desk->about_name != NONE) {
		compare->is_known &= compare->name == desk->about_name + 1;
		compare->name = desk->about_name + 1;
		desk->about_name = NONE;
	}
	if (compare->name == 0 && compare->n_candidates > 0)
		compare->name = compare->candidates[0].name + 1;
	for (size_t i = 0; i < compare->n_candidates; i++)
		if (compare->candidates[i].name + 1 == compare->name)
			compare->at = i;
	if (!compare->is_known && compare->name > 0)
		look(compare, desk);
}

static void draw_row(const struct compare *compare, struct syc_desk *desk,
                     const struct syc_inside_row *row, int y, bool is_chosen,
                     double most)
{
	const struct syc_columns *at = &compare->columns;
	const struct syc_style style = syc_cells_begin(desk, y, is_chosen);
	const double more = more_of(compare, row);
	const double unexpected = unexpected_of(compare, row);
	const struct syc_style colour = is_chosen        ? style
	                                : unexpected > 0 ? SYC_STYLE_MORE
	                                : unexpected < 0 ? SYC_STYLE_LESS
	                                                 : SYC_STYLE_PLAIN;
	char text[SYC_FIGURE];

	syc_inside_figure(&compare->inside, desk, text,
	                  compare->by_total ? row->slow_total : row->slow_self);
	syc_columns_put(at, desk->grid, SLOW, y, text, style);
	syc_inside_figure(&compare->inside, desk, text,
	                  compare->by_total ? row->rest_total : row->rest_self);
	syc_columns_put(at, desk->grid, REST, y, text, style);
	syc_inside_figure_more(&compare->inside, desk, text, more);
	syc_columns_put(at, desk->grid, MORE, y, text, style);
	syc_inside_figure_more(&compare->inside, desk, text, unexpected);
	syc_columns_put(at, desk->grid, UNEXPECTED, y, text, colour);
	if (at->width[BAR] > 0 && most > 0)
		syc_grid_fill(desk->grid, at->x[BAR], y,
		              (int)(fabs(unexpected) / most * BAR_WIDTH + 0.5),
		              0x2588, colour);
	if (row->function == NONE)
		syc_grid_put(desk->grid, at->x[NAME], y, at->width[NAME],
		             "(waiting: not on the processor)", style);
	else
		syc_desk_put_function(desk, at->x[NAME], y, at->width[NAME],
		                      row->function, style);
}

static void draw(void *state, struct syc_desk *desk)
{
	struct compare *compare = state;
	struct syc_list *list = &compare->list;
	const struct syc_inside *inside = &compare->inside;
	double most = 0;
	int y;

	settle(compare, desk);
	if (compare->name == 0 || compare->error[0] != 0) {
		syc_desk_show_none(desk, compare->name == 0 ? "no marks"
		                                            : compare->error);
		return;
	}
	y = syc_inside_draw(inside, desk,
	                    syc_desk_mark_name(desk, compare->name - 1),
	                    shares[compare->share]);
	syc_columns_fit(&compare->columns,
	                compare->by_total ? total_columns : self_columns,
	                N_COLUMNS, desk->grid->width);
	syc_columns_titles(&compare->columns, desk->grid, y, UNEXPECTED, false);
	syc_list_fit(list, inside->rows.n, y + 1, desk->bottom - y - 1);
	for (size_t i = 0; i < inside->rows.n; i++)
		most = fmax(most, fabs(unexpected_of(compare,
		                                     &inside->rows.items[i])));
	for (int i = 0; i < syc_list_lines(list); i++) {
		const size_t row = list->top + (size_t)i;

		draw_row(compare, desk, &inside->rows.items[row], list->y + i,
		         row == list->chosen, most);
	}
	syc_desk_say(desk,
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

static bool take_letter(struct compare *compare, struct syc_desk *desk,
                        uint32_t letter)
{
	if (letter == 's') {
		compare->by_total = !compare->by_total;
		sort(compare);
	} else if (letter == '+' || letter == '-') {
		step_share(compare, letter == '+' ? 1 : -1);
	} else if (letter == 'h' || letter == 'l') {
		step_candidate(compare, letter == 'h' ? -1 : 1);
	} else if (letter == 'f' && compare->name > 0) {
		if (syc_desk_look_inside(desk, compare->name - 1,
		                         shares[compare->share]) == 0)
			desk->wants_page = SYC_PAGE_FLAME;
	} else {
		return false;
	}
	return true;
}

static bool take(void *state, struct syc_desk *desk,
                 const struct syc_input_event *event)
{
	struct compare *compare = state;

	settle(compare, desk);
	if (syc_list_take(&compare->list, event) != SYC_LIST_NOTHING)
		return true;
	if (event->key == SYC_KEY_LEFT || event->key == SYC_KEY_RIGHT)
		step_candidate(compare, event->key == SYC_KEY_LEFT ? -1 : 1);
	else if (event->key == SYC_KEY_ENTER)
		return take_letter(compare, desk, 'f');
	else if (event->key == SYC_KEY_CHARACTER)
		return take_letter(compare, desk, event->point);
	else
		return false;
	return true;
}

static void find(void *state, struct syc_desk *desk, int direction)
{
	struct compare *compare = state;
	const size_t n = compare->inside.rows.n;
	size_t row = compare->list.chosen;

	for (size_t i = 0; i < n; i++) {
		row = (row + n + (size_t)direction) % n;
		if (compare->inside.rows.items[row].function != NONE &&
		    syc_desk_is_match(
			    desk, compare->inside.rows.items[row].function)) {
			compare->list.chosen = row;
			return;
		}
	}
}

static void fini(void *state)
{
	struct compare *compare = state;

	free(compare->candidates);
	syc_inside_fini(&compare->inside);
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
