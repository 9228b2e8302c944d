/* SPDX-License-Identifier: BSD-2-Clause */
/* functions.c - functions with what they took; or one of them, among those that
 * call it and that it calls. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/cells.h"
#include "view/neighbours.h"
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

struct functions {
	struct syscap_view_sum *sums; /* of the view, in order */
	size_t n;
	struct syc_list list;
	struct syc_columns columns;
	int sorted;
	bool is_up, was_sorted;
	struct syc_neighbours neighbours; /* of one of them, if there is one */
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
	return syc_neighbours_renew(&functions->neighbours, desk);
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
			syc_cells_begin(desk, list->y + i, row == list->chosen);

		syc_cells_put_amount(at, desk, list->y + i, SELF, sum->self,
		                     desk->view->total, style);
		syc_cells_put_amount(at, desk, list->y + i, TOTAL, sum->total,
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

static void draw(void *state, struct syc_desk *desk)
{
	struct functions *functions = state;

	if (functions->n == 0)
		syc_desk_show_none(desk, "no samples");
	else if (functions->neighbours.path.n > 0)
		syc_neighbours_draw(&functions->neighbours, desk);
	else
		draw_all(functions, desk);
}

/* What is chosen; NONE: nothing that is a function. */
static uint32_t chosen(const struct functions *functions)
{
	if (functions->n == 0)
		return NONE;
	if (functions->neighbours.path.n > 0)
		return syc_neighbours_chosen(&functions->neighbours);
	return functions->sums[functions->list.chosen].function;
}

static void enter(struct functions *functions, struct syc_desk *desk)
{
	const uint32_t function = chosen(functions);

	if (function != NONE && function != SYSCAP_FUNCTION_ROOT)
		syc_neighbours_enter(&functions->neighbours, desk, function);
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

	if (letter == 's' && functions->neighbours.path.n == 0) {
		functions->is_up = true; /* so that a new one goes down */
		sort_by(functions, desk,
		        functions->sorted == SELF    ? TOTAL
		        : functions->sorted == TOTAL ? NAME
		                                     : SELF);
		return true;
	}
	if (letter == 'S' && functions->neighbours.path.n == 0) {
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
	struct syc_list *list = functions->neighbours.path.n > 0
	                                ? &functions->neighbours.list
	                                : &functions->list;
	int column = -1;

	if (event->key == SYC_KEY_CLICK && functions->neighbours.path.n == 0)
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
		return syc_neighbours_back(&functions->neighbours, desk);
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

	functions->neighbours.path.n = 0;
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
	syc_neighbours_fini(&functions->neighbours);
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
