/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_query.c - profile of a capture, view that a command shows, and names in
 * the filter that the capture lacks.
 */
#include "cli/view_query.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/frame.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/table.h"
#include "common/strings.h"
#include "profile/filter.h"
#include "profile/marks.h"

/* Names in a filter that a capture does not contain. */

enum missing {
	SYC_MISSING_PID = 1,
	SYC_MISSING_THREAD = 2,
	SYC_MISSING_FUNCTION = 4,
	SYC_MISSING_FOCUS = 8,
	SYC_MISSING_MARK = 16,
	SYC_MISSING_ALL = 31
};

static bool has_pid(const struct syscap_profile *profile, int32_t pid)
{
	const struct syscap_profile_process *processes;
	size_t n;

	processes = syscap_profile_processes(profile, &n);
	for (size_t i = 0; i < n; i++)
		if (processes[i].pid == pid)
			return true;
	return false;
}

/*
 * Search the threads of all processes: the thread may belong to a process other
 * than --pid.
 */
static bool has_thread(const struct syscap_profile *profile, const char *wanted)
{
	const struct syscap_profile_thread *threads;
	char digits[16];
	size_t n;

	threads = syscap_profile_threads(profile, &n);
	for (size_t i = 0; i < n; i++) {
		snprintf(digits, sizeof(digits), "%" PRId32, threads[i].tid);
		if (strcmp(threads[i].name, wanted) == 0 ||
		    strcmp(digits, wanted) == 0)
			return true;
	}
	return false;
}

static bool has_function(const struct syscap_profile *profile,
                         const char *pattern)
{
	const struct syscap_profile_function *functions;
	bool found = false;
	regex_t regex;
	char why[100];
	size_t n;

	if (syc_pattern_compile(&regex, pattern, why, sizeof(why)) != 0)
		return true; /* a pattern that was valid before, so memory is
		              * missing */
	functions = syscap_profile_functions(profile, &n);
	for (size_t i = SYSCAP_FUNCTION_HIDDEN + 1; i < n && !found; i++)
		found = regexec(&regex, functions[i].name, 0, NULL, 0) == 0;
	regfree(&regex);
	return found;
}

static bool has_mark(const struct syscap_profile *profile,
                     const struct syscap_filter *filter)
{
	const struct syscap_profile_mark_name *names;
	size_t n;

	names = syscap_profile_mark_names(profile, &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i].group, filter->mark_group) == 0 &&
		    (filter->mark_name == NULL ||
		     strcmp(names[i].name, filter->mark_name) == 0))
			return true;
	return false;
}

static unsigned filter_check_find(const struct syscap_profile *profile,
                                  const struct syscap_filter *filter)
{
	unsigned missing = 0;

	if (filter->pid != 0 && !has_pid(profile, filter->pid))
		missing |= SYC_MISSING_PID;
	if (filter->thread != NULL && !has_thread(profile, filter->thread))
		missing |= SYC_MISSING_THREAD;
	if (filter->function != NULL &&
	    !has_function(profile, filter->function))
		missing |= SYC_MISSING_FUNCTION;
	if (filter->focus != NULL && !has_function(profile, filter->focus))
		missing |= SYC_MISSING_FOCUS;
	if (filter->mark_group != NULL && !has_mark(profile, filter))
		missing |= SYC_MISSING_MARK;
	return missing;
}

/* ------------------------------------------------------------ messages */

static void tell(const char *command, const char *file, const char *what,
                 const char *wanted)
{
	fprintf(stderr, "%s: %s: the capture has %s ", command, file, what);
	syc_printable_write(stderr, wanted, false);
}

/* Print the nearest name, the @only name, or the number of names. */
static void tell_others(const char *suggest, const char *only, size_t n,
                        const char *what)
{
	if (suggest != NULL) {
		fputs("; did you mean '", stderr);
		syc_printable_write(stderr, suggest, false);
		fputs("'?\n", stderr);
	} else if (n == 1) {
		fputs("; the only one is ", stderr);
		syc_printable_write(stderr, only, false);
		putc('\n', stderr);
	} else {
		fprintf(stderr, "; there are %zu %s\n", n, what);
	}
}

static void tell_pid(const struct syscap_profile *profile)
{
	const struct syscap_profile_process *processes;
	size_t n, n_real = 0, last = 0;

	processes = syscap_profile_processes(profile, &n);
	for (size_t i = 0; i < n; i++)
		if (processes[i].pid >= 0)
			n_real++, last = i;
	if (n_real == 1) {
		fprintf(stderr, "; the only one is %" PRId32 " ",
		        processes[last].pid);
		syc_printable_write(stderr, processes[last].binary, false);
		putc('\n', stderr);
	} else {
		tell_others(NULL, NULL, n_real, "processes");
	}
}

static void tell_thread(const struct syscap_profile *profile,
                        const char *wanted)
{
	struct syc_suggest suggest = { .wanted = wanted };
	const struct syscap_profile_thread *threads;
	const char *only = "";
	size_t n, n_real = 0;
	char digits[16];

	threads = syscap_profile_threads(profile, &n);
	for (size_t i = 0; i < n; i++) {
		if (threads[i].tid >= 0 && n_real++ == 0) {
			snprintf(digits, sizeof(digits), "%" PRId32,
			         threads[i].tid);
			only = threads[i].name[0] != 0 ? threads[i].name
			                               : digits;
		}
		syc_suggest_consider(&suggest, threads[i].name);
	}
	tell_others(suggest.name, only, n_real, "threads");
}

static void tell_function(const struct syscap_profile *profile,
                          const char *wanted)
{
	struct syc_suggest suggest = { .wanted = wanted };
	const struct syscap_profile_function *functions;
	const char *only = "";
	size_t n, n_real = 0;

	functions = syscap_profile_functions(profile, &n);
	for (size_t i = 0; i < n; i++) {
		if (functions[i].category == SYSCAP_CATEGORY_NOTE ||
		    functions[i].name[0] == 0)
			continue;
		if (n_real++ == 0)
			only = functions[i].name;
		syc_suggest_consider(&suggest, functions[i].name);
	}
	tell_others(suggest.name, only, n_real, "functions");
}

static void write_mark(char text[128], const char *group, const char *name)
{
	snprintf(text, 128, "%s%s%s", group, name != NULL ? "/" : "",
	         name != NULL ? name : "");
}

static void tell_mark(const char *command, const char *file,
                      const struct syscap_profile *profile,
                      const struct syscap_filter *filter)
{
	const struct syscap_profile_mark_name *names;
	char wanted[128], text[128] = "", kept[128] = "";
	struct syc_suggest suggest = { .wanted = wanted };
	size_t n;

	write_mark(wanted, filter->mark_group, filter->mark_name);
	tell(command, file, "no mark", wanted);
	names = syscap_profile_mark_names(profile, &n);
	for (size_t i = 0; i < n; i++) {
		write_mark(text, names[i].group,
		           filter->mark_name != NULL ? names[i].name : NULL);
		syc_suggest_consider(&suggest, text);
		if (suggest.name == text) {
			memcpy(kept, text, sizeof(kept));
			suggest.name = kept;
		}
	}
	if (n == 1)
		write_mark(text, names[0].group, names[0].name);
	tell_others(suggest.name, text, n, "kinds of marks");
}

void syc_filter_check_print(const char *command, const char *file,
                            const struct syscap_profile *profile,
                            const struct syscap_filter *filter,
                            unsigned missing)
{
	char pid[16];

	/* Flush first, so that output on stdout precedes the message. */
	fflush(stdout);
	if (missing & SYC_MISSING_PID) {
		snprintf(pid, sizeof(pid), "%" PRId32, filter->pid);
		tell(command, file, "no process", pid);
		tell_pid(profile);
	}
	if (missing & SYC_MISSING_THREAD) {
		tell(command, file, "no event of thread", filter->thread);
		tell_thread(profile, filter->thread);
	}
	if (missing & SYC_MISSING_FUNCTION) {
		tell(command, file, "no function that matches",
		     filter->function);
		tell_function(profile, filter->function);
	}
	if (missing & SYC_MISSING_FOCUS) {
		tell(command, file, "no function that matches", filter->focus);
		tell_function(profile, filter->focus);
	}
	if (missing & SYC_MISSING_MARK)
		tell_mark(command, file, profile, filter);
}

bool syc_filter_check_report(const char *command, const char *file,
                             const struct syscap_profile *profile,
                             const struct syscap_filter *filter, int r,
                             const struct syscap_error *error)
{
	const unsigned missing = filter_check_find(profile, filter);

	if (r == -EINVAL && (missing & SYC_MISSING_MARK) == 0)
		syc_cli_error_print(command, file, error);
	syc_filter_check_print(command, file, profile, filter, missing);
	return r == -EINVAL || missing != 0;
}

static int64_t add(int64_t begin, int64_t ns)
{
	int64_t sum;

	return __builtin_add_overflow(begin, ns, &sum) ? INT64_MAX : sum;
}

/* Read the capture, and use all readable parts. */
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
		fprintf(stderr,
		        "%s: %s: skipped %" PRIu64
		        " damaged frame%s; 'syscap check' lists %s\n",
		        query->command, query->file, span.n_damaged,
		        syc_plural(span.n_damaged),
		        span.n_damaged == 1 ? "it" : "them");
		query->status = SYC_EXIT_PROBLEM;
	}
	return 0;
}

/*
 * Make a profile with all parts, if a name is missing: a profile lacks threads
 * and functions of parts that the profile does not keep.  Returns NULL without
 * memory.
 */
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
	/* Ignore damage, which was reported before */
	if (syscap_profile_read(profile, query->reader, NULL) == -ENOMEM ||
	    syscap_profile_settle(profile) < 0) {
		syscap_profile_free(profile);
		return NULL;
	}
	return profile;
}

/* Report the result @r of making the view, with @error if @r is -EINVAL. */
static int judge(struct syc_view_query *query,
                 const struct syscap_profile_options *options, int r,
                 const struct syscap_error *error)
{
	const struct syscap_filter *filter = &query->filter;
	struct syscap_profile *all = NULL;

	query->missing = filter_check_find(query->profile, filter);
	if (query->missing != 0) {
		all = read_all_parts(query, options);
		if (all == NULL)
			return -ENOMEM;
		query->missing = filter_check_find(all, filter);
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

/* Return whether the mark begins in the filter's times, threads and marks. */
static enum syc_mark_passes
begins_inside(const struct syc_view_query *query,
              const struct syc_filter *filter, int64_t begin,
              const struct syscap_profile_event *event)
{
	const bool is_false = syc_processes_is_false_mark(
		&query->profile->processes, event->frame);
	const int64_t time = is_false ? syc_frame_last_time(event->frame)
	                              : event->frame->time;

	if (!syc_filter_passes(filter, query->profile, event->thread,
	                       time > begin ? time : begin))
		return SYC_MARK_EXCLUDED;
	return is_false ? SYC_MARK_FALSE : SYC_MARK_PASSES;
}

/* Return whether the mark began before the recording, or may end an operation
 * that did. */
static bool is_early(const struct syscap_profile_event *event, int64_t begin)
{
	const struct syscap_frame *frame = event->frame;
	struct syscap_profile_part part;

	return frame->type == SYSCAP_FRAME_MARK && !event->is_loss &&
	       (frame->time < begin ||
	        syc_async_part_read(frame->mark.message, &part));
}

static int add_early_marks(const struct syc_view_query *query,
                           const struct syc_filter *filter,
                           struct syc_mark_stats *marks)
{
	struct syscap_profile_walk *walk;
	struct syscap_profile_event event;
	int r = syscap_profile_walk_new(query->profile, query->reader, &walk);

	if (r < 0)
		return r;
	while (r == 0 && (r = syscap_profile_walk_event(walk, &event)) > 0) {
		r = 0;
		if (is_early(&event, marks->begin))
			r = syc_mark_stats_add_frame(
				marks, event.frame,
				filter != NULL
					? begins_inside(query, filter,
			                                marks->begin, &event)
					: syc_mark_passes(query->profile,
			                                  marks->begin,
			                                  query->view, &event));
	}
	syscap_profile_walk_free(walk);
	return r;
}

void syc_view_query_note(const struct syc_view_query *query, char *text)
{
	struct syscap_profile_unsampled unsampled = { 0 };
	const struct syscap_profile *const profile = query->profile;
	size_t n;

	snprintf(text, SYC_VIEW_NOTE, "%s",
	         profile->processes.is_part
	                 ? "a part of a recording, made by syscap cut"
	                 : "");
	if (query->filter.of == SYSCAP_VIEW_SAMPLES)
		syscap_profile_unsampled(profile, &unsampled);
	n = strlen(text);
	if (n > 0)
		n += (size_t)snprintf(text + n, SYC_VIEW_NOTE - n, "; ");
	syscap_profile_describe_unsampled(&unsampled, text + n,
	                                  SYC_VIEW_NOTE - n);
	if (n > 0 && text[n] == 0)
		text[n - 2] = 0;
}

void syc_view_query_print_note(const struct syc_view_query *query)
{
	char text[SYC_VIEW_NOTE];

	syc_view_query_note(query, text);
	if (text[0] != 0)
		fprintf(stderr, "%s: %s: note: %s\n", query->command,
		        query->file, text);
}

int syc_view_query_early_marks(const struct syc_view_query *query,
                               bool by_begin, struct syc_early_marks *ret_marks)
{
	struct syc_mark_stats marks = { .from = query->filter.from };
	struct syscap_profile_span span;
	struct syscap_error error;
	struct syc_filter filter;
	int r = 0;

	*ret_marks = (struct syc_early_marks){ 0 };
	if (!query->profile->has_early_marks)
		return 0;
	syscap_profile_span(query->profile, &span);
	marks.begin = span.begin;
	if (by_begin)
		r = syc_filter_init(&filter, query->profile, &query->filter,
		                    &error);
	if (r < 0)
		return r;
	r = add_early_marks(query, by_begin ? &filter : NULL, &marks);
	if (r == 0)
		r = syc_mark_stats_finish(&marks);
	*ret_marks = marks.early;
	syc_mark_stats_fini(&marks);
	if (by_begin)
		syc_filter_fini(&filter);
	return r;
}
