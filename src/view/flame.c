/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame.c - the flame graph page.
 *
 * The outermost functions are on top.  The user chooses one box, and zooms one
 * box to the whole width.
 */
#include <errno.h>
#include <stdio.h>

#include "common/containers.h"
#include "view/call_tree.h"
#include "view/page_context.h"
#include "view/table.h"

struct flame_box {
	uint32_t node; /* node; NONE: callees too narrow to be drawn */
	int x, width, row;
	uint32_t n_narrow;
};

/* A zero-initialized struct is empty; the owner frees array.items. */
struct flame_boxes {
	SYC_ARRAY(struct flame_box) array; /* boxes, row by row */
};

#define NONE SYSCAP_PROFILE_NONE

/* Number of callers of the node, including the root. */
static int flame_boxes_depth(const struct syscap_view *view, uint32_t node)
{
	int depth = 0;

	for (; node != 0; node = view->parents[node])
		depth++;
	return depth;
}

static int add_box(struct flame_boxes *boxes, struct flame_box box)
{
	return box.width > 0 ? syc_array_push(&boxes->array, box) : 0;
}

/* Place the callees of @parent in the row below the row of @parent. */
static int place_callees(struct flame_boxes *boxes,
                         const struct syscap_view *view,
                         const struct syc_group *branches,
                         struct flame_box parent)
{
	const double scale =
		parent.width / (double)(view->totals[parent.node] > 0
	                                        ? view->totals[parent.node]
	                                        : 1);
	const uint32_t end = branches->begins[parent.node + 1];
	double sum = 0;
	int x = 0;

	for (uint32_t i = branches->begins[parent.node]; i < end; i++) {
		const uint32_t node = branches->rows[i];

		sum += (double)view->totals[node];
		int to = (int)(sum * scale + 1e-6);
		if (to > parent.width)
			to = parent.width;
		if (to - x < 1) {
			for (uint32_t k = i + 1; k < end; k++)
				sum += (double)view->totals[branches->rows[k]];
			to = (int)(sum * scale + 0.5);
			return add_box(
				boxes,
				(struct flame_box){ NONE, parent.x + x, to - x,
			                            parent.row + 1, end - i });
		}
		if (add_box(boxes,
		            (struct flame_box){ node, parent.x + x, to - x,
		                                parent.row + 1, 0 }) < 0)
			return -ENOMEM;
		x = to;
	}
	return 0;
}

/*
 * Place all boxes that are wide enough for @width columns: the path to @zoomed,
 * and all nodes below @zoomed.  Returns 0 or -ENOMEM.
 */
static int flame_boxes_place(struct flame_boxes *boxes,
                             const struct syscap_view *view,
                             const struct syc_group *branches, uint32_t zoomed,
                             int width)
{
	const int depth = flame_boxes_depth(view, zoomed);
	uint32_t node = zoomed;

	boxes->array.n = 0;
	for (int i = 0; i <= depth; i++)
		if (syc_array_push(&boxes->array,
		                   ((struct flame_box){ 0, 0, width, i, 0 })) <
		    0)
			return -ENOMEM;
	for (int i = depth; i >= 0; i--) {
		boxes->array.items[i].node = node;
		node = view->parents[node];
	}
	for (size_t i = (size_t)depth; i < boxes->array.n; i++) {
		const struct flame_box parent = boxes->array.items[i];

		if (parent.node != NONE &&
		    place_callees(boxes, view, branches, parent) < 0)
			return -ENOMEM;
	}
	return 0;
}

#define MANY 0x2506u

struct flame {
	struct syc_group branches;
	uint32_t zoomed, chosen; /* numbers of nodes */
	/* The functions on the path, since nodes change with the view. */
	SYC_ARRAY(uint32_t) zoomed_path;
	SYC_ARRAY(uint32_t) chosen_path;
	struct flame_boxes boxes; /* boxes of the last drawing */
	int scrolled;
	uint64_t found; /* total of the matches of search match_number */
	unsigned match_number;
};

/* Store the path to the node, outermost first. */
static int keep_path(const struct syscap_view *view, uint32_t node,
                     uint32_t **items, size_t *n, size_t *capacity)
{
	const size_t depth = (size_t)flame_boxes_depth(view, node);

	while (*capacity < depth)
		if (syc_array_grow(items, capacity, sizeof(**items)) < 0)
			return -ENOMEM;
	*n = depth;
	for (size_t i = depth; i-- > 0; node = view->parents[node])
		(*items)[i] = view->functions[node];
	return 0;
}

/* Follow the path as far as it exists in the view. */
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

static void choose(struct flame *flame, struct syc_page_context *context,
                   uint32_t node)
{
	flame->chosen = node;
	if (keep_path(context->view, node, &flame->chosen_path.items,
	              &flame->chosen_path.n, &flame->chosen_path.capacity) < 0)
		flame->chosen_path.n = 0;
}

static void zoom(struct flame *flame, struct syc_page_context *context,
                 uint32_t node)
{
	flame->zoomed = node;
	flame->scrolled = 0;
	if (keep_path(context->view, node, &flame->zoomed_path.items,
	              &flame->zoomed_path.n, &flame->zoomed_path.capacity) < 0)
		flame->zoomed_path.n = 0;
}

static int renew(void *state, struct syc_page_context *context)
{
	struct flame *flame = state;
	const int r = syc_branches_renew(
		&flame->branches, context->source->profile, context->view);

	if (r < 0)
		return r;
	flame->boxes.array.n = 0;
	flame->zoomed = follow(flame, context->view, flame->zoomed_path.items,
	                       flame->zoomed_path.n);
	flame->chosen = follow(flame, context->view, flame->chosen_path.items,
	                       flame->chosen_path.n);
	return 0;
}

static void draw_box(const struct flame *flame,
                     struct syc_page_context *context,
                     const struct flame_box *box)
{
	const int y = context->top + box->row - flame->scrolled;
	const int x = box->x, width = box->width;

	if (y < context->top || y >= context->bottom)
		return;
	if (box->node == NONE) {
		char text[32];

		syc_grid_fill(context->grid, x, y, width, MANY,
		              SYC_STYLE_QUIET);
		snprintf(text, sizeof(text), "…%u smaller", box->n_narrow);
		if (width >= 12)
			syc_grid_put(context->grid, x + 1, y, width - 1, text,
			             SYC_STYLE_QUIET);
		return;
	}
	syc_box_draw(context, x, y, width, box->node,
	             box->node == flame->chosen);
}

/* Total of the search matches; nested matches count once. */
static uint64_t add_up_found(const struct syc_page_context *context)
{
	const struct syscap_view *view = context->view;
	unsigned char *slow_marks = calloc(view->n_nodes + 1, 1);
	uint64_t sum = 0;

	if (slow_marks == NULL)
		return 0;
	for (uint32_t i = 1; i < view->n_nodes; i++) {
		slow_marks[i] = slow_marks[view->parents[i]];
		if (slow_marks[i] == 0 &&
		    syc_page_context_is_match(context, view->functions[i])) {
			slow_marks[i] = 1;
			sum += view->totals[i];
		}
	}
	free(slow_marks);
	return sum;
}

static void say(struct flame *flame, struct syc_page_context *context)
{
	const struct syscap_view *view = context->view;
	const uint32_t node = flame->chosen;
	const struct syscap_profile_function *function =
		syc_page_context_function(context, node);
	char total[SYC_FIGURE], share[SYC_FIGURE], self[SYC_FIGURE];
	char own[SYC_FIGURE + 16] = "";
	char match[SYC_FIGURE + 32] = "", source[256];

	syc_figures_amount(total, view->unit, view->totals[node],
	                   context->is_exact);
	syc_figures_amount(self, view->unit, view->selfs[node],
	                   context->is_exact);
	/* A reversed box has callers, so its own amount is another function's */
	if (!syc_page_context_filter(context)->reverse)
		snprintf(own, sizeof(own), "self %s · ", self);
	syc_figures_share(share, view->totals[node], view->total);
	if (context->search.pattern[0] != 0) {
		char part[SYC_FIGURE];

		if (flame->match_number != context->match_number)
			flame->found = add_up_found(context);
		flame->match_number = context->match_number;
		syc_figures_share(part, flame->found, view->total);
		snprintf(match, sizeof(match),
		         context->match == SYC_SEARCH_LETTERS
		                 ? "%s contain the characters · "
		                 : "%s found · ",
		         part);
	}
	syc_page_context_source(context, view->functions[node], source,
	                        sizeof(source));
	syc_page_context_say(context, "%s%s  %s · %s%s%s%s%s", match, total,
	                     share, own, node == 0 ? "all" : function->name,
	                     function->binary[0] != 0 ? "  " : "",
	                     function->binary, source);
}

static void draw(void *state, struct syc_page_context *context)
{
	struct flame *flame = state;
	const int height = context->bottom - context->top;
	int row, deepest = 0;

	if (context->view->total == 0) {
		syc_page_context_show_no_samples(context);
		return;
	}
	if (flame_boxes_place(&flame->boxes, context->view, &flame->branches,
	                      flame->zoomed, context->grid->width) < 0)
		return;
	for (size_t i = 0; i < flame->boxes.array.n; i++)
		deepest = flame->boxes.array.items[i].row > deepest
		                  ? flame->boxes.array.items[i].row
		                  : deepest;
	row = flame_boxes_depth(context->view, flame->chosen);
	if (row > deepest)
		row = deepest;
	if (row < flame->scrolled)
		flame->scrolled = row;
	if (row >= flame->scrolled + height)
		flame->scrolled = row - height + 1;
	for (size_t i = 0; i < flame->boxes.array.n; i++)
		draw_box(flame, context, &flame->boxes.array.items[i]);
	say(flame, context);
}

/* Choose the frame beside the chosen frame in its row. */
static void move_sideways(struct flame *flame, struct syc_page_context *context,
                          int direction)
{
	const struct flame_box *boxes = flame->boxes.array.items;
	size_t at = 0;

	while (at < flame->boxes.array.n && boxes[at].node != flame->chosen)
		at++;
	for (size_t i = at + (size_t)direction;
	     at < flame->boxes.array.n && i < flame->boxes.array.n &&
	     boxes[i].row == boxes[at].row;
	     i += (size_t)direction)
		if (boxes[i].node != NONE) {
			choose(flame, context, boxes[i].node);
			return;
		}
}

static void move_down(struct flame *flame, struct syc_page_context *context)
{
	const struct syc_group *branches = &flame->branches;

	if (branches->begins[flame->chosen] <
	    branches->begins[flame->chosen + 1])
		choose(flame, context,
		       branches->rows[branches->begins[flame->chosen]]);
}

static bool click(struct flame *flame, struct syc_page_context *context,
                  const struct syc_input_event *event)
{
	const int row = event->y - context->top + flame->scrolled;

	if (event->y < context->top || event->y >= context->bottom)
		return false;
	for (size_t i = 0; i < flame->boxes.array.n; i++) {
		const struct flame_box *box = &flame->boxes.array.items[i];

		if (box->row != row || box->node == NONE || event->x < box->x ||
		    event->x >= box->x + box->width)
			continue;
		if (box->node == flame->chosen)
			zoom(flame, context, box->node);
		choose(flame, context, box->node);
		return true;
	}
	return false;
}

/* Return whether @node is @top, or below @top. */
static bool is_below(const struct syscap_view *view, uint32_t node,
                     uint32_t top)
{
	while (node > top)
		node = view->parents[node];
	return node == top;
}

static bool back(struct flame *flame, struct syc_page_context *context)
{
	if (flame->zoomed == 0)
		return false;
	zoom(flame, context, 0);
	return true;
}

static bool take_letter(struct flame *flame, struct syc_page_context *context,
                        uint32_t letter)
{
	const uint32_t function = context->view->functions[flame->chosen];

	if (letter == 'k')
		choose(flame, context,
		       flame->chosen == 0
		               ? 0
		               : context->view->parents[flame->chosen]);
	else if (letter == 'j')
		move_down(flame, context);
	else if (letter == 'h' || letter == 'l')
		move_sideways(flame, context, letter == 'h' ? -1 : 1);
	else if (flame->chosen == 0)
		return false;
	else if (letter == 'f')
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
	struct flame *flame = state;
	const uint32_t parent = context->view->parents[flame->chosen];

	switch (event->key) {
	case SYC_KEY_UP:
		if (flame->chosen != 0)
			choose(flame, context, parent);
		break;
	case SYC_KEY_DOWN:
		move_down(flame, context);
		break;
	case SYC_KEY_LEFT:
	case SYC_KEY_RIGHT:
		move_sideways(flame, context,
		              event->key == SYC_KEY_LEFT ? -1 : 1);
		break;
	case SYC_KEY_WHEEL_UP:
		return take_letter(flame, context, 'k');
	case SYC_KEY_WHEEL_DOWN:
		return take_letter(flame, context, 'j');
	case SYC_KEY_HOME:
		choose(flame, context, 0);
		break;
	case SYC_KEY_ENTER:
		zoom(flame, context, flame->chosen);
		break;
	case SYC_KEY_CLICK:
		return click(flame, context, event);
	case SYC_KEY_BACKSPACE:
		return back(flame, context);
	case SYC_KEY_CHARACTER:
		return take_letter(flame, context, event->point);
	default:
		return false;
	}
	return true;
}

/*
 * Choose the next match in the order of nodes.  If the match is not below the
 * zoomed box, zoom out.
 */
static enum syc_search_match find(void *state, struct syc_page_context *context,
                                  int direction)
{
	struct flame *flame = state;
	const struct syscap_view *view = context->view;
	const size_t n = view->n_nodes;
	uint32_t node = flame->chosen;

	for (size_t i = 1; i < n; i++) {
		node = direction > 0 ? (node + 1 < n ? node + 1 : 1)
		                     : (node > 1 ? node - 1 : (uint32_t)n - 1);
		if (!syc_page_context_is_match(context, view->functions[node]))
			continue;
		if (!is_below(view, node, flame->zoomed))
			zoom(flame, context, 0);
		choose(flame, context, node);
		return context->match;
	}
	return SYC_SEARCH_NONE;
}

static void fini(void *state)
{
	struct flame *flame = state;

	syc_group_fini(&flame->branches);
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
