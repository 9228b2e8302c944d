/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * app_state.c - state of the viewer without its terminal: pages, views, keys.
 */
#define _GNU_SOURCE
#include "view/app_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE SYSCAP_PROFILE_NONE

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

const struct syc_view_page *syc_app_state_page(int number)
{
	return number >= 0 && number < SYC_PAGES ? pages[number] : NULL;
}

int syc_app_state_init(struct syc_app_state *app, struct syc_source *source,
                       int width, int height)
{
	memset(app, 0, sizeof(*app));
	app->source = source;
	app->context.source = source;
	app->context.grid = &app->grid;
	app->context.wants_page = -1;
	app->context.about_mark = app->context.about_name = NONE;
	app->progress = "";
	for (unsigned i = 0; i < SYC_PAGES; i++) {
		app->states[i] = calloc(1, pages[i]->size);
		if (app->states[i] == NULL)
			return -ENOMEM;
	}
	return syc_grid_resize(&app->grid, width, height);
}

void syc_app_state_fini(struct syc_app_state *app)
{
	for (unsigned i = 0; i < SYC_PAGES; i++) {
		if (app->states[i] != NULL)
			pages[i]->fini(app->states[i]);
		free(app->states[i]);
	}
	syc_page_context_fini(&app->context);
	syc_grid_fini(&app->grid);
	syscap_view_free(app->view);
	syscap_view_free(app->kept);
}

static int64_t after(int64_t begin, int64_t ns)
{
	int64_t sum;

	return __builtin_add_overflow(begin, ns, &sum) ? INT64_MAX : sum;
}

int syc_app_state_begin(struct syc_app_state *app,
                        const struct syscap_filter *filter, const char *text)
{
	struct syscap_profile_span span;
	struct syc_lens lens = {
		.filter = *filter,
		.label = strdup(text[0] != 0 ? text : "everything"),
	};

	syscap_profile_span(app->source->profile, &span);
	lens.filter.from = after(span.begin, filter->from);
	lens.filter.to = after(span.begin, filter->to);
	if (lens.label == NULL ||
	    syc_array_push(&app->context.lenses, lens) < 0) {
		free(lens.label);
		return -ENOMEM;
	}
	return 0;
}

static int put_view(struct syc_app_state *app, struct syscap_view *view)
{
	app->view = view;
	app->n_lenses = app->context.lenses.n;
	app->context.view = view;
	app->context.view_number++;
	return syc_page_context_match(&app->context);
}

int syc_app_state_ask(struct syc_app_state *app, struct syscap_error *error)
{
	struct syc_page_context *context = &app->context;
	struct syscap_view *view;
	int r;

	app->is_drawn = false;
	context->wants_view = false;
	while ((r = syscap_view_new(app->source->profile,
	                            syc_page_context_filter(context), &view,
	                            error)) == -EINVAL) {
		if (!syc_page_context_look_back(context))
			return r;
		snprintf(app->note, sizeof(app->note), "%s", error->message);
	}
	context->wants_view = false;
	if (r < 0)
		return r;
	syscap_view_free(app->kept);
	app->kept = NULL;
	syscap_view_free(app->view);
	return put_view(app, view);
}

/* Update the view, if more of the file was read since the last query. */
static int catch_up(struct syc_app_state *app)
{
	struct syscap_error error;
	int r = 0;

	if (!app->source->is_settled) {
		r = syc_source_settle(app->source);
		if (r == 0)
			r = syc_app_state_ask(app, &error);
	}
	return r == -EINVAL ? 0 : r;
}

int syc_app_state_look(struct syc_app_state *app)
{
	struct syc_page_context *context = &app->context;
	struct syscap_view *before = app->view, *kept = app->kept;
	const size_t n_before = app->n_lenses;
	struct syscap_error error;
	int r;

	if (!app->source->is_settled)
		return catch_up(app);
	/* The source is unchanged since the last query. */
	context->wants_view = false;
	if (kept != NULL && app->n_kept == context->lenses.n) {
		app->kept = NULL;
		syscap_view_free(before);
		return put_view(app, kept);
	}
	app->view = NULL;
	r = syc_app_state_ask(app, &error);
	if (app->view == NULL) {
		app->view = before;
		return r;
	}
	if (n_before < context->lenses.n) {
		app->kept = before;
		app->n_kept = n_before;
	} else {
		syscap_view_free(before);
	}
	return r;
}

int syc_app_state_renew(struct syc_app_state *app)
{
	const int page = app->page;
	int r = 0;

	if (app->seen[page] != app->context.view_number)
		r = catch_up(app);
	if (r == 0 && app->seen[page] != app->context.view_number)
		r = pages[page]->renew(app->states[page], &app->context);
	if (r == 0)
		app->seen[page] = app->context.view_number;
	if (r == 0 && app->context.wants_order)
		pages[page]->order(app->states[page], &app->context);
	app->context.wants_order = false;
	return r;
}

static void go_to(struct syc_app_state *app, int page)
{
	app->page = page;
	app->shows_help = false;
}

/* Report a search without matches, or with matches of single characters only.
 */
static void note_match(struct syc_app_state *app, enum syc_search_match match)
{
	const struct syc_search *search = &app->context.search;

	if (match == SYC_SEARCH_PART)
		return;
	if (search->pattern[0] == '/' && !search->has_regex)
		snprintf(app->note, sizeof(app->note),
		         "%s is not a regular expression; search for text "
		         "without /",
		         search->pattern);
	else if (match == SYC_SEARCH_NONE)
		snprintf(app->note, sizeof(app->note),
		         "nothing on this page matches %s; press / to search "
		         "again",
		         search->pattern);
	else
		snprintf(app->note, sizeof(app->note),
		         "no name contains %s; this name has the same "
		         "characters in order",
		         search->pattern);
}

static int search_on(struct syc_app_state *app, int direction)
{
	const struct syc_view_page *page = syc_app_state_page(app->page);
	int r = syc_app_state_renew(app);

	if (r < 0)
		return r;
	if (app->context.search.pattern[0] == 0)
		snprintf(app->note, sizeof(app->note),
		         "no search yet: press /");
	else if (page->find == NULL)
		snprintf(app->note, sizeof(app->note),
		         "this page has nothing to search");
	else
		note_match(app, page->find(app->states[app->page],
		                           &app->context, direction));
	return 0;
}

/* Keys while a search is typed. */
static int take_typed(struct syc_app_state *app,
                      const struct syc_input_event *event)
{
	struct syc_search *search = &app->context.search;
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
		r = syc_page_context_match(&app->context);
		if (r == 0 && search->pattern[0] != 0)
			r = search_on(app, 1);
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

static void back(struct syc_app_state *app)
{
	const struct syc_input_event event = { .key = SYC_KEY_BACKSPACE };

	if (app->shows_help)
		app->shows_help = false;
	else if (!syc_app_state_page(app->page)->take(app->states[app->page],
	                                              &app->context, &event) &&
	         !syc_page_context_look_back(&app->context))
		snprintf(app->note, sizeof(app->note),
		         "nothing to go back to; q quits");
}

static bool take_click(struct syc_app_state *app,
                       const struct syc_input_event *event)
{
	if (event->key != SYC_KEY_CLICK || event->y != 1)
		return false;
	for (int i = 0; i < SYC_PAGES; i++)
		if (event->x >= app->tabs[i] && event->x < app->tabs[i + 1])
			go_to(app, i);
	return true;
}

static bool take_control(struct syc_app_state *app, uint32_t letter)
{
	if (letter == 'c')
		app->quits = true;
	else if (letter == 'z')
		app->stops = true;
	else if (letter == 'l')
		app->repaints = true;
	else
		return false;
	return true;
}

/* Handle a key with the same meaning on all pages. */
static int take_letter(struct syc_app_state *app, uint32_t letter)
{
	struct syc_page_context *context = &app->context;

	if (letter >= '1' && letter < '1' + SYC_PAGES)
		go_to(app, (int)(letter - '1'));
	else if (letter == 'q')
		app->quits = true;
	else if (letter == '?')
		app->shows_help = !app->shows_help;
	else if (letter == '/')
		syc_search_open(&context->search);
	else if (letter == 'n' || letter == 'N')
		return search_on(app, letter == 'n' ? 1 : -1);
	else if (letter == 'u')
		back(app);
	else if (letter == 'e')
		context->is_exact = !context->is_exact;
	else if (letter == 'r')
		return syc_page_context_look(context, SYC_LENS_REVERSE, 0);
	else if (letter == 'y')
		return syc_page_context_look(context, SYC_LENS_SYSTEM, 0);
	else if (letter == 'o')
		return syc_page_context_look(context, SYC_LENS_RECORDING, 0);
	return 0;
}

static int take_key(struct syc_app_state *app,
                    const struct syc_input_event *event)
{
	switch (event->key) {
	case SYC_KEY_CONTROL:
		take_control(app, event->point);
		return 0;
	case SYC_KEY_TAB:
		go_to(app, (app->page + 1) % SYC_PAGES);
		return 0;
	case SYC_KEY_BACK_TAB:
		go_to(app, (app->page + SYC_PAGES - 1) % SYC_PAGES);
		return 0;
	case SYC_KEY_ESCAPE:
	case SYC_KEY_BACKSPACE:
	case SYC_KEY_BACK_CLICK:
		back(app);
		return 0;
	case SYC_KEY_CHARACTER:
		if (!app->shows_help &&
		    syc_app_state_page(app->page)->take(app->states[app->page],
		                                        &app->context, event))
			return 0;
		return take_letter(app, event->point);
	default:
		if (!take_click(app, event) && !app->shows_help)
			syc_app_state_page(app->page)->take(
				app->states[app->page], &app->context, event);
		return 0;
	}
}

int syc_app_state_take(struct syc_app_state *app,
                       const struct syc_input_event *event)
{
	struct syc_page_context *context = &app->context;
	int r;

	app->note[0] = 0;
	if (event->key == SYC_KEY_CONTROL && event->point == 'c') {
		app->quits = true;
		return 0;
	}
	/* Without a page, keys have no meaning. */
	if (app->view == NULL || syc_app_state_is_too_small(app)) {
		if (event->key == SYC_KEY_CONTROL)
			take_control(app, event->point);
		else
			app->quits = event->key == SYC_KEY_CHARACTER &&
			             event->point == 'q';
		return 0;
	}
	/* The meaning of a key depends on the screen, also in a burst of
	 * keys. */
	r = app->is_drawn ? 0 : syc_app_state_draw(app);
	app->is_drawn = false;
	if (r == 0)
		r = context->search.is_open ? take_typed(app, event)
		                            : take_key(app, event);
	if (r == 0 && context->wants_page >= 0)
		go_to(app, context->wants_page);
	context->wants_page = -1;
	return r;
}
