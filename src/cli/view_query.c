/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_query.c - the profile of a capture, and the view that a command shows.
 */
#include "cli/view_query.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/error.h"
#include "cli/filter_check.h"
#include "cli/input.h"
#include "cli/options.h"

static int64_t add(int64_t begin, int64_t ns)
{
	int64_t sum;

	return __builtin_add_overflow(begin, ns, &sum) ? INT64_MAX : sum;
}

/* Readable parts are used. */
static int read_all(struct syc_view_query *query)
{
	struct syscap_profile_span span;
	struct syscap_error error;
	int r = syscap_profile_read(query->profile, query->reader, &error);

	if (r == -EBADMSG) {
		syc_cli_error_print(query->command, query->file, &error);
		query->status = SYC_EXIT_PROBLEM;
		r = 0;
	}
	if (r == 0)
		r = syscap_profile_settle(query->profile);
	if (r < 0)
		return r;
	syscap_profile_span(query->profile, &span);
	if (span.n_damaged > 0) {
		fprintf(stderr, "%s: %s: left out %" PRIu64 " damaged frames\n",
		        query->command, query->file, span.n_damaged);
		query->status = SYC_EXIT_PROBLEM;
	}
	return 0;
}

/* A profile lacks threads and functions of parts that it does not keep: if a
 * name is missing, a profile with all parts is made. NULL: no memory. */
static struct syscap_profile *
read_all_parts(struct syc_view_query *query,
               const struct syscap_profile_options *options)
{
	struct syscap_profile_options all = *options;
	struct syscap_profile *profile;

	all.parts = SYSCAP_PROFILE_BUT_VALUES;
	if (syscap_profile_new(&all, &profile) < 0)
		return NULL;
	syscap_reader_rewind(query->reader);
	/* Damage was reported before */
	if (syscap_profile_read(profile, query->reader, NULL) == -ENOMEM ||
	    syscap_profile_settle(profile) < 0) {
		syscap_profile_free(profile);
		return NULL;
	}
	return profile;
}

/* The view is @r and, if it is -EINVAL, @error. */
static int judge(struct syc_view_query *query,
                 const struct syscap_profile_options *options, int r,
                 const struct syscap_error *error)
{
	const struct syscap_filter *filter = &query->filter;
	struct syscap_profile *all = NULL;

	query->missing = syc_filter_check_find(query->profile, filter);
	if (query->missing != 0) {
		all = read_all_parts(query, options);
		if (all == NULL)
			return -ENOMEM;
		query->missing = syc_filter_check_find(all, filter);
	}
	if ((r == -EINVAL || !query->is_one_of_many) &&
	    syc_filter_check_report(query->command, query->file,
	                            all != NULL ? all : query->profile, filter,
	                            r, error))
		query->status = SYC_EXIT_PROBLEM;
	syscap_profile_free(all);
	return r;
}

static int look(struct syc_view_query *query,
                const struct syscap_profile_options *options,
                const struct syscap_filter *filter)
{
	struct syscap_profile_span span;
	struct syscap_error error;
	int r;

	syscap_profile_span(query->profile, &span);
	query->filter = *filter;
	query->filter.from = add(span.begin, filter->from);
	query->filter.to = add(span.begin, filter->to);
	r = syscap_view_new(query->profile, &query->filter, &query->view,
	                    &error);
	return r == -ENOMEM ? r : judge(query, options, r, &error);
}

bool syc_view_query_open(struct syc_view_query *query,
                         const struct syscap_profile_options *options,
                         const struct syscap_filter *filter)
{
	struct syscap_profile_options once = *options;
	struct syscap_error error;
	int r = syc_input_open(query->file, &query->reader, &error);

	if (r < 0) {
		syc_cli_error_print(query->command, query->file, &error);
		query->status = SYC_EXIT_PROBLEM;
		return false;
	}
	syc_cli_error_note_merged(query->command, query->file, query->reader);
	once.is_once = true;
	r = syscap_profile_new(&once, &query->profile);
	if (r == 0)
		r = read_all(query);
	if (r == 0)
		r = look(query, options, filter);
	if (r == -ENOMEM)
		syc_cli_error_no_memory(query->command);
	if (r < 0 || syc_cli_error_warn_unread(query->command, query->file,
	                                       query->reader))
		query->status = SYC_EXIT_PROBLEM;
	return r == 0;
}

void syc_view_query_close(struct syc_view_query *query)
{
	syscap_view_free(query->view);
	syscap_profile_free(query->profile);
	syscap_reader_close(query->reader);
}
