/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.c - the functions page: functions with their cost, or one function
 * between its callers and callees.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "view/call_tree.h"
#include "view/page_context.h"
#include "view/table.h"

/* All zero: no function is current. */
struct neighbours {
	SYC_ARRAY(uint32_t)
	path; /* the previous functions, and the current function */
	struct syc_function_calls calls;
	struct syc_list list;
	struct syc_columns columns;
};

static const struct syc_column neighbour_columns[] = {
	{ "total", 14, true, 1 },
	{ "", 7, true, 0 },
	{ "", 6, false, 1 },
	{ "function", 0, false, 0 },
};

static void neighbours_fini(struct neighbours *neighbours)
{
	free(neighbours->path.items);
	syc_function_calls_fini(&neighbours->calls);
}

/* Adapt to another view.  Returns 0 or -ENOMEM. */
static int neighbours_renew(struct neighbours *neighbours,
                            struct syc_page_context *context)
{
	const size_t n = neighbours->path.n;

	if (n == 0)
		return 0;
	return syc_function_calls_find(&neighbours->calls,
	                               context->source->profile, context->view,
	                               neighbours->path.items[n - 1]);
}

/* Go to @function, which is not the current function. */
static void neighbours_enter(struct neighbours *neighbours,
                             struct syc_page_context *context,
                             uint32_t function)
{
	const size_t n = neighbours->path.n;

	if ((n > 0 && neighbours->path.items[n - 1] == function) ||
	    syc_array_push(&neighbours->path, function) < 0)
		return;
	if (neighbours_renew(neighbours, context) < 0)
		neighbours->path.n--;
	neighbours->list.chosen = neighbours->calls.callers.n;
	neighbours->list.top = 0;
}

/* Go back to the previous function, or to the list.  Returns false if the page
 * shows the list. */
static bool neighbours_back(struct neighbours *neighbours,
                            struct syc_page_context *context)
{
	if (neighbours->path.n == 0)
		return false;
	neighbours->path.n--;
	if (neighbours_renew(neighbours, context) < 0)
		neighbours->path.n = 0;
	neighbours->list.chosen = neighbours->calls.callers.n;
	return true;
}

/* The function in row @row: callers, the function itself, callees. */
static uint32_t neighbour_at(const struct neighbours *neighbours, size_t row,
                             uint64_t *ret_amount, const char **ret_what)
{
	const struct syc_function_calls *calls = &neighbours->calls;
	const struct syc_neighbour *neighbour;

	if (row == calls->callers.n) {
		*ret_amount = calls->self;
		*ret_what = "self";
		return neighbours->path.items[neighbours->path.n - 1];
	}
	neighbour = row < calls->callers.n
	                    ? &calls->callers.items[row]
	                    : &calls->callees.items[row - calls->callers.n - 1];
	*ret_amount = neighbour->amount;
	*ret_what = row < calls->callers.n ? "from" : "to";
	return neighbour->function;
}

/* The selected function; ROOT: the row of outermost calls. */
static uint32_t neighbours_chosen(const struct neighbours *neighbours)
{
	uint64_t amount;
	const char *what;

	return neighbour_at(neighbours, neighbours->list.chosen, &amount,
	                    &what);
}

/* Write @amount into @column, and its share of @of into the next column. */
static void put_amount(const struct syc_columns *columns,
                       struct syc_page_context *context, int y, unsigned column,
                       uint64_t amount, uint64_t of, struct syc_style style)
{
	char text[SYC_FIGURE];

	syc_figures_amount(text, context->view->unit, amount,
	                   context->is_exact);
	syc_columns_put(columns, context->grid, column, y, text, style);
	syc_figures_share(text, amount, of);
	if ((style.attributes & SYC_REVERSE) == 0)
		style.attributes |= SYC_DIM;
	syc_columns_put(columns, context->grid, column + 1, y, text, style);
}

static void draw_row(struct neighbours *neighbours,
                     struct syc_page_context *context, size_t row, int y)
{
	const struct syc_columns *at = &neighbours->columns;
	struct syc_style style =
		syc_cells_begin(context, y, row == neighbours->list.chosen);
	uint64_t amount;
	const char *what;
	const uint32_t function = neighbour_at(neighbours, row, &amount, &what);

	if (row == neighbours->calls.callers.n)
		style.attributes |= SYC_BOLD;
	put_amount(at, context, y, 0, amount, neighbours->calls.total, style);
	syc_columns_put(at, context->grid, 2, y, what, style);
	if (function == SYSCAP_FUNCTION_ROOT)
		syc_grid_put(context->grid, at->x[3], y, at->width[3],
		             "(outermost)", style);
	else
		syc_page_context_put_function(context, at->x[3], y,
		                              at->width[3], function, style);
}

static void neighbours_draw(struct neighbours *neighbours,
                            struct syc_page_context *context)
{
	const struct syc_function_calls *calls = &neighbours->calls;
	struct syc_list *list = &neighbours->list;
	const uint32_t function =
		neighbours->path.items[neighbours->path.n - 1];
	char total[SYC_FIGURE], share[SYC_FIGURE], source[256];

	syc_columns_fit(&neighbours->columns, neighbour_columns, 4, context);
	syc_columns_titles(&neighbours->columns, context->grid, context->top,
	                   -1, false);
	syc_list_fit(list, calls->callers.n + 1 + calls->callees.n,
	             context->top + 1, context->bottom - context->top - 1);
	for (int i = 0; i < syc_list_lines(list); i++)
		draw_row(neighbours, context, list->top + (size_t)i,
		         list->y + i);
	syc_figures_amount(total, context->view->unit, calls->total,
	                   context->is_exact);
	syc_figures_share(share, calls->total, context->view->total);
	syc_page_context_source(context, function, source, sizeof(source));
	syc_page_context_say(
		context, "%s  %s · callers: %zu · callees: %zu · %s%s", total,
		share, calls->callers.n, calls->callees.n,
		syscap_profile_function(context->source->profile, function)
			->name,
		source);
}

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
	struct syscap_view_sum *sums; /* sums of the view, in order */
	size_t n;
	struct syc_list list;
	struct syc_columns columns;
	int sorted;
	bool is_up, was_sorted;
	struct neighbours neighbours; /* callers and callees of the selected
	                               * function */
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
	/* Compare names last, since names are far apart in memory. */
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

static void order(void *state, struct syc_page_context *context)
{
	struct functions *functions = state;
	struct ordering by = { functions, context->source->profile };

	if (functions->n > 0)
		qsort_r(functions->sums, functions->n, sizeof(*functions->sums),
		        compare, &by);
}

static int renew(void *state, struct syc_page_context *context)
{
	struct functions *functions = state;
	const size_t chosen = functions->list.chosen;
	const uint32_t before =
		chosen < functions->n ? functions->sums[chosen].function : NONE;
	const size_t n = context->view->n_sums;
	struct syscap_view_sum *sums = calloc(n + 1, sizeof(*sums));

	if (sums == NULL)
		return -ENOMEM;
	memcpy(sums, context->view->sums, n * sizeof(*sums));
	free(functions->sums);
	functions->sums = sums;
	functions->n = n;
	/* The view orders functions by self. */
	if (functions->was_sorted)
		order(functions, context);
	for (size_t i = 0; i < n && before != NONE && chosen != 0; i++)
		if (sums[i].function == before)
			functions->list.chosen = i;
	return neighbours_renew(&functions->neighbours, context);
}

static void draw_all(struct functions *functions,
                     struct syc_page_context *context)
{
	struct syc_list *list = &functions->list;
	const struct syc_columns *at = &functions->columns;

	syc_columns_fit(&functions->columns, columns, N_COLUMNS, context);
	syc_columns_titles(&functions->columns, context->grid, context->top,
	                   functions->sorted, functions->is_up);
	syc_list_fit(list, functions->n, context->top + 1,
	             context->bottom - context->top - 1);
	for (int i = 0; i < syc_list_lines(list); i++) {
		const size_t row = list->top + (size_t)i;
		const struct syscap_view_sum *sum = &functions->sums[row];
		const struct syc_style style = syc_cells_begin(
			context, list->y + i, row == list->chosen);

		put_amount(at, context, list->y + i, SELF, sum->self,
		           context->view->total, style);
		put_amount(at, context, list->y + i, TOTAL, sum->total,
		           context->view->total, style);
		syc_page_context_put_function(context, at->x[NAME], list->y + i,
		                              at->width[NAME], sum->function,
		                              style);
	}
	syc_page_context_say(
		context, "%zu of %zu functions · %s%s",
		functions->n > 0 ? list->chosen + 1 : 0, functions->n,
		syscap_view_unit_name(context->view->unit),
		context->is_exact && context->view->unit != SYSCAP_UNIT_TICKS &&
				context->view->unit != SYSCAP_UNIT_BYTES
			? " in ns"
			: "");
}

static void draw(void *state, struct syc_page_context *context)
{
	struct functions *functions = state;

	if (functions->n == 0)
		syc_page_context_show_no_samples(context);
	else if (functions->neighbours.path.n > 0)
		neighbours_draw(&functions->neighbours, context);
	else
		draw_all(functions, context);
}

/* The chosen function, or NONE. */
static uint32_t chosen(const struct functions *functions)
{
	if (functions->n == 0)
		return NONE;
	if (functions->neighbours.path.n > 0)
		return neighbours_chosen(&functions->neighbours);
	return functions->sums[functions->list.chosen].function;
}

static void enter(struct functions *functions, struct syc_page_context *context)
{
	const uint32_t function = chosen(functions);

	if (function != NONE && function != SYSCAP_FUNCTION_ROOT)
		neighbours_enter(&functions->neighbours, context, function);
}

static void sort_by(struct functions *functions,
                    struct syc_page_context *context, int column)
{
	if (column != SELF && column != TOTAL && column != NAME)
		return;
	functions->is_up = column == functions->sorted && !functions->is_up;
	functions->sorted = column;
	functions->was_sorted = true;
	context->wants_order = true;
	functions->list.chosen = 0;
}

static bool take_letter(struct functions *functions,
                        struct syc_page_context *context, uint32_t letter)
{
	const uint32_t function = chosen(functions);

	if (letter == 's' && functions->neighbours.path.n == 0) {
		functions->is_up = true; /* true, so that a new column sorts in
		                          * descending order */
		sort_by(functions, context,
		        functions->sorted == SELF    ? TOTAL
		        : functions->sorted == TOTAL ? NAME
		                                     : SELF);
		return true;
	}
	if (letter == 'S' && functions->neighbours.path.n == 0) {
		sort_by(functions, context, functions->sorted);
		return true;
	}
	if (function == NONE || function == SYSCAP_FUNCTION_ROOT)
		return false;
	if (letter == 'f')
		syc_page_context_look(context, SYC_LENS_WITH, function);
	else if (letter == 'x')
		syc_page_context_look(context, SYC_LENS_WITHOUT, function);
	else if (letter == 'z')
		syc_page_context_look(context, SYC_LENS_FOCUS, function);
	else
		return false;
	return true;
}

static bool take(void *state, struct syc_page_context *context,
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
		sort_by(functions, context, column);
		return true;
	}
	switch (syc_list_take(list, event)) {
	case SYC_LIST_ENTERED:
		enter(functions, context);
		return true;
	case SYC_LIST_MOVED:
		return true;
	case SYC_LIST_NOTHING:
		break;
	}
	if (event->key == SYC_KEY_ENTER)
		enter(functions, context);
	else if (event->key == SYC_KEY_BACKSPACE)
		return neighbours_back(&functions->neighbours, context);
	else if (event->key == SYC_KEY_CHARACTER)
		return take_letter(functions, context, event->point);
	else
		return false;
	return true;
}

static enum syc_search_match find(void *state, struct syc_page_context *context,
                                  int direction)
{
	struct functions *functions = state;
	size_t row = functions->list.chosen;

	functions->neighbours.path.n = 0;
	for (size_t i = 0; i < functions->n; i++) {
		row = (row + functions->n + (size_t)direction) % functions->n;
		if (!syc_page_context_is_match(context,
		                               functions->sums[row].function))
			continue;
		functions->list.chosen = row;
		return context->match;
	}
	return SYC_SEARCH_NONE;
}

static void fini(void *state)
{
	struct functions *functions = state;

	free(functions->sums);
	neighbours_fini(&functions->neighbours);
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
