/* SPDX-License-Identifier: BSD-2-Clause */
/* app.h - the viewer on a terminal, or one screen of the viewer as text. */
#ifndef SYC_VIEW_APP_H
#define SYC_VIEW_APP_H

#include <stdbool.h>
#include <stdio.h>

#include <syscap/profile.h>

#include "view/grid.h"

/** Options of a viewer. */
struct syc_app_options {
	const char *command, *file;
	const char *title; /* name to show; NULL: name of @file */
	/* Reader, which the viewer owns from then on. */
	struct syscap_reader *reader;
	struct syscap_profile_options profile;
	/* Filter, whose from and to count from the beginning. */
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
	 * The viewer calls this function before each reading; false: the file
	 * has ended.  May be NULL.
	 */
	bool (*goes_on)(void *context);
	/* syc_app_snapshot() calls this function when the file is read.  @r is
	 * the filter's result, 0 or -EINVAL with @error.  NULL: no call. */
	void (*judge)(void *context, const struct syscap_profile *profile,
	              int r, const struct syscap_error *error);
	void *context;
};

/** Whether a page of that name exists. */
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
