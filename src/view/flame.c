/* SPDX-License-Identifier: BSD-2-Clause */
/* flame.c - the flame graph: the outermost on top, with one of its boxes chosen,
 * and one that all the width is for. */
#include <stdio.h>

#include "view/box.h"
#include "view/flame_boxes.h"
#include "view/page.h"

#define NONE SYSCAP_PROFILE_NONE
#define MANY 0x2506u

struct flame {
	struct syc_branches branches;
	uint32_t zoomed, chosen; /* nodes */
	/* The functions on the way there, for when nodes are others. */
	SYC_ARRAY(uint32_t) zoomed_path;
	SYC_ARRAY(uint32_t) chosen_path;
	struct syc_flame_boxes boxes; /* as they were drawn */
	int scrolled;
	uint64_t found; /* of match_number */
	unsigned match_number;
};

/* The way to the node, outermost first. */
static int keep_path(const struct syscap_view *view, uint32_t node,
                     uint32_t **items, size_t *n, size_t *capacity)
{
	const size_t depth = (size_t)syc_flame_boxes_depth(view, node);

	while (*capacity < depth)
		if (syc_array_grow(items, capacity, sizeof(**items)) < 0)
			return -ENOMEM;
	*n = depth;
	for (size_t i = depth; i-- > 0; node = view->parents[node])
		(*items)[i] = view->functions[node];
	return 0;
}

/* As far along it as there is. */
static uint32_t follow(const struct flame *flame,
                       const struct syscap_view *view, const uint32_t *path,
                       size_t n)
{
	uint32_t node = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t next = syc_branches_find(&flame->branches, view,
		                                        node, path[i]);

		if (next == NONE)
			break;
		node = next;
	}
	return node;
}

static void choose(struct flame *flame, struct syc_desk *desk, uint32_t node)
{
	flame->chosen = node;
	if (keep_path(desk->view, node, &flame->chosen_path.items,
	              &flame->chosen_path.n, &flame->chosen_path.capacity) < 0)
		flame->chosen_path.n = 0;
}

static void zoom(struct flame *flame, struct syc_desk *desk, uint32_t node)
{
	flame->zoomed = node;
	flame->scrolled = 0;
	if (keep_path(desk->view, node, &flame->zoomed_path.items,
	              &flame->zoomed_path.n, &flame->zoomed_path.capacity) < 0)
		flame->zoomed_path.n = 0;
}

static int renew(void *state, struct syc_desk *desk)
{
	struct flame *flame = state;
	const int r = syc_branches_renew(&flame->branches,
	                                 desk->source->profile, desk->view);

	if (r < 0)
		return r;
	flame->boxes.array.n = 0;
	flame->zoomed = follow(flame, desk->view, flame->zoomed_path.items,
	                       flame->zoomed_path.n);
	flame->chosen = follow(flame, desk->view, flame->chosen_path.items,
	                       flame->chosen_path.n);
	return 0;
}

static void draw_box(const struct flame *flame, struct syc_desk *desk,
                     const struct syc_flame_box *box)
{
	const int y = desk->top + box->row - flame->scrolled;
	const int x = box->x, width = box->width;

	if (y < desk->top || y >= desk->bottom)
		return;
	if (box->node == NONE) {
		char text[32];

		syc_grid_fill(desk->grid, x, y, width, MANY, SYC_STYLE_QUIET);
		snprintf(text, sizeof(text), "…%u smaller", box->n_narrow);
		if (width >= 12)
			syc_grid_put(desk->grid, x + 1, y, width - 1, text,
			             SYC_STYLE_QUIET);
		return;
	}
	syc_box_draw(desk, x, y, width, box->node, box->node == flame->chosen);
}

/* What the search found, once however it is nested. */
static uint64_t add_up_found(const struct syc_desk *desk)
{
	const struct syscap_view *view = desk->view;
	unsigned char *inside = calloc(view->n_nodes + 1, 1);
	uint64_t sum = 0;

	if (inside == NULL)
		return 0;
	for (uint32_t i = 1; i < view->n_nodes; i++) {
		inside[i] = inside[view->parents[i]];
		if (inside[i] == 0 &&
		    syc_desk_is_match(desk, view->functions[i])) {
			inside[i] = 1;
			sum += view->totals[i];
		}
	}
	free(inside);
	return sum;
}

static void say(struct flame *flame, struct syc_desk *desk)
{
	const struct syscap_view *view = desk->view;
	const uint32_t node = flame->chosen;
	const struct syscap_profile_function *function =
		syc_desk_function(desk, node);
	char total[SYC_FIGURE], share[SYC_FIGURE], self[SYC_FIGURE];
	char match[2 * SYC_FIGURE] = "", source[256];

	syc_figures_amount(total, view->unit, view->totals[node],
	                   desk->is_exact);
	syc_figures_amount(self, view->unit, view->selfs[node], desk->is_exact);
	syc_figures_share(share, view->totals[node], view->total);
	if (desk->search.pattern[0] != 0) {
		char part[SYC_FIGURE];

		if (flame->match_number != desk->match_number)
			flame->found = add_up_found(desk);
		flame->match_number = desk->match_number;
		syc_figures_share(part, flame->found, view->total);
		snprintf(match, sizeof(match), "%s found · ", part);
	}
	syc_desk_source(desk, view->functions[node], source, sizeof(source));
	syc_desk_say(desk, "%s%s  %s · self %s · %s%s%s%s", match, total, share,
	             self, node == 0 ? "all" : function->name,
	             function->binary[0] != 0 ? "  " : "", function->binary,
	             source);
}

static void draw(void *state, struct syc_desk *desk)
{
	struct flame *flame = state;
	const int height = desk->bottom - desk->top;
	int row, deepest = 0;

	if (desk->view->total == 0) {
		syc_desk_show_none(desk, desk->view->n_looked == 0
		                                 ? "no samples"
		                                 : "no samples pass");
		return;
	}
	if (syc_flame_boxes_place(&flame->boxes, desk->view, &flame->branches,
	                          flame->zoomed, desk->grid->width) < 0)
		return;
	for (size_t i = 0; i < flame->boxes.array.n; i++)
		deepest = flame->boxes.array.items[i].row > deepest
		                  ? flame->boxes.array.items[i].row
		                  : deepest;
	row = syc_flame_boxes_depth(desk->view, flame->chosen);
	if (row > deepest)
		row = deepest;
	if (row < flame->scrolled)
		flame->scrolled = row;
	if (row >= flame->scrolled + height)
		flame->scrolled = row - height + 1;
	for (size_t i = 0; i < flame->boxes.array.n; i++)
		draw_box(flame, desk, &flame->boxes.array.items[i]);
	say(flame, desk);
}

/* The frame beside the chosen one in its row. */
static void move_sideways(struct flame *flame, struct syc_desk *desk,
                          int direction)
{
	const struct syc_flame_box *boxes = flame->boxes.array.items;
	size_t at = 0;

	while (at < flame->boxes.array.n && boxes[at].node != flame->chosen)
		at++;
	for (size_t i = at + (size_t)direction;
	     at < flame->boxes.array.n && i < flame->boxes.array.n &&
	     boxes[i].row == boxes[at].row;
	     i += (size_t)direction)
		if (boxes[i].node != NONE) {
			choose(flame, desk, boxes[i].node);
			return;
		}
}

static void move_down(struct flame *flame, struct syc_desk *desk)
{
	const struct syc_branches *branches = &flame->branches;

	if (branches->begins[flame->chosen] <
	    branches->begins[flame->chosen + 1])
		choose(flame, desk,
		       branches->nodes[branches->begins[flame->chosen]]);
}

static bool click(struct flame *flame, struct syc_desk *desk,
                  const struct syc_input_event *event)
{
	const int row = event->y - desk->top + flame->scrolled;

	if (event->y < desk->top || event->y >= desk->bottom)
		return false;
	for (size_t i = 0; i < flame->boxes.array.n; i++) {
		const struct syc_flame_box *box = &flame->boxes.array.items[i];

		if (box->row != row || box->node == NONE || event->x < box->x ||
		    event->x >= box->x + box->width)
			continue;
		if (box->node == flame->chosen)
			zoom(flame, desk, box->node);
		choose(flame, desk, box->node);
		return true;
	}
	return false;
}

/* All but those of whom it is a callee, and its callees. */
static bool is_below(const struct syscap_view *view, uint32_t node,
                     uint32_t top)
{
	while (node > top)
		node = view->parents[node];
	return node == top;
}

static bool back(struct flame *flame, struct syc_desk *desk)
{
	if (flame->zoomed == 0)
		return false;
	zoom(flame, desk, 0);
	return true;
}

static bool take_letter(struct flame *flame, struct syc_desk *desk,
                        uint32_t letter)
{
	const uint32_t function = desk->view->functions[flame->chosen];

	if (letter == 'k')
		choose(flame, desk,
		       flame->chosen == 0 ? 0
		                          : desk->view->parents[flame->chosen]);
	else if (letter == 'j')
		move_down(flame, desk);
	else if (letter == 'h' || letter == 'l')
		move_sideways(flame, desk, letter == 'h' ? -1 : 1);
	else if (flame->chosen == 0)
		return false;
	else if (letter == 'f')
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
	struct flame *flame = state;
	const uint32_t parent = desk->view->parents[flame->chosen];

	switch (event->key) {
	case SYC_KEY_UP:
		if (flame->chosen != 0)
			choose(flame, desk, parent);
		break;
	case SYC_KEY_DOWN:
		move_down(flame, desk);
		break;
	case SYC_KEY_LEFT:
	case SYC_KEY_RIGHT:
		move_sideways(flame, desk, event->key == SYC_KEY_LEFT ? -1 : 1);
		break;
	case SYC_KEY_WHEEL_UP:
		return take_letter(flame, desk, 'k');
	case SYC_KEY_WHEEL_DOWN:
		return take_letter(flame, desk, 'j');
	case SYC_KEY_HOME:
		choose(flame, desk, 0);
		break;
	case SYC_KEY_ENTER:
		zoom(flame, desk, flame->chosen);
		break;
	case SYC_KEY_CLICK:
		return click(flame, desk, event);
	case SYC_KEY_BACKSPACE:
		return back(flame, desk);
	case SYC_KEY_CHARACTER:
		return take_letter(flame, desk, event->point);
	default:
		return false;
	}
	return true;
}

/* In the order of the screen among what is drawn; else anywhere. */
static void find(void *state, struct syc_desk *desk, int direction)
{
	struct flame *flame = state;
	const struct syscap_view *view = desk->view;
	const size_t n = view->n_nodes;
	uint32_t node = flame->chosen;

	for (size_t i = 1; i < n; i++) {
		node = direction > 0 ? (node + 1 < n ? node + 1 : 1)
		                     : (node > 1 ? node - 1 : (uint32_t)n - 1);
		if (!syc_desk_is_match(desk, view->functions[node]))
			continue;
		if (!is_below(view, node, flame->zoomed))
			zoom(flame, desk, 0);
		choose(flame, desk, node);
		return;
	}
}

static void fini(void *state)
{
	struct flame *flame = state;

	syc_branches_fini(&flame->branches);
	free(flame->zoomed_path.items);
	free(flame->chosen_path.items);
	free(flame->boxes.array.items);
}

const struct syc_view_page syc_flame_page = {
	.name = "flame",
	.hints = "←↑↓→ move  Enter zoom  Backspace back  / search  f with  x "
		 "without  z below  r turn",
	.size = sizeof(struct flame),
	.renew = renew,
	.draw = draw,
	.take = take,
	.find = find,
	.fini = fini,
};
