/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page_context.h - state shared by all pages of the viewer, and the interface
 * of a page.
 *
 * The context has the capture, the filters in use, the area of the screen for
 * the page, and the requests of the page.
 */
#ifndef SYC_VIEW_PAGE_CONTEXT_H
#define SYC_VIEW_PAGE_CONTEXT_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include <syscap/profile.h>

#include "common/containers.h"
#include "view/grid.h"
#include "view/terminal.h"

/*
 * Search for names.  The words of the pattern are parts of the name, in any
 * order.  A pattern "/x/" is a regular expression.  If no name matches, a name
 * matches if it contains the characters of each word in order.
 */

#define SYC_SEARCH_SIZE    128
#define SYC_SEARCH_HISTORY 32

struct syc_search {
	char pattern[SYC_SEARCH_SIZE]; /* pattern; "": no search */
	char history[SYC_SEARCH_HISTORY][SYC_SEARCH_SIZE];
	unsigned n_history;
	regex_t regex; /* regular expression of the pattern */
	bool has_regex;
	/* State while the pattern is typed. */
	bool is_open;
	char typed[SYC_SEARCH_SIZE];
	unsigned back; /* position in the history; 0: none */
};

enum syc_search_match {
	SYC_SEARCH_NONE,
	SYC_SEARCH_LETTERS, /* names with only the characters in order */
	SYC_SEARCH_PART
};

enum syc_search_match syc_search_match(const struct syc_search *search,
                                       const char *text);
void syc_search_fini(struct syc_search *search);

/** A name in a list that is searched. */
typedef const char *syc_search_name(void *data, size_t row);

/**
 * Find the next row (@direction 1) or the previous row (-1) of @n rows, from
 * *@row on.  Rows that only contain the characters match if no other row
 * matches.
 */
enum syc_search_match syc_search_find(const struct syc_search *search, size_t n,
                                      int direction, syc_search_name *name,
                                      void *data, size_t *row);

void syc_search_open(struct syc_search *search);
/** Append a character to the pattern. */
void syc_search_type(struct syc_search *search, uint32_t point);
/** Delete the last character.  Returns false if the pattern is empty. */
bool syc_search_rub_out(struct syc_search *search);
/** Replace the pattern by an older (1) or newer (-1) search. */
void syc_search_recall(struct syc_search *search, int direction);
/** Accept the pattern. */
void syc_search_accept(struct syc_search *search);

struct syc_source {
	const char *file;
	struct syscap_reader *reader;
	struct syscap_profile *profile;
	bool is_read;    /* the file was read to its end at the last check */
	bool is_damaged; /* the file is damaged; error has the reason */
	struct syscap_error error;
	bool is_settled;         /* the profile is ready for queries */
	uint64_t size, position; /* bytes of the file; bytes read */
};

/**
 * Open the file.  The source owns @reader from then on, also after a failure.
 * Returns 0 or -errno.
 */
int syc_source_open(struct syc_source *source, const char *file,
                    struct syscap_reader *reader,
                    const struct syscap_profile_options *options);
void syc_source_close(struct syc_source *source);

/** Read on for @budget_ns, or to the end.  Returns 0 or -ENOMEM. */
int syc_source_read(struct syc_source *source, int64_t budget_ns);

/** Read the names of a large file before its events.  Returns 0 or -ENOMEM. */
int syc_source_read_names(struct syc_source *source);

/**
 * Look for bytes appended to the file.  Returns 1: bytes were appended; 0; or
 * -errno.
 */
int syc_source_grow(struct syc_source *source);

/**
 * Make the profile ready for queries.  Reading more ends this state, so this
 * call must precede making a view.  Returns 0 or -ENOMEM.
 */
int syc_source_settle(struct syc_source *source);

/** A filter in use: the previous filter, narrowed by one step. */
struct syc_lens {
	struct syscap_filter filter;
	char *text, *more; /* texts to which the filter points */
	char *label;
};

/** The step by which a lens narrows the view. */
enum syc_lens_by {
	SYC_LENS_WITH,    /* stacks with the function */
	SYC_LENS_WITHOUT, /* stacks without the function */
	/* stacks with the function, from the function on */
	SYC_LENS_FOCUS,
	SYC_LENS_REVERSE,  /* reverse stacks, or undo the reversal */
	SYC_LENS_SYSTEM,   /* hide or show system libraries */
	SYC_LENS_RECORDING /* show or omit syscap's own code */
};

/** Pages, in the order of their numbers on the screen. */
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

struct syc_page_context {
	struct syc_source *source;
	const struct syscap_view *view; /* view through the last lens */
	unsigned view_number;           /* number of views so far */
	SYC_ARRAY(struct syc_lens) lenses;
	bool is_exact, has_colours;

	struct syc_grid *grid;
	int top, bottom; /* first line of the page, and the line after the last
	                  * line */
	char said[512];  /* text about the selection */

	/* The hottest line of each function, for the view with the number
	 * @lines_of; or NULL. */
	uint32_t *lines;
	unsigned lines_of;

	struct syc_search search;
	unsigned char *matches; /* flag of each function: matches the search */
	size_t n_matches;
	/* Kind of all matches: parts, or single characters if no name has the
	 * parts. */
	enum syc_search_match match;
	unsigned match_number; /* number of searches so far */

	/* Requests of the page that took a key. */
	/* The page requests a view through the current lenses. */
	bool wants_view;
	bool wants_order;    /* the page requests its list to be sorted */
	int wants_page;      /* number of the requested page; -1: none */
	uint32_t about_mark; /* mark or name of marks with which the */
	uint32_t about_name; /* requested page begins; NONE */
};

/** The function of a node of the view. */
const struct syscap_profile_function *
syc_page_context_function(const struct syc_page_context *context,
                          uint32_t node);

/** The name with number @name. */
const struct syscap_profile_mark_name *
syc_page_context_mark_name(const struct syc_page_context *context,
                           uint32_t name);

/** The filter in use. */
const struct syscap_filter *
syc_page_context_filter(const struct syc_page_context *context);

/** Add a lens; @function is its subject, or 0.  Returns 0 or -ENOMEM. */
int syc_page_context_look(struct syc_page_context *context, enum syc_lens_by by,
                          uint32_t function);
/**
 * Add a lens: inside marks of @name, or inside the slowest of the marks. 0 %
 * selects all marks.
 */
int syc_page_context_look_inside(struct syc_page_context *context,
                                 uint32_t name, double slowest_percent);
/** Add a lens: from @from to @to of the clock. */
int syc_page_context_look_between(struct syc_page_context *context,
                                  int64_t from, int64_t to);
/** Add a lens: only @thread; NONE: all threads. */
int syc_page_context_look_at_thread(struct syc_page_context *context,
                                    uint32_t thread);
/** Remove the last lens.  Returns false if only the first lens is left. */
bool syc_page_context_look_back(struct syc_page_context *context);
void syc_page_context_fini(struct syc_page_context *context);

/** Search the functions again.  Returns 0 or -ENOMEM. */
int syc_page_context_match(struct syc_page_context *context);

static inline bool
syc_page_context_is_match(const struct syc_page_context *context,
                          uint32_t function)
{
	return function < context->n_matches && context->matches[function] != 0;
}

/** Describe the selection, below the page. */
__attribute__((format(printf, 2, 3))) void
syc_page_context_say(struct syc_page_context *context, const char *format, ...);

/** Store " · inlined · mostly a.c:12", as far as known; or "". */
void syc_page_context_source(struct syc_page_context *context,
                             uint32_t function, char *text, size_t size);

/** Show @text in the middle of an empty page. */
void syc_page_context_show_none(struct syc_page_context *context,
                                const char *text);

/** The noun for @n of the samples, allocations or calls that the page sums up. */
const char *syc_page_context_counted(const struct syc_page_context *context,
                                     size_t n);

/** Describe the threads and the time without samples, or store "". */
void syc_page_context_unsampled(const struct syc_page_context *context,
                                char *text, size_t size);

/** Show that there are no samples, or that none passes the filter. */
void syc_page_context_show_no_samples(struct syc_page_context *context);

/** Write "name binary" in @width columns, starting at @x. */
void syc_page_context_put_function(struct syc_page_context *context, int x,
                                   int y, int width, uint32_t function,
                                   struct syc_style style);

/** Store "12345", or the name and the number of the thread. */
void syc_page_context_thread_name(const struct syc_page_context *context,
                                  uint32_t thread, char *text, size_t size);

/** Separator of boxes without colours. */
#define SYC_BOX_BAR 0x2502u

/** Least number of columns for a part of a name. */
#define SYC_BOX_NAME_LEAST 4

/** Draw @node of the view in @width columns, starting at @x. */
void syc_box_draw(struct syc_page_context *context, int x, int y, int width,
                  uint32_t node, bool is_chosen);

struct syc_view_page {
	const char *name;
	const char *
		hints; /* "KEY effect KEY effect", the most useful keys first */
	/* Size of the page's state, which is zero at first. */
	size_t size;
	/* Adapt to another view.  Returns 0 or -ENOMEM. */
	int (*renew)(void *state, struct syc_page_context *context);
	/* Sort the list in the requested order; NULL: not sortable. */
	void (*order)(void *state, struct syc_page_context *context);
	void (*draw)(void *state, struct syc_page_context *context);
	/* Returns true if the key has a meaning. */
	bool (*take)(void *state, struct syc_page_context *context,
	             const struct syc_input_event *event);
	/* Go to the next (1) or previous (-1) match of the search, and return
	 * the kind of match.  NULL: not searchable. */
	enum syc_search_match (*find)(void *state,
	                              struct syc_page_context *context,
	                              int direction);
	void (*fini)(void *state);
};

extern const struct syc_view_page syc_flame_page, syc_chart_page,
	syc_functions_page, syc_marks_page, syc_compare_page, syc_counters_page,
	syc_logs_page, syc_lost_page;

#endif
