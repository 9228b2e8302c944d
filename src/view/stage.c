/* SPDX-License-Identifier: BSD-2-Clause */
/* stage.c - the viewer without its terminal. */
#define _GNU_SOURCE
#include "view/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/help.h"

#define NONE SYSCAP_PROFILE_NONE

#define HEAD       2  /* lines above the page */
#define FOOT       2  /* lines below */
#define ROOMY      12 /* from so many lines on there is one for the lenses */
#define LEAST_WIDE 20
#define LEAST_HIGH 6
#define MANY       200000 /* samples and marks: walking takes time */

static const struct syc_view_page *const pages[SYC_PAGES] = {
	[SYC_PAGE_FLAME] = &syc_flame_page,
	[SYC_PAGE_CHART] = &syc_chart_page,
	[SYC_PAGE_FUNCTIONS] = &syc_functions_page,
	[SYC_PAGE_MARKS] = &syc_marks_page,
	[SYC_PAGE_COMPARE] = &syc_compare_page,
	[SYC_PAGE_COUNTERS] = &syc_counters_page,
	[SYC_PAGE_LOGS] = &syc_logs_page,
	[SYC_PAGE_LOST] = &syc_lost_page,
};

const struct syc_view_page *syc_stage_page(unsigned number)
{
	return number < SYC_PAGES ? pages[number] : NULL;
}

int syc_stage_init(struct syc_stage *stage, struct syc_source *source,
                   int width, int height)
{
	memset(stage, 0, sizeof(*stage));
	stage->source = source;
	stage->desk.source = source;
	stage->desk.grid = &stage->grid;
	stage->desk.wants_page = -1;
	stage->desk.about_mark = stage->desk.about_name = NONE;
	stage->state = "";
	for (unsigned i = 0; i < SYC_PAGES; i++) {
		stage->states[i] = calloc(1, pages[i]->size);
		if (stage->states[i] == NULL)
			return -ENOMEM;
	}
	return syc_grid_resize(&stage->grid, width, height);
}

void syc_stage_fini(struct syc_stage *stage)
{
	for (unsigned i = 0; i < SYC_PAGES; i++) {
		if (stage->states[i] != NULL)
			pages[i]->fini(stage->states[i]);
		free(stage->states[i]);
	}
	syc_desk_fini(&stage->desk);
	syc_grid_fini(&stage->grid);
	syscap_view_free(stage->view);
	syscap_view_free(stage->kept);
}

static int64_t after(int64_t begin, int64_t ns)
{
	int64_t sum;

	return __builtin_add_overflow(begin, ns, &sum) ? INT64_MAX : sum;
}

int syc_stage_begin(struct syc_stage *stage, const struct syscap_filter *filter,
                    const char *text)
{
	struct syscap_profile_span span;
	struct syc_lens lens = {
		.filter = *filter,
		.label = strdup(text[0] != 0 ? text : "everything"),
	};

	syscap_profile_span(stage->source->profile, &span);
	lens.filter.from = after(span.begin, filter->from);
	lens.filter.to = after(span.begin, filter->to);
	if (lens.label == NULL ||
	    syc_array_push(&stage->desk.lenses, lens) < 0) {
		free(lens.label);
		return -ENOMEM;
	}
	return 0;
}

static int put_view(struct syc_stage *stage, struct syscap_view *view)
{
	stage->view = view;
	stage->n_lenses = stage->desk.lenses.n;
	stage->desk.view = view;
	stage->desk.view_number++;
	return syc_desk_match(&stage->desk);
}

int syc_stage_ask(struct syc_stage *stage, struct syscap_error *error)
{
	struct syc_desk *desk = &stage->desk;
	struct syscap_view *view;
	int r;

	stage->is_drawn = false;
	desk->wants_view = false;
	while ((r = syscap_view_new(stage->source->profile,
	                            syc_desk_filter(desk), &view, error)) ==
	       -EINVAL) {
		if (!syc_desk_look_back(desk))
			return r;
		snprintf(stage->note, sizeof(stage->note), "%s",
		         error->message);
	}
	desk->wants_view = false;
	if (r < 0)
		return r;
	syscap_view_free(stage->kept);
	stage->kept = NULL;
	syscap_view_free(stage->view);
	return put_view(stage, view);
}

/* More was read since it was asked: of all that, where it is asked again. */
static int catch_up(struct syc_stage *stage)
{
	struct syscap_error error;
	int r = 0;

	if (!stage->source->is_settled) {
		r = syc_source_settle(stage->source);
		if (r == 0)
			r = syc_stage_ask(stage, &error);
	}
	return r == -EINVAL ? 0 : r;
}

/* The same, of a source that is what it was when it was asked last. */
static int look_otherwise(struct syc_stage *stage)
{
	struct syc_desk *desk = &stage->desk;
	struct syscap_view *before = stage->view, *kept = stage->kept;
	const size_t n_before = stage->n_lenses;
	struct syscap_error error;
	int r;

	if (!stage->source->is_settled)
		return catch_up(stage);
	desk->wants_view = false;
	if (kept != NULL && stage->n_kept == desk->lenses.n) {
		stage->kept = NULL;
		syscap_view_free(before);
		return put_view(stage, kept);
	}
	stage->view = NULL;
	r = syc_stage_ask(stage, &error);
	if (stage->view == NULL) {
		stage->view = before;
		return r;
	}
	if (n_before < desk->lenses.n) {
		stage->kept = before;
		stage->n_kept = n_before;
	} else {
		syscap_view_free(before);
	}
	return r;
}

/* The page as it is for this view. */
static int renew(struct syc_stage *stage)
{
	const int page = stage->page;
	int r = 0;

	if (stage->seen[page] != stage->desk.view_number)
		r = catch_up(stage);
	if (r == 0 && stage->seen[page] != stage->desk.view_number)
		r = pages[page]->renew(stage->states[page], &stage->desk);
	if (r == 0)
		stage->seen[page] = stage->desk.view_number;
	if (r == 0 && stage->desk.wants_order)
		pages[page]->order(stage->states[page], &stage->desk);
	stage->desk.wants_order = false;
	return r;
}

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
		x += (int)strlen(pages[i]->name) + 4;
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
			         pages[i]->name);
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
		         pages[stage->page]->hints);
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

static bool is_too_small(const struct syc_stage *stage)
{
	return stage->grid.width < LEAST_WIDE ||
	       stage->grid.height < LEAST_HIGH;
}

int syc_stage_draw(struct syc_stage *stage)
{
	struct syc_grid *grid = &stage->grid;
	int r;

	r = stage->desk.wants_view ? look_otherwise(stage) : 0;
	if (r < 0)
		return r;
	syc_grid_clear(grid);
	stage->is_drawn = true;
	if (is_too_small(stage)) {
		syc_grid_put(grid, 0, 0, grid->width, "too small",
		             SYC_STYLE_PLAIN);
		return 0;
	}
	if (stage->view == NULL) {
		syc_grid_put(grid, 0, 0, grid->width, "reading…",
		             SYC_STYLE_QUIET);
		return 0;
	}
	r = renew(stage);
	if (r < 0)
		return r;
	draw_head(stage, false);
	stage->desk.said[0] = 0;
	if (stage->shows_help)
		syc_help_draw(grid, stage->desk.top, stage->desk.bottom);
	else
		pages[stage->page]->draw(stage->states[stage->page],
		                         &stage->desk);
	draw_foot(stage);
	return 0;
}

bool syc_stage_is_late(const struct syc_stage *stage)
{
	const struct syscap_profile *profile = stage->source->profile;
	struct syscap_profile_samples samples;

	if (stage->view == NULL || is_too_small(stage) ||
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

static void go_to(struct syc_stage *stage, int page)
{
	stage->page = page;
	stage->shows_help = false;
}

static int search_on(struct syc_stage *stage, int direction)
{
	const struct syc_view_page *page = pages[stage->page];
	int r = renew(stage);

	if (r < 0)
		return r;
	if (stage->desk.search.pattern[0] == 0)
		snprintf(stage->note, sizeof(stage->note),
		         "nothing was searched for: /");
	else if (page->find == NULL)
		snprintf(stage->note, sizeof(stage->note),
		         "there is nothing to search for on this page");
	else
		page->find(stage->states[stage->page], &stage->desk, direction);
	return 0;
}

/* Keys while a search is typed. */
static int take_typed(struct syc_stage *stage,
                      const struct syc_input_event *event)
{
	struct syc_search *search = &stage->desk.search;
	int r;

	switch (event->key) {
	case SYC_KEY_CHARACTER:
	case SYC_KEY_PASTED:
		syc_search_type(search, event->point);
		break;
	case SYC_KEY_BACKSPACE:
		if (!syc_search_rub_out(search))
			search->is_open = false;
		break;
	case SYC_KEY_UP:
		syc_search_recall(search, 1);
		break;
	case SYC_KEY_DOWN:
		syc_search_recall(search, -1);
		break;
	case SYC_KEY_ENTER:
		syc_search_accept(search);
		r = syc_desk_match(&stage->desk);
		if (r == 0 && search->pattern[0] != 0)
			r = search_on(stage, 1);
		return r;
	case SYC_KEY_ESCAPE:
	case SYC_KEY_CONTROL:
		search->is_open = false;
		break;
	default:
		break;
	}
	return 0;
}

static void back(struct syc_stage *stage)
{
	const struct syc_input_event event = { .key = SYC_KEY_BACKSPACE };

	if (stage->shows_help)
		stage->shows_help = false;
	else if (!pages[stage->page]->take(stage->states[stage->page],
	                                   &stage->desk, &event) &&
	         !syc_desk_look_back(&stage->desk))
		snprintf(stage->note, sizeof(stage->note),
		         "there is nothing to go back to; q quits");
}

static bool take_click(struct syc_stage *stage,
                       const struct syc_input_event *event)
{
	if (event->key != SYC_KEY_CLICK || event->y != 1)
		return false;
	for (int i = 0; i < SYC_PAGES; i++)
		if (event->x >= stage->tabs[i] && event->x < stage->tabs[i + 1])
			go_to(stage, i);
	return true;
}

static bool take_control(struct syc_stage *stage, uint32_t letter)
{
	if (letter == 'c')
		stage->quits = true;
	else if (letter == 'z')
		stage->stops = true;
	else if (letter == 'l')
		stage->repaints = true;
	else
		return false;
	return true;
}

/* Letters that mean the same on all pages. */
static int take_letter(struct syc_stage *stage, uint32_t letter)
{
	struct syc_desk *desk = &stage->desk;

	if (letter >= '1' && letter < '1' + SYC_PAGES)
		go_to(stage, (int)(letter - '1'));
	else if (letter == 'q')
		stage->quits = true;
	else if (letter == '?')
		stage->shows_help = !stage->shows_help;
	else if (letter == '/')
		syc_search_open(&desk->search);
	else if (letter == 'n' || letter == 'N')
		return search_on(stage, letter == 'n' ? 1 : -1);
	else if (letter == 'u')
		back(stage);
	else if (letter == 'e')
		desk->is_exact = !desk->is_exact;
	else if (letter == 'r')
		return syc_desk_look(desk, SYC_LENS_REVERSE, 0);
	else if (letter == 'y')
		return syc_desk_look(desk, SYC_LENS_SYSTEM, 0);
	return 0;
}

static int take_key(struct syc_stage *stage,
                    const struct syc_input_event *event)
{
	switch (event->key) {
	case SYC_KEY_CONTROL:
		take_control(stage, event->point);
		return 0;
	case SYC_KEY_TAB:
		go_to(stage, (stage->page + 1) % SYC_PAGES);
		return 0;
	case SYC_KEY_BACK_TAB:
		go_to(stage, (stage->page + SYC_PAGES - 1) % SYC_PAGES);
		return 0;
	case SYC_KEY_ESCAPE:
	case SYC_KEY_BACKSPACE:
	case SYC_KEY_BACK_CLICK:
		back(stage);
		return 0;
	case SYC_KEY_CHARACTER:
		if (!stage->shows_help &&
		    pages[stage->page]->take(stage->states[stage->page],
		                             &stage->desk, event))
			return 0;
		return take_letter(stage, event->point);
	default:
		if (!take_click(stage, event) && !stage->shows_help)
			pages[stage->page]->take(stage->states[stage->page],
			                         &stage->desk, event);
		return 0;
	}
}

int syc_stage_take(struct syc_stage *stage, const struct syc_input_event *event)
{
	struct syc_desk *desk = &stage->desk;
	int r;

	stage->note[0] = 0;
	if (event->key == SYC_KEY_CONTROL && event->point == 'c') {
		stage->quits = true;
		return 0;
	}
	/* No page is there that keys would mean something on. */
	if (stage->view == NULL || is_too_small(stage)) {
		if (event->key == SYC_KEY_CONTROL)
			take_control(stage, event->point);
		else
			stage->quits = event->key == SYC_KEY_CHARACTER &&
			               event->point == 'q';
		return 0;
	}
	/* What a key is for depends on what is on the screen: of a burst of
	 * keys, too. */
	r = stage->is_drawn ? 0 : syc_stage_draw(stage);
	stage->is_drawn = false;
	if (r == 0)
		r = desk->search.is_open ? take_typed(stage, event)
		                         : take_key(stage, event);
	if (r == 0 && desk->wants_page >= 0)
		go_to(stage, desk->wants_page);
	desk->wants_page = -1;
	return r;
}
