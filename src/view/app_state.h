/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * app_state.h - state of the viewer without its terminal: pages, views, keys.
 */
#ifndef SYC_VIEW_APP_STATE_H
#define SYC_VIEW_APP_STATE_H

#include <stdbool.h>
#include <stdio.h>

#include <syscap/profile.h>

#include "view/grid.h"
#include "view/page_context.h"

struct syc_app_state {
	struct syc_page_context context;
	struct syc_source *source;
	struct syc_grid grid;
	struct syscap_view *view;
	/* The previous view, so that undoing a lens needs no walk over all
	 * samples; or NULL. */
	struct syscap_view *kept;
	/* Numbers of lenses of the view and of the previous view. */
	size_t n_lenses, n_kept;
	void *states[SYC_PAGES];
	/* Number of the view that each page showed last. */
	unsigned seen[SYC_PAGES];
	int page;
	int tabs[SYC_PAGES + 1]; /* places of the pages' names in the line */
	char note[256]; /* text instead of the context's text, until the next
	                 * key */
	const char *title;
	const char *progress; /* "reading 40 %", "live", or "" */
	bool shows_help, quits, stops, repaints;
	bool is_drawn; /* the current state is drawn */
};

/** Returns 0 or -ENOMEM. */
int syc_app_state_init(struct syc_app_state *app, struct syc_source *source,
                       int width, int height);
void syc_app_state_fini(struct syc_app_state *app);

/**
 * Add the first lens; times of @filter are relative to the start of the
 * capture.  Returns 0 or -ENOMEM.
 */
int syc_app_state_begin(struct syc_app_state *app,
                        const struct syscap_filter *filter, const char *text);

/**
 * Make the view of the settled source through the lenses.  Returns 0, -ENOMEM,
 * or -EINVAL if the first lens is impossible.  The function reports and removes
 * a later lens that is impossible.
 */
int syc_app_state_ask(struct syc_app_state *app, struct syscap_error *error);

/** Apply changes of the lenses.  Returns 0 or -ENOMEM. */
int syc_app_state_look(struct syc_app_state *app);

/** Give the current view to the page.  Returns 0 or -ENOMEM. */
int syc_app_state_renew(struct syc_app_state *app);

const struct syc_view_page *syc_app_state_page(int number);

/**
 * Handle a key.  The key takes effect at the next draw or take.  Returns 0 or
 * -ENOMEM.
 */
int syc_app_state_take(struct syc_app_state *app,
                       const struct syc_input_event *event);

/** Draw the screen after applying all taken keys.  Returns 0 or -ENOMEM. */
int syc_app_state_draw(struct syc_app_state *app);

/**
 * Return whether drawing takes too long for a key.  If drawing takes too long,
 * draw_late() shows a note around the old page.
 */
bool syc_app_state_is_late(const struct syc_app_state *app);
void syc_app_state_draw_late(struct syc_app_state *app);

/** Return whether the screen is too small for any page. */
bool syc_app_state_is_too_small(const struct syc_app_state *app);

/* The viewer on a terminal, or one screen of the viewer as text. */

/** Options of a viewer. */
struct syc_app_options {
	const char *command, *file;
	const char *title; /* name to show; NULL: name of @file */
	/* Reader, which the viewer owns from then on. */
	struct syscap_reader *reader;
	struct syscap_profile_options profile;
	/* Filter, whose from and to are relative to the start of the
	 * capture. */
	const struct syscap_filter *filter;
	const char *filter_text; /* filter options as typed; "":
	                          * none */
	/* Name of the page to show; NULL: the first page. */
	const char *page;
	enum syc_colours colours;
	bool is_ascii, is_exact;
	/* The file grows, and is read repeatedly. */
	bool is_live;
	/*
	 * The viewer calls this function before each reading.  The function
	 * returns false if the file has ended.  NULL: no call.
	 */
	bool (*goes_on)(void *context);
	/* syc_app_snapshot() calls this function when the file is read.  @r is
	 * the filter's result, 0 or -EINVAL with @error.  NULL: no call. */
	void (*judge)(void *context, const struct syscap_profile *profile,
	              int r, const struct syscap_error *error);
	void *context;
};

/** Return whether a page of that name exists. */
bool syc_app_has_page(const char *name);
/** Name of a page; NULL after the last page. */
const char *syc_app_page_name(unsigned number);

/**
 * Show the viewer on the terminal until the user quits.  Returns 0 or -errno.
 */
int syc_app_run(const struct syc_app_options *options);

/**
 * Write the screen after the @keys (bytes of a terminal).  Returns 0; -ENOMEM;
 * or -EINVAL with @error: an impossible filter.
 */
int syc_app_snapshot(const struct syc_app_options *options, const char *keys,
                     int width, int height, FILE *out,
                     struct syscap_error *error, bool *ret_is_damaged);

#endif
