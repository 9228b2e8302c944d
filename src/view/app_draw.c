/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * app_draw.c - the picture of the whole screen: page, surrounding lines, help.
 *
 * The help is the table of keys in docs/view.md.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "view/app_state.h"
#include "view/grid.h"
#include "view/table.h"

static const struct {
	const char *keys, *meaning;
} rows[] = {
	{ "1 … 8, Tab, Shift-Tab", "another page" },
	{ "↑ ↓ ← →, j k h l", "move" },
	{ "Page Up, Page Down, Home, End", "move further" },
	{ "Enter", "zoom in; open the selection" },
	{ "Backspace, Esc, u", "back, one step" },
	{ "/", "search: parts of a name, or /regex; ↑ ↓ earlier ones" },
	{ "n, N", "next match, previous match" },
	{ "s, S", "sort by the next column; the other way round" },
	{ "f", "only stacks with this function; inside of these marks" },
	{ "x", "only stacks without this function" },
	{ "z", "stacks begin at this function" },
	{ "c", "compare the slowest 1 % of these marks with the others" },
	{ "r", "callees first, or callers again" },
	{ "y", "without system libraries, or with them again" },
	{ "o", "with syscap itself, or without it again" },
	{ "t, T", "the next thread, the previous one (chart)" },
	{ "+, -", "less time, more time (chart)" },
	{ "e", "numbers exactly" },
	{ "Ctrl-L, Ctrl-Z", "redraw; suspend (fg continues)" },
	{ "q, Ctrl-C", "quit" },
	{ "mouse", "a click selects, a second one opens; titles sort; "
	           "the wheel scrolls; the right button goes back" },
};

/* The lines from @top to @bottom - 1. */
static void help_draw(struct syc_grid *grid, int top, int bottom)
{
	const int wide = grid->width >= 72 ? 32 : 12;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const int y = top + (int)i;

		if (y >= bottom)
			break;
		syc_grid_put(grid, 0, y, wide - 1, rows[i].keys,
		             SYC_STYLE_BOLD);
		syc_grid_put(grid, wide, y, grid->width - wide, rows[i].meaning,
		             SYC_STYLE_PLAIN);
	}
}

#define HEAD       2  /* lines above the page */
#define FOOT       2  /* lines below the page */
#define ROOMY      12 /* least height with a line for the filters */
#define LEAST_WIDE 20
#define LEAST_HIGH 6
#define MANY       200000 /* samples and marks, slow to walk */

static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return strcmp(file, "-") == 0           ? "standard input"
	       : slash != NULL && slash[1] != 0 ? slash + 1
	                                        : file;
}

/* The share of syscap's own code, which key o shows or omits. */
static void format_own(const struct syc_app_state *app, char *text, size_t size)
{
	const struct syscap_view *view = app->view;

	*text = 0;
	if (view->recording > 0)
		snprintf(text, size, " · %.1f %% syscap itself%s",
		         100 * (double)view->recording / (double)view->whole,
		         syc_page_context_filter(&app->context)->with_recording
		                 ? ""
		                 : " left out (o)");
}

/* The amount, and its unit or what the filter measures. */
static void format_amount(const struct syc_app_state *app, char *amount,
                          char *unit, size_t size)
{
	static const char *const measured[] = {
		[SYSCAP_VIEW_SAMPLES] = "",
		[SYSCAP_VIEW_ALLOCATED] = "allocated",
		[SYSCAP_VIEW_LEAKED] = "leaked",
		[SYSCAP_VIEW_TEMPORARY] = "temporary",
		[SYSCAP_VIEW_BLOCKED] = "",
		[SYSCAP_VIEW_STALLED] = "",
		[SYSCAP_VIEW_PEAK] = "in use",
	};
	const struct syscap_view *view = app->view;
	const enum syscap_view_of of =
		syc_page_context_filter(&app->context)->of;
	struct syscap_profile_heap heap;
	const char *word = measured[of];

	syscap_profile_heap(app->context.source->profile, &heap);
	if (of == SYSCAP_VIEW_LEAKED && heap.is_cut)
		word = "not freed";
	if (of == SYSCAP_VIEW_PEAK && heap.is_begin_cut)
		word = "in use, of this part";
	syc_figures_amount(amount, view->unit, view->total, false);
	for (size_t n = strlen(amount); n > 0 && amount[n - 1] == ' '; n--)
		amount[n - 1] = 0;
	snprintf(unit, size, " %s%s",
	         word[0] != 0 ? word : syscap_view_unit_name(view->unit),
	         view->unit == SYSCAP_UNIT_BYTES && heap.sample_bytes > 0
	                 ? " (estimate)"
	                 : "");
}

/* Format the losses, and what the samples miss, in full or in two words. */
static void format_missing(const struct syc_app_state *app, bool is_short,
                           char *text, size_t size)
{
	const size_t n_losses = app->view->n_losses;
	char of_samples[160] = "";
	size_t n;

	*text = 0;
	if (syc_page_context_filter(&app->context)->of == SYSCAP_VIEW_SAMPLES)
		syc_page_context_unsampled(&app->context, of_samples,
		                           sizeof(of_samples));
	if (n_losses > 0)
		snprintf(text, size, " · %zu lost interval%s", n_losses,
		         n_losses == 1 ? "" : "s");
	n = strlen(text);
	if (of_samples[0] != 0)
		snprintf(text + n, size - n, " · %s",
		         is_short ? "samples missing" : of_samples);
}

/*
 * Layouts of the numbers, from all parts to only the warning of missing data.
 */
static const struct layout {
	bool has_count, has_amount, has_own, is_short;
} layouts[] = {
	{ true, true, true, false },   { false, true, true, false },
	{ false, true, true, true },   { false, true, false, true },
	{ false, false, false, true },
};

static void format_numbers(const struct syc_app_state *app,
                           const struct layout *layout, char *text, size_t size)
{
	const struct syscap_view *view = app->view;
	char amount[SYC_FIGURE], word[64], count[SYC_FIGURE], own[64];
	const char *const progress = app->progress;

	format_amount(app, amount, word, sizeof(word));
	format_own(app, own, sizeof(own));
	syc_figures_count(count, view->n_passed, false);
	*text = 0;
	if (layout->has_count)
		snprintf(
			text, size, "%s%s%s%s · %s %s%s", progress,
			progress[0] != 0 ? " · " : "", amount, word, count,
			syc_page_context_counted(&app->context, view->n_passed),
			own);
	else if (layout->has_amount)
		snprintf(text, size, "%s%s%s%s", progress,
		         progress[0] != 0 ? " · " : "", amount,
		         layout->has_own ? own : "");
}

/* Draw the numbers on the right, as many as fit. */
static void draw_numbers(struct syc_app_state *app, int from)
{
	struct syc_grid *grid = &app->grid;

	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		char text[320], missing[224];
		const char *bad = missing;
		size_t n;
		int columns;

		format_numbers(app, &layouts[i], text, sizeof(text));
		format_missing(app, layouts[i].is_short, missing,
		               sizeof(missing));
		n = strlen(text);
		if (n == 0 && missing[0] != 0)
			bad += strlen(" · ");
		snprintf(text + n, sizeof(text) - n, "%s", bad);
		columns = syc_grid_columns(text);
		if (columns == 0 || columns > grid->width - from)
			continue;
		syc_grid_put(grid, grid->width - columns, 0, columns, text,
		             SYC_STYLE_QUIET);
		if (missing[0] != 0)
			syc_grid_put_right(grid, from, 0, grid->width - from,
			                   missing + strlen(" · "),
			                   SYC_STYLE_BAD);
		return;
	}
}

static void draw_tabs(struct syc_app_state *app)
{
	struct syc_grid *grid = &app->grid;
	bool is_short;
	int x = 0;

	for (int i = 0; i < SYC_PAGES; i++)
		x += (int)strlen(syc_app_state_page(i)->name) + 4;
	is_short = x > grid->width + 2;
	x = 0;
	for (int i = 0; i < SYC_PAGES; i++) {
		const bool is_chosen = i == app->page;
		char text[32];

		app->tabs[i] = x;
		if (is_short && !is_chosen)
			snprintf(text, sizeof(text), "%d", i + 1);
		else
			snprintf(text, sizeof(text), "%d %s", i + 1,
			         syc_app_state_page(i)->name);
		x += syc_grid_put(grid, x, 1, grid->width - x, text,
		                  is_chosen ? SYC_STYLE_CHOSEN
		                            : SYC_STYLE_PLAIN);
		x += is_short ? 1 : 2;
	}
	app->tabs[SYC_PAGES] = x;
}

/* Draw the filters in use, or the end of a long list.  Returns the column after
 * the last filter. */
static int draw_lenses(struct syc_app_state *app, int y)
{
	const struct syc_page_context *context = &app->context;
	size_t first = context->lenses.n;
	int columns = 0, x = 0;

	while (first > 0) {
		const int more =
			syc_grid_columns(
				context->lenses.items[first - 1].label) +
			3;

		if (columns + more > app->grid.width && columns > 0)
			break;
		columns += more;
		first--;
	}
	for (size_t i = first; i < context->lenses.n; i++) {
		if (i > 0)
			x += syc_grid_put(&app->grid, x, y, app->grid.width - x,
			                  i == first ? "… › " : " › ",
			                  SYC_STYLE_QUIET);
		x += syc_grid_put(&app->grid, x, y, app->grid.width - x,
		                  context->lenses.items[i].label,
		                  i + 1 == context->lenses.n ? SYC_STYLE_LINK
		                                             : SYC_STYLE_QUIET);
	}
	return x;
}

/* Draw the crash of the capture at the right, if it fits beside the filters. */
static void draw_crash(struct syc_app_state *app, int from, int y)
{
	const int room = app->grid.width - from;
	char text[160];

	syscap_profile_describe_crash(app->source->profile, text, sizeof(text));
	if (text[0] != 0 && syc_grid_columns(text) <= room)
		syc_grid_put_right(&app->grid, from, y, room, text,
		                   SYC_STYLE_BAD);
}

static void draw_foot(struct syc_app_state *app)
{
	struct syc_grid *grid = &app->grid;
	const struct syc_search *search = &app->context.search;
	const int y = grid->height - FOOT;
	int x;

	if (app->note[0] != 0)
		syc_grid_put(grid, 0, y, grid->width, app->note, SYC_STYLE_BAD);
	else
		syc_grid_put(grid, 0, y, grid->width, app->context.said,
		             SYC_STYLE_PLAIN);
	if (!search->is_open) {
		char text[300];

		snprintf(text, sizeof(text), "q quit  ? help  %s",
		         syc_app_state_page(app->page)->hints);
		syc_grid_put(grid, 0, y + 1, grid->width, text,
		             SYC_STYLE_QUIET);
		return;
	}
	x = syc_grid_put(grid, 0, y + 1, grid->width, "/", SYC_STYLE_BOLD);
	x += syc_grid_put(grid, x, y + 1, grid->width - x - 1, search->typed,
	                  SYC_STYLE_PLAIN);
	syc_grid_fill(grid, x, y + 1, 1, ' ', SYC_STYLE_CHOSEN);
}

static void draw_head(struct syc_app_state *app, bool is_late)
{
	struct syc_grid *grid = &app->grid;
	int x;

	x = syc_grid_put(grid, 0, 0, grid->width, base_name(app->title),
	                 SYC_STYLE_BOLD);
	if (is_late)
		syc_grid_put(grid, grid->width - 1, 0, 1, "…", SYC_STYLE_QUIET);
	else
		draw_numbers(app, x + 2);
	draw_tabs(app);
	app->context.top = HEAD;
	if (grid->height >= ROOMY) {
		draw_crash(app, draw_lenses(app, HEAD) + 2, HEAD);
		app->context.top++;
	}
	app->context.bottom = grid->height - FOOT;
}

bool syc_app_state_is_too_small(const struct syc_app_state *app)
{
	return app->grid.width < LEAST_WIDE || app->grid.height < LEAST_HIGH;
}

int syc_app_state_draw(struct syc_app_state *app)
{
	struct syc_grid *grid = &app->grid;
	int r;

	r = app->context.wants_view ? syc_app_state_look(app) : 0;
	if (r < 0)
		return r;
	syc_grid_clear(grid);
	app->is_drawn = true;
	if (syc_app_state_is_too_small(app)) {
		syc_grid_put(grid, 0, 0, grid->width, "too small",
		             SYC_STYLE_PLAIN);
		return 0;
	}
	if (app->view == NULL) {
		syc_grid_put(grid, 0, 0, grid->width, "reading…",
		             SYC_STYLE_QUIET);
		return 0;
	}
	r = syc_app_state_renew(app);
	if (r < 0)
		return r;
	draw_head(app, false);
	app->context.said[0] = 0;
	if (app->shows_help)
		help_draw(grid, app->context.top, app->context.bottom);
	else
		syc_app_state_page(app->page)->draw(app->states[app->page],
		                                    &app->context);
	draw_foot(app);
	return 0;
}

bool syc_app_state_is_late(const struct syc_app_state *app)
{
	const struct syscap_profile *profile = app->source->profile;
	struct syscap_profile_samples samples;

	if (app->view == NULL || syc_app_state_is_too_small(app) ||
	    (!app->context.wants_view && !app->context.wants_order &&
	     app->seen[app->page] == app->context.view_number))
		return false;
	syscap_profile_samples(profile, &samples);
	return samples.n + syscap_profile_n_marks(profile) > MANY;
}

void syc_app_state_draw_late(struct syc_app_state *app)
{
	for (int y = 0; y < app->grid.height; y++)
		if (y < app->context.top || y >= app->context.bottom)
			syc_grid_fill(&app->grid, 0, y, app->grid.width, ' ',
			              SYC_STYLE_PLAIN);
	draw_head(app, true);
	app->context.said[0] = 0;
	draw_foot(app);
}
