/* SPDX-License-Identifier: BSD-2-Clause */
/* neighbours.c - one function between its callers and its callees. */
#include "view/neighbours.h"

#include <stdlib.h>

#include "view/cells.h"

static const struct syc_column columns[] = {
	{ "total", 14, true, 1 },
	{ "", 7, true, 0 },
	{ "", 6, false, 1 },
	{ "function", 0, false, 0 },
};

void syc_neighbours_fini(struct syc_neighbours *neighbours)
{
	free(neighbours->path.items);
	syc_around_fini(&neighbours->around);
}

int syc_neighbours_renew(struct syc_neighbours *neighbours,
                         struct syc_desk *desk)
{
	const size_t n = neighbours->path.n;

	if (n == 0)
		return 0;
	return syc_around_find(&neighbours->around, desk->source->profile,
	                       desk->view, neighbours->path.items[n - 1]);
}

void syc_neighbours_enter(struct syc_neighbours *neighbours,
                          struct syc_desk *desk, uint32_t function)
{
	const size_t n = neighbours->path.n;

	if ((n > 0 && neighbours->path.items[n - 1] == function) ||
	    syc_array_push(&neighbours->path, function) < 0)
		return;
	if (syc_neighbours_renew(neighbours, desk) < 0)
		neighbours->path.n--;
	neighbours->list.chosen = neighbours->around.callers.n;
	neighbours->list.top = 0;
}

bool syc_neighbours_back(struct syc_neighbours *neighbours,
                         struct syc_desk *desk)
{
	if (neighbours->path.n == 0)
		return false;
	neighbours->path.n--;
	if (syc_neighbours_renew(neighbours, desk) < 0)
		neighbours->path.n = 0;
	neighbours->list.chosen = neighbours->around.callers.n;
	return true;
}

/* Row @row of callers, the function itself, callees. */
static uint32_t neighbour_at(const struct syc_neighbours *neighbours,
                             size_t row, uint64_t *ret_amount,
                             const char **ret_what)
{
	const struct syc_around *around = &neighbours->around;
	const struct syc_neighbour *neighbour;

	if (row == around->callers.n) {
		*ret_amount = around->self;
		*ret_what = "self";
		return neighbours->path.items[neighbours->path.n - 1];
	}
	neighbour =
		row < around->callers.n
			? &around->callers.items[row]
			: &around->callees.items[row - around->callers.n - 1];
	*ret_amount = neighbour->amount;
	*ret_what = row < around->callers.n ? "from" : "to";
	return neighbour->function;
}

uint32_t syc_neighbours_chosen(const struct syc_neighbours *neighbours)
{
	uint64_t amount;
	const char *what;

	return neighbour_at(neighbours, neighbours->list.chosen, &amount,
	                    &what);
}

static void draw_row(struct syc_neighbours *neighbours, struct syc_desk *desk,
                     size_t row, int y)
{
	const struct syc_columns *at = &neighbours->columns;
	struct syc_style style =
		syc_cells_begin(desk, y, row == neighbours->list.chosen);
	uint64_t amount;
	const char *what;
	const uint32_t function = neighbour_at(neighbours, row, &amount, &what);

	if (row == neighbours->around.callers.n)
		style.attributes |= SYC_BOLD;
	syc_cells_put_amount(at, desk, y, 0, amount, neighbours->around.total,
	                     style);
	syc_columns_put(at, desk->grid, 2, y, what, style);
	if (function == SYSCAP_FUNCTION_ROOT)
		syc_grid_put(desk->grid, at->x[3], y, at->width[3],
		             "(outermost)", style);
	else
		syc_desk_put_function(desk, at->x[3], y, at->width[3], function,
		                      style);
}

void syc_neighbours_draw(struct syc_neighbours *neighbours,
                         struct syc_desk *desk)
{
	const struct syc_around *around = &neighbours->around;
	struct syc_list *list = &neighbours->list;
	const uint32_t function =
		neighbours->path.items[neighbours->path.n - 1];
	char total[SYC_FIGURE], share[SYC_FIGURE], source[256];

	syc_columns_fit(&neighbours->columns, columns, 4, desk->grid->width);
	syc_columns_titles(&neighbours->columns, desk->grid, desk->top, -1,
	                   false);
	syc_list_fit(list, around->callers.n + 1 + around->callees.n,
	             desk->top + 1, desk->bottom - desk->top - 1);
	for (int i = 0; i < syc_list_lines(list); i++)
		draw_row(neighbours, desk, list->top + (size_t)i, list->y + i);
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
