/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * moment.c - the moment at which the page opens: a crash, a stall that did not
 * end, or, in flight mode, the end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/strings.h"
#include "report/writer.h"

#define LAST_NS   (INT64_C(2) * 1000000000) /* shown of a long recording */
#define MARGIN_NS (LAST_NS / 20)
#define MAX_STACK 64u

/* The axis of the page begins with the last seconds until @time. */
static void set_window(const struct syc_page *page, int64_t time,
                       struct syc_page_moment *moment)
{
	struct syscap_profile_span span;

	syscap_profile_span(page->profile, &span);
	const uint64_t begin = syc_page_time(page, span.begin);
	const uint64_t to = syc_page_time(page, time) + MARGIN_NS;
	if (to <= begin + LAST_NS)
		return;
	snprintf(moment->window, sizeof(moment->window), "%" PRIu64 "-%" PRIu64,
	         to - LAST_NS, to);
}

/* The functions of @stack, except the @first innermost. */
static int describe_stack(const struct syc_page *page, uint32_t stack,
                          size_t first, char **ret_text)
{
	uint32_t functions[MAX_STACK];
	const size_t n = syscap_profile_stack_functions(page->profile, stack,
	                                                functions, MAX_STACK);
	size_t size;
	FILE *const text = open_memstream(ret_text, &size);

	if (text == NULL)
		return -ENOMEM;
	for (size_t i = first; i < n && i < MAX_STACK; i++)
		fprintf(text, "%s\n",
		        syscap_profile_function(page->profile, functions[i])
		                ->name);
	if (n > MAX_STACK)
		fputs("…\n", text);
	return fclose(text) == 0 ? 0 : -ENOMEM;
}

/* Return whether a mark states that the loop of @wait ended its stall. */
static bool has_ended(const struct syscap_profile *profile,
                      const struct syscap_profile_wait *wait)
{
	const struct syscap_profile_mark_name *names;
	size_t n_names;

	names = syscap_profile_mark_names(profile, &n_names);
	for (size_t i = syscap_profile_n_marks(profile); i-- > 0;) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(profile, i);

		if (mark.thread == wait->thread && mark.time <= wait->time &&
		    mark.duration >= 0 &&
		    (uint64_t)mark.duration >=
		            (uint64_t)wait->time - (uint64_t)mark.time &&
		    strcmp(names[mark.name].group, "loop") == 0 &&
		    strcmp(names[mark.name].name, "stall") == 0)
			return true;
	}
	return false;
}

/* Return the last stack of a stall that has no mark, or NULL. */
static const struct syscap_profile_wait *
find_stall(const struct syscap_profile *profile)
{
	const struct syscap_profile_wait *waits;
	size_t n;

	waits = syscap_profile_waits(profile, &n);
	while (n-- > 0)
		if (waits[n].is_stall)
			return has_ended(profile, &waits[n]) ? NULL : &waits[n];
	return NULL;
}

/* @stack, except its @first innermost functions, is the moment's stack. */
static int set_moment(const struct syc_page *page, int64_t time, uint32_t stack,
                      size_t first, struct syc_page_moment *moment)
{
	set_window(page, time, moment);
	moment->time = syc_page_time(page, time);
	return describe_stack(page, stack, first, &moment->stack);
}

static int describe_crash(const struct syc_page *page,
                          struct syc_page_moment *moment)
{
	const struct syscap_profile_crash *crash;
	size_t n, used;

	crash = syscap_profile_crashes(page->profile, &n);
	syscap_profile_describe_crash(page->profile, moment->headline,
	                              sizeof(moment->headline));
	used = strlen(moment->headline);
	if (n > 1)
		snprintf(moment->headline + used,
		         sizeof(moment->headline) - used, ", and %zu more",
		         n - 1);
	moment->label = page->report->redact ? "crash" : crash->message;
	return set_moment(page, crash->time, crash->stack, 1, moment);
}

static int describe_stall(const struct syc_page *page,
                          const struct syscap_profile_wait *stall,
                          struct syc_page_moment *moment)
{
	const struct syscap_profile_thread *thread;
	const struct syscap_profile_process *process;
	struct syscap_profile_span span;
	char after[32];
	int64_t passed;
	size_t n;

	syscap_profile_span(page->profile, &span);
	if (__builtin_sub_overflow(stall->time, span.begin, &passed))
		passed = INT64_MAX;
	thread = &syscap_profile_threads(page->profile, &n)[stall->thread];
	process = &syscap_profile_processes(page->profile, &n)[thread->process];
	syc_duration_format(passed, after, sizeof(after));
	snprintf(moment->headline, sizeof(moment->headline),
	         "a loop of process %d was stalled after %s of the recording, "
	         "and the stall did not end",
	         (int)process->pid, after);
	moment->label = "stalled";
	return set_moment(page, stall->time, stall->stack, 0, moment);
}

int syc_page_find_moment(const struct syc_page *page,
                         struct syc_page_moment *ret_moment)
{
	const struct syscap_profile_wait *const stall =
		find_stall(page->profile);
	struct syscap_profile_span span;
	size_t n_crashes;

	*ret_moment = (struct syc_page_moment){ .label = "" };
	syscap_profile_crashes(page->profile, &n_crashes);
	if (n_crashes > 0)
		return describe_crash(page, ret_moment);
	if (stall != NULL)
		return describe_stall(page, stall, ret_moment);
	syscap_profile_span(page->profile, &span);
	if (span.is_flight)
		set_window(page, span.end, ret_moment);
	return 0;
}
