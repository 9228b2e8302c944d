/* SPDX-License-Identifier: BSD-2-Clause */
/* filter.c - which samples a filter lets pass, worked out once. */
#define _GNU_SOURCE
#include "profile/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/pattern.h"

/* Mark all functions whose name @pattern matches. */
static int match(struct syc_filter *filter,
                 const struct syc_functions *functions, const char *pattern,
                 unsigned mark, struct syscap_error *error)
{
	char why[100];
	regex_t regex;
	int r;

	if (pattern == NULL)
		return 0;
	r = syc_pattern_compile(&regex, pattern, why, sizeof(why));
	if (r == -EINVAL && error != NULL) {
		error->code = EINVAL;
		error->offset = 0;
		snprintf(error->message, sizeof(error->message),
		         "'%.40s' is no regular expression: %s", pattern, why);
	}
	if (r != 0)
		return r;
	for (size_t i = 0; i < functions->items.n; i++)
		if (functions->items.items[i].category !=
		            SYSCAP_CATEGORY_NOTE &&
		    regexec(&regex, functions->items.items[i].name, 0, NULL,
		            0) == 0)
			filter->functions[i] |= (unsigned char)mark;
	regfree(&regex);
	return 0;
}

static void hide_system(struct syc_filter *filter,
                        const struct syc_functions *functions)
{
	for (size_t i = 0; i < functions->items.n; i++) {
		const enum syscap_profile_category category =
			functions->items.items[i].category;

		if (category == SYSCAP_CATEGORY_SYSTEM ||
		    category == SYSCAP_CATEGORY_KERNEL)
			filter->functions[i] |= SYC_FUNCTION_TAKEN_OUT;
	}
}

/* Functions of the binaries that @glob matches are shown as the binary. */
static void collapse(struct syc_filter *filter,
                     const struct syc_functions *functions, const char *glob)
{
	for (size_t i = 0; i < functions->items.n; i++) {
		const char *binary = functions->items.items[i].binary;

		if (glob != NULL && binary[0] != 0 &&
		    fnmatch(glob, binary, 0) == 0)
			filter->shown_as[i] = functions->of_binary.items[i];
		else
			filter->shown_as[i] = (uint32_t)i;
	}
}

static bool is_thread(const struct syscap_profile_thread *thread,
                      const char *text)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%d", (int)thread->tid);
	return strcmp(thread->name, text) == 0 || strcmp(digits, text) == 0;
}

static bool is_in(const uint32_t *numbers, size_t n, uint32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (numbers[i] == number)
			return true;
	return n == 0;
}

static void choose_threads(struct syc_filter *filter,
                           const struct syscap_profile *profile)
{
	const struct syscap_filter *asked = filter->asked;

	for (size_t i = 0; i < profile->who.threads.n; i++) {
		const struct syscap_profile_thread *thread =
			&profile->who.threads.items[i];
		const int32_t pid =
			profile->who.processes.items[thread->process].pid;

		filter->threads[i] = (asked->pid == 0 || asked->pid == pid) &&
		                     (asked->thread == NULL ||
		                      is_thread(thread, asked->thread));
		filter->processes[thread->process] |= filter->threads[i];
	}
}

/* What a caller picks out does not change which marks are the slowest. */
static void keep_numbers(struct syc_filter *filter,
                         const struct syscap_profile *profile)
{
	const struct syscap_filter *asked = filter->asked;

	for (size_t i = 0; i < profile->who.threads.n; i++)
		filter->threads[i] &=
			is_in(asked->threads, asked->n_threads, (uint32_t)i);
}

static int match_all(struct syc_filter *filter,
                     const struct syc_functions *functions,
                     struct syscap_error *error)
{
	const struct syscap_filter *asked = filter->asked;
	int r = match(filter, functions, asked->function, SYC_FUNCTION_WANTED,
	              error);

	if (r == 0)
		r = match(filter, functions, asked->drop, SYC_FUNCTION_DROPPED,
		          error);
	if (r == 0)
		r = match(filter, functions, asked->focus, SYC_FUNCTION_FOCUSED,
		          error);
	if (r == 0 && asked->hide_system)
		hide_system(filter, functions);
	if (r == 0)
		collapse(filter, functions, asked->collapse_library);
	return r;
}

static bool has_mark_condition(const struct syscap_filter *asked)
{
	return asked->mark_group != NULL || asked->longer_than > 0 ||
	       asked->slowest > 0 || asked->slowest_percent > 0;
}

static int find_marks(struct syc_filter *filter,
                      const struct syscap_profile *profile,
                      struct syscap_error *error)
{
	const struct syc_filter_who who = {
		.threads = filter->threads,
		.processes = filter->processes,
	};

	filter->has_marks = true;
	return syc_filter_marks_find(&filter->marks, profile, filter->asked,
	                             &who, error);
}

int syc_filter_init(struct syc_filter *filter,
                    const struct syscap_profile *profile,
                    const struct syscap_filter *asked,
                    struct syscap_error *error)
{
	const struct syc_functions *functions = &profile->functions;
	int r = -ENOMEM;

	memset(filter, 0, sizeof(*filter));
	filter->asked = asked;
	filter->functions = calloc(functions->items.n, 1);
	filter->shown_as = malloc(functions->items.n * sizeof(uint32_t));
	filter->threads = calloc(profile->who.threads.n + 1, 1);
	filter->processes = calloc(profile->who.processes.n + 1, 1);
	if (filter->functions != NULL && filter->shown_as != NULL &&
	    filter->threads != NULL && filter->processes != NULL)
		r = match_all(filter, functions, error);
	if (r == 0)
		choose_threads(filter, profile);
	if (r == 0 && has_mark_condition(asked))
		r = find_marks(filter, profile, error);
	if (r == 0)
		keep_numbers(filter, profile);
	if (r < 0)
		syc_filter_fini(filter);
	return r;
}

void syc_filter_fini(struct syc_filter *filter)
{
	free(filter->functions);
	free(filter->shown_as);
	free(filter->threads);
	free(filter->processes);
	syc_filter_marks_fini(&filter->marks);
}

bool syc_filter_passes(const struct syc_filter *filter,
                       const struct syscap_profile *profile, uint32_t thread,
                       int64_t time)
{
	const struct syscap_filter *asked = filter->asked;

	return filter->threads[thread] &&
	       (!asked->has_from || time >= asked->from) &&
	       (!asked->has_to || time < asked->to) &&
	       (!filter->has_marks ||
	        syc_filter_marks_have(&filter->marks, profile, thread, time));
}
