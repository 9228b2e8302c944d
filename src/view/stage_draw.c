/* SPDX-License-Identifier: BSD-2-Clause */
/* stage_draw.c - the picture: a page, and what stands above and below it. */
#include "view/stage_draw.h"

#include <stdio.h>
#include <string.h>

#include "view/help.h"

#define HEAD       2  /* lines above the page */
#define FOOT       2  /* lines below */
#define ROOMY      12 /* from so many lines on there is one for the lenses */
#define LEAST_WIDE 20
#define LEAST_HIGH 6
#define MANY       200000 /* samples and marks: walking takes time */

static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return strcmp(file, "-") == 0           ? "standard input"
	       : slash != NULL && slash[1] != 0 ? slash + 1
	                                        : file;
}

/* Numbers on the right, as many as there is room for. */
static void draw_numbers(struct syc_stage *stage, int from)
{
	const struct syscap_view *view = stage->view;
	struct syc_grid *grid = &stage->grid;
	char amount[SYC_FIGURE], count[SYC_FIGURE], text[256], lost[48] = "";
	int columns;

	syc_figures_amount(amount, view->unit, view->total, false);
	syc_figures_count(count, view->n_passed, false);
	if (amount[strlen(amount) - 1] == ' ')
		amount[strlen(amount) - 1] = 0;
	if (view->n_losses > 0)
		snprintf(lost, sizeof(lost), " · %zu lost interval%s",
		         view->n_losses, view->n_losses == 1 ? "" : "s");
	snprintf(text, sizeof(text), "%s%s%s %s · %s %s%s", stage->state,
	         stage->state[0] != 0 ? " · " : "", amount,
	         view->unit == SYSCAP_UNIT_BYTES
	                 ? "allocated"
	                 : syscap_view_unit_name(view->unit),
	         count,
	         view->unit == SYSCAP_UNIT_BYTES ? "allocations" : "samples",
	         lost);
	columns = syc_grid_columns(text);
	if (columns > grid->width - from) {
		snprintf(text, sizeof(text), "%s%s%s", stage->state,
		         stage->state[0] != 0 ? " · " : "", amount);
		columns = syc_grid_columns(text);
		lost[0] = 0;
	}
	if (columns > grid->width - from)
		return;
	syc_grid_put(grid, grid->width - columns, 0, columns, text,
	             SYC_STYLE_QUIET);
	if (lost[0] != 0)
		syc_grid_put_right(grid, from, 0, grid->width - from,
		                   lost + strlen(" · "), SYC_STYLE_BAD);
}

static void draw_tabs(struct syc_stage *stage)
{
	struct syc_grid *grid = &stage->grid;
	bool is_short;
	int x = 0;

	for (int i = 0; i < SYC_PAGES; i++)
		x += (int)strlen(syc_stage_page(i)->name) + 4;
	is_short = x > grid->width + 2;
	x = 0;
	for (int i = 0; i < SYC_PAGES; i++) {
		const bool is_chosen = i == stage->page;
		char text[32];

		stage->tabs[i] = x;
		if (is_short && !is_chosen)
			snprintf(text, sizeof(text), "%d", i + 1);
		else
			snprintf(text, sizeof(text), "%d %s", i + 1,
			         syc_stage_page(i)->name);
		x += syc_grid_put(grid, x, 1, grid->width - x, text,
		                  is_chosen ? SYC_STYLE_CHOSEN
		                            : SYC_STYLE_PLAIN);
		x += is_short ? 1 : 2;
	}
	stage->tabs[SYC_PAGES] = x;
}

/* The way to what is looked at; of a long one its end. */
static void draw_lenses(struct syc_stage *stage, int y)
{
	const struct syc_desk *desk = &stage->desk;
	size_t first = desk->lenses.n;
	int columns = 0, x = 0;

	while (first > 0) {
		const int more =
			syc_grid_columns(desk->lenses.items[first - 1].label) +
			3;

		if (columns + more > stage->grid.width && columns > 0)
			break;
		columns += more;
		first--;
	}
	for (size_t i = first; i < desk->lenses.n; i++) {
		if (i > 0)
			x += syc_grid_put(
				&stage->grid, x, y, stage->grid.width - x,
				i == first ? "… › " : " › ", SYC_STYLE_QUIET);
		x += syc_grid_put(&stage->grid, x, y, stage->grid.width - x,
		                  desk->lenses.items[i].label,
		                  i + 1 == desk->lenses.n ? SYC_STYLE_LINK
		                                          : SYC_STYLE_QUIET);
	}
}

static void draw_foot(struct syc_stage *stage)
{
	struct syc_grid *grid = &stage->grid;
	const struct syc_search *search = &stage->desk.search;
	const int y = grid->height - FOOT;
	int x;

	if (stage->note[0] != 0)
		syc_grid_put(grid, 0, y, grid->width, stage->note,
		             SYC_STYLE_BAD);
	else
		syc_grid_put(grid, 0, y, grid->width, stage->desk.said,
		             SYC_STYLE_PLAIN);
	if (!search->is_open) {
		char text[300];

		snprintf(text, sizeof(text), "q quit  ? help  %s",
		         syc_stage_page(stage->page)->hints);
		syc_grid_put(grid, 0, y + 1, grid->width, text,
		             SYC_STYLE_QUIET);
		return;
	}
	x = syc_grid_put(grid, 0, y + 1, grid->width, "/", SYC_STYLE_BOLD);
	x += syc_grid_put(grid, x, y + 1, grid->width - x - 1, search->typed,
	                  SYC_STYLE_PLAIN);
	syc_grid_fill(grid, x, y + 1, 1, ' ', SYC_STYLE_CHOSEN);
}

static void draw_head(struct syc_stage *stage, bool is_late)
{
	struct syc_grid *grid = &stage->grid;
	int x;

	x = syc_grid_put(grid, 0, 0, grid->width, base_name(stage->title),
	                 SYC_STYLE_BOLD);
	if (is_late)
		syc_grid_put(grid, grid->width - 1, 0, 1, "…", SYC_STYLE_QUIET);
	else
		draw_numbers(stage, x + 2);
	draw_tabs(stage);
	stage->desk.top = HEAD;
	if (grid->height >= ROOMY) {
		draw_lenses(stage, HEAD);
		stage->desk.top++;
	}
	stage->desk.bottom = grid->height - FOOT;
}

bool syc_stage_is_too_small(const struct syc_stage *stage)
{
	return stage->grid.width < LEAST_WIDE ||
	       stage->grid.height < LEAST_HIGH;
}

int syc_stage_draw(struct syc_stage *stage)
{
	struct syc_grid *grid = &stage->grid;
	int r;

	r = stage->desk.wants_view ? syc_stage_look(stage) : 0;
	if (r < 0)
		return r;
	syc_grid_clear(grid);
	stage->is_drawn = true;
	if (syc_stage_is_too_small(stage)) {
		syc_grid_put(grid, 0, 0, grid->width, "too small",
		             SYC_STYLE_PLAIN);
		return 0;
	}
	if (stage->view == NULL) {
		syc_grid_put(grid, 0, 0, grid->width, "reading…",
		             SYC_STYLE_QUIET);
		return 0;
	}
	r = syc_stage_renew(stage);
	if (r < 0)
		return r;
	draw_head(stage, false);
	stage->desk.said[0] = 0;
	if (stage->shows_help)
		syc_help_draw(grid, stage->desk.top, stage->desk.bottom);
	else
		syc_stage_page(stage->page)
			->draw(stage->states[stage->page], &stage->desk);
	draw_foot(stage);
	return 0;
}

bool syc_stage_is_late(const struct syc_stage *stage)
{
	const struct syscap_profile *profile = stage->source->profile;
	struct syscap_profile_samples samples;

	if (stage->view == NULL || syc_stage_is_too_small(stage) ||
	    (!stage->desk.wants_view && !stage->desk.wants_order &&
	     stage->seen[stage->page] == stage->desk.view_number))
		return false;
	syscap_profile_samples(profile, &samples);
	return samples.n + syscap_profile_n_marks(profile) > MANY;
}

void syc_stage_draw_late(struct syc_stage *stage)
{
	for (int y = 0; y < stage->grid.height; y++)
		if (y < stage->desk.top || y >= stage->desk.bottom)
			syc_grid_fill(&stage->grid, 0, y, stage->grid.width,
			              ' ', SYC_STYLE_PLAIN);
	draw_head(stage, true);
	stage->desk.said[0] = 0;
	draw_foot(stage);
}
