/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.c - functions with what they took, and of one of them who calls it
 * and what it calls, with itself between them.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/around.h"
#include "view/columns.h"
#include "view/list.h"
#include "view/page.h"

#define NONE SYSCAP_PROFILE_NONE

enum {
	SELF,
	SELF_SHARE,
	TOTAL,
	TOTAL_SHARE,
	NAME,
	N_COLUMNS
};

static const struct syc_column columns[N_COLUMNS] = {
	[SELF] = { "self", 14, true, 0 },
	[SELF_SHARE] = { "", 7, true, 3 },
	[TOTAL] = { "total", 14, true, 1 },
	[TOTAL_SHARE] = { "", 7, true, 2 },
	[NAME] = { "function", 0, false, 0 },
};

static const struct syc_column around_columns[] = {
	{ "total", 14, true, 1 },
	{ "", 7, true, 0 },
	{ "", 6, false, 1 },
	{ "function", 0, false, 0 },
};

struct functions {
	struct syscap_view_sum *sums; /* of the view, in order */
	size_t n;
	struct syc_list list;
	struct syc_columns columns;
	int sorted;
	bool is_up, was_sorted;
	/* One of them, and those before it; empty: all are shown. */
	SYC_ARRAY(uint32_t) path;
	struct syc_around around;
	struct syc_list around_list;
};

struct ordering {
	const struct functions *functions;
	const struct syscap_profile *profile;
};

static int compare(const void *one, const void *other, void *data)
{
	const struct syscap_view_sum *a = one, *b = other;
	const struct ordering *order = data;
	const struct syscap_profile_function *f, *g;
	int r = 0;

	if (order->functions->sorted == SELF)
		r = (a->self < b->self) - (a->self > b->self);
	else if (order->functions->sorted == TOTAL)
		r = (a->total < b->total) - (a->total > b->total);
	if (order->functions->is_up)
		r = -r;
	/* Only now: names are far apart. */
	if (r != 0)
		return r;
	f = syscap_profile_function(order->profile, a->function);
	g = syscap_profile_function(order->profile, b->function);
	r = strcmp(f->name, g->name);
	if (r == 0)
		r = strcmp(f->binary, g->binary);
	return order->functions->sorted == NAME && order->functions->is_up ? -r
	                                                                   : r;
}

static void order(void *state, struct syc_desk *desk)
{
	struct functions *functions = state;
	struct ordering by = { functions, desk->source->profile };

	if (functions->n > 0)
		qsort_r(functions->sums, functions->n, sizeof(*functions->sums),
		        compare, &by);
}

static int find_around(struct functions *functions, struct syc_desk *desk)
{
	const size_t n = functions->path.n;

	if (n == 0)
		return 0;
	return syc_around_find(&functions->around, desk->source->profile,
	                       desk->view, functions->path.items[n - 1]);
}

static int renew(void *state, struct syc_desk *desk)
{
	struct functions *functions = state;
	const size_t chosen = functions->list.chosen;
	const uint32_t before =
		chosen < functions->n ? functions->sums[chosen].function : NONE;
	const size_t n = desk->view->n_sums;
	struct syscap_view_sum *sums = calloc(n + 1, sizeof(*sums));

	if (sums == NULL)
		return -ENOMEM;
	memcpy(sums, desk->view->sums, n * sizeof(*sums));
	free(functions->sums);
	functions->sums = sums;
	functions->n = n;
	/* The view's are by self already. */
	if (functions->was_sorted)
		order(functions, desk);
	for (size_t i = 0; i < n && before != NONE && chosen != 0; i++)
		if (sums[i].function == before)
			functions->list.chosen = i;
	return find_around(functions, desk);
}

static void put_amounts(const struct functions *functions,
                        struct syc_desk *desk, int y, unsigned column,
                        uint64_t amount, uint64_t of, struct syc_style style)
{
	char text[SYC_FIGURE];

	syc_figures_amount(text, desk->view->unit, amount, desk->is_exact);
	syc_columns_put(&functions->columns, desk->grid, column, y, text,
	                style);
	syc_figures_share(text, amount, of);
	if ((style.attributes & SYC_REVERSE) == 0)
		style.attributes |= SYC_DIM;
	syc_columns_put(&functions->columns, desk->grid, column + 1, y, text,
	                style);
}

static struct syc_style begin_row(struct syc_desk *desk, int y, bool is_chosen)
{
	const struct syc_style style =
		is_chosen ? SYC_STYLE_CHOSEN : SYC_STYLE_PLAIN;

	syc_grid_fill(desk->grid, 0, y, desk->grid->width, ' ', style);
	return style;
}

static void draw_all(struct functions *functions, struct syc_desk *desk)
{
	struct syc_list *list = &functions->list;
	const struct syc_columns *at = &functions->columns;

	syc_columns_fit(&functions->columns, columns, N_COLUMNS,
	                desk->grid->width);
	syc_columns_titles(&functions->columns, desk->grid, desk->top,
	                   functions->sorted, functions->is_up);
	syc_list_fit(list, functions->n, desk->top + 1,
	             desk->bottom - desk->top - 1);
	for (int i = 0; i < syc_list_lines(list); i++) {
		const size_t row = list->top + (size_t)i;
		const struct syscap_view_sum *sum = &functions->sums[row];
		const struct syc_style style =
			begin_row(desk, list->y + i, row == list->chosen);

		put_amounts(functions, desk, list->y + i, SELF, sum->self,
		            desk->view->total, style);
		put_amounts(functions, desk, list->y + i, TOTAL, sum->total,
		            desk->view->total, style);
		syc_desk_put_function(desk, at->x[NAME], list->y + i,
		                      at->width[NAME], sum->function, style);
	}
	syc_desk_say(desk, "%zu of %zu functions · %s%s",
	             functions->n > 0 ? list->chosen + 1 : 0, functions->n,
	             syscap_view_unit_name(desk->view->unit),
	             desk->is_exact && desk->view->unit != SYSCAP_UNIT_TICKS &&
	                             desk->view->unit != SYSCAP_UNIT_BYTES
	                     ? " in ns"
	                     : "");
}

/* Row @row of callers, the function itself, callees. */
static uint32_t around_row(const struct functions *functions, size_t row,
                           uint64_t *ret_amount, const char **ret_what)
{
	const struct syc_around *around = &functions->around;
	const struct syc_neighbour *neighbour;

	if (row == around->callers.n) {
		*ret_amount = around->self;
		*ret_what = "self";
		return functions->path.items[functions->path.n - 1];
	}
	neighbour =
		row < around->callers.n
			? &around->callers.items[row]
			: &around->callees.items[row - around->callers.n - 1];
	*ret_amount = neighbour->amount;
	*ret_what = row < around->callers.n ? "from" : "to";
	return neighbour->function;
}

static void draw_around_row(struct functions *functions, struct syc_desk *desk,
                            size_t row, int y)
{
	const struct syc_columns *at = &functions->columns;
	struct syc_style style =
		begin_row(desk, y, row == functions->around_list.chosen);
	uint64_t amount;
	const char *what;
	const uint32_t function = around_row(functions, row, &amount, &what);

	if (row == functions->around.callers.n)
		style.attributes |= SYC_BOLD;
	put_amounts(functions, desk, y, 0, amount, functions->around.total,
	            style);
	syc_columns_put(at, desk->grid, 2, y, what, style);
	if (function == SYSCAP_FUNCTION_ROOT)
		syc_grid_put(desk->grid, at->x[3], y, at->width[3],
		             "(outermost)", style);
	else
		syc_desk_put_function(desk, at->x[3], y, at->width[3], function,
		                      style);
}

static void draw_around(struct functions *functions, struct syc_desk *desk)
{
	const struct syc_around *around = &functions->around;
	struct syc_list *list = &functions->around_list;
	const uint32_t function = functions->path.items[functions->path.n - 1];
	char total[SYC_FIGURE], share[SYC_FIGURE], source[256];

	syc_columns_fit(&functions->columns, around_columns, 4,
	                desk->grid->width);
	syc_columns_titles(&functions->columns, desk->grid, desk->top, -1,
	                   false);
	syc_list_fit(list, around->callers.n + 1 + around->callees.n,
	             desk->top + 1, desk->bottom - desk->top - 1);
	for (int i = 0; i < syc_list_lines(list); i++)
		draw_around_row(functions, desk, list->top + (size_t)i,
		                list->y + i);
	syc_figures_amount(total, desk->view->unit, around->total,
	                   desk->is_exact);
	syc_figures_share(share, around->total, desk->view->total);
	syc_desk_source(desk, function, source, sizeof(source));
	syc_desk_say(
		desk, "%s  %s · callers: %zu · callees: %zu · %s%s", total,
		share, around->callers.n, around->callees.n,
		syscap_profile_function(desk->source->profile, function)->name,
		source);
}

static void draw(void *state, struct syc_desk *desk)
{
	struct functions *functions = state;

	if (functions->n == 0)
		syc_desk_show_none(desk, "no samples");
	else if (functions->path.n > 0)
		draw_around(functions, desk);
	else
		draw_all(functions, desk);
}

/* What is chosen; NONE: nothing that is a function. */
static uint32_t chosen(const struct functions *functions)
{
	uint64_t amount;
	const char *what;

	if (functions->n == 0)
		return NONE;
	if (functions->path.n == 0)
		return functions->sums[functions->list.chosen].function;
	return around_row(functions, functions->around_list.chosen, &amount,
	                  &what);
}

static void enter(struct functions *functions, struct syc_desk *desk)
{
	const uint32_t function = chosen(functions);

	if (function == NONE || function == SYSCAP_FUNCTION_ROOT ||
	    (functions->path.n > 0 &&
	     functions->path.items[functions->path.n - 1] == function) ||
	    syc_array_push(&functions->path, function) < 0)
		return;
	if (find_around(functions, desk) < 0)
		functions->path.n--;
	functions->around_list.chosen = functions->around.callers.n;
	functions->around_list.top = 0;
}

static bool back(struct functions *functions, struct syc_desk *desk)
{
	if (functions->path.n == 0)
		return false;
	functions->path.n--;
	if (find_around(functions, desk) < 0)
		functions->path.n = 0;
	functions->around_list.chosen = functions->around.callers.n;
	return true;
}

static void sort_by(struct functions *functions, struct syc_desk *desk,
                    int column)
{
	if (column != SELF && column != TOTAL && column != NAME)
		return;
	functions->is_up = column == functions->sorted && !functions->is_up;
	functions->sorted = column;
	functions->was_sorted = true;
	desk->wants_order = true;
	functions->list.chosen = 0;
}

static bool take_letter(struct functions *functions, struct syc_desk *desk,
                        uint32_t letter)
{
	const uint32_t function = chosen(functions);

	if (letter == 's' && functions->path.n == 0) {
		functions->is_up = true; /* so that a new one goes down */
		sort_by(functions, desk,
		        functions->sorted == SELF    ? TOTAL
		        : functions->sorted == TOTAL ? NAME
		                                     : SELF);
		return true;
	}
	if (letter == 'S' && functions->path.n == 0) {
		sort_by(functions, desk, functions->sorted);
		return true;
	}
	if (function == NONE || function == SYSCAP_FUNCTION_ROOT)
		return false;
	if (letter == 'f')
		syc_desk_look(desk, SYC_LENS_WITH, function);
	else if (letter == 'x')
		syc_desk_look(desk, SYC_LENS_WITHOUT, function);
	else if (letter == 'z')
		syc_desk_look(desk, SYC_LENS_FOCUS, function);
	else
		return false;
	return true;
}

static bool take(void *state, struct syc_desk *desk,
                 const struct syc_input_event *event)
{
	struct functions *functions = state;
	struct syc_list *list = functions->path.n > 0 ? &functions->around_list
	                                              : &functions->list;
	int column = -1;

	if (event->key == SYC_KEY_CLICK && functions->path.n == 0)
		column = syc_columns_find(&functions->columns, event->x,
		                          event->y);
	if (column >= 0) {
		sort_by(functions, desk, column);
		return true;
	}
	switch (syc_list_take(list, event)) {
	case SYC_LIST_ENTERED:
		enter(functions, desk);
		return true;
	case SYC_LIST_MOVED:
		return true;
	case SYC_LIST_NOTHING:
		break;
	}
	if (event->key == SYC_KEY_ENTER)
		enter(functions, desk);
	else if (event->key == SYC_KEY_BACKSPACE)
		return back(functions, desk);
	else if (event->key == SYC_KEY_CHARACTER)
		return take_letter(functions, desk, event->point);
	else
		return false;
	return true;
}

static void find(void *state, struct syc_desk *desk, int direction)
{
	struct functions *functions = state;
	size_t row = functions->list.chosen;

	functions->path.n = 0;
	for (size_t i = 0; i < functions->n; i++) {
		row = (row + functions->n + (size_t)direction) % functions->n;
		if (!syc_desk_is_match(desk, functions->sums[row].function))
			continue;
		functions->list.chosen = row;
		return;
	}
}

static void fini(void *state)
{
	struct functions *functions = state;

	free(functions->sums);
	free(functions->path.items);
	syc_around_fini(&functions->around);
}

const struct syc_view_page syc_functions_page = {
	.name = "functions",
	.hints =
		"↑↓ move  Enter callers and callees  s sort  / search  f with  "
		"x without  z below  Backspace back",
	.size = sizeof(struct functions),
	.renew = renew,
	.order = order,
	.draw = draw,
	.take = take,
	.find = find,
	.fini = fini,
};
