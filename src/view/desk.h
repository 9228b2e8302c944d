/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * desk.h - what all pages of the viewer share: the capture, what of it is
 * looked at, where on the screen they draw, and what they want next.
 */
#ifndef SYC_VIEW_DESK_H
#define SYC_VIEW_DESK_H

#include "data/array.h"
#include "view/figures.h"
#include "view/grid.h"
#include "view/input.h"
#include "view/search.h"
#include "view/source.h"

/** What is looked at: one step further than the lens before it. */
struct syc_lens {
	struct syscap_filter filter;
	char *text, *more; /* that the filter points to */
	char *label;
};

/** How a lens narrows what is looked at. */
enum syc_lens_by {
	SYC_LENS_WITH,    /* stacks with the function */
	SYC_LENS_WITHOUT, /* stacks without it */
	SYC_LENS_FOCUS,   /* stacks begin there */
	SYC_LENS_REVERSE, /* callees first, or no more */
	SYC_LENS_SYSTEM   /* without system libraries, or with them again */
};

/** In the order of their numbers on the screen. */
enum syc_page_number {
	SYC_PAGE_FLAME,
	SYC_PAGE_CHART,
	SYC_PAGE_FUNCTIONS,
	SYC_PAGE_MARKS,
	SYC_PAGE_COMPARE,
	SYC_PAGE_COUNTERS,
	SYC_PAGE_LOGS,
	SYC_PAGE_LOST,
	SYC_PAGES
};

struct syc_desk {
	struct syc_source *source;
	const struct syscap_view *view; /* through the last lens */
	unsigned view_number;           /* so many there were */
	SYC_ARRAY(struct syc_lens) lenses;
	bool is_exact, has_colours;

	struct syc_grid *grid;
	int top, bottom; /* lines for the page: from, up to but not */
	char said[512];  /* about what is chosen */

	/* Of each function its hottest line, or NULL; of view @lines_of. */
	uint32_t *lines;
	unsigned lines_of;

	struct syc_search search;
	unsigned char *matches; /* by function: whether it is found */
	size_t n_matches;
	unsigned match_number; /* so often it was looked for */

	/* What the page that took a key wants. */
	bool wants_view;     /* through the lenses as they are now */
	bool wants_order;    /* what it lists is put into order */
	int wants_page;      /* -1: none */
	uint32_t about_mark; /* a mark, or a name of marks, that the page */
	uint32_t about_name; /* is to begin with; NONE */
};

/** The function of a node of the view. */
const struct syscap_profile_function *
syc_desk_function(const struct syc_desk *desk, uint32_t node);

/** What marks of number @name are called. */
const struct syscap_profile_mark_name *
syc_desk_mark_name(const struct syc_desk *desk, uint32_t name);

/** The filter in use. */
const struct syscap_filter *syc_desk_filter(const struct syc_desk *desk);

/** Look through one lens more; @function: the one it is about, or 0.  0 or
 * -ENOMEM. */
int syc_desk_look(struct syc_desk *desk, enum syc_lens_by by,
                  uint32_t function);
/** Only inside of marks of @name, of these the slowest; 0 %: all. */
int syc_desk_look_inside(struct syc_desk *desk, uint32_t name,
                         double slowest_percent);
/** Only from @from to @to, of the clock. */
int syc_desk_look_between(struct syc_desk *desk, int64_t from, int64_t to);
/** Only at the thread; NONE: at all. */
int syc_desk_look_at_thread(struct syc_desk *desk, uint32_t thread);
/** Take the last one away; false: it is the first. */
bool syc_desk_look_back(struct syc_desk *desk);
void syc_desk_fini(struct syc_desk *desk);

/** What the search found among functions, again.  0 or -ENOMEM. */
int syc_desk_match(struct syc_desk *desk);
static inline bool syc_desk_is_match(const struct syc_desk *desk,
                                     uint32_t function)
{
	return function < desk->n_matches && desk->matches[function] != 0;
}

/** Tell about what is chosen, below the page. */
__attribute__((format(printf, 2, 3))) void
syc_desk_say(struct syc_desk *desk, const char *format, ...);

/** " · inlined · mostly a.c:12", as far as the capture tells; or "". */
void syc_desk_source(struct syc_desk *desk, uint32_t function, char *text,
                     size_t size);

/** In the middle of the page, where there is nothing to show. */
void syc_desk_show_none(struct syc_desk *desk, const char *text);

/** "name  binary" in @width columns from @x on. */
void syc_desk_put_function(struct syc_desk *desk, int x, int y, int width,
                           uint32_t function, struct syc_style style);

/** "12345", or its name and that. */
void syc_desk_thread_name(const struct syc_desk *desk, uint32_t thread,
                          char *text, size_t size);

#endif
