/* SPDX-License-Identifier: BSD-2-Clause */
/* missing.c - what a filter names and a capture does not have. */
#include "cli/missing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fault.h"
#include "cli/nearest.h"
#include "cli/printable.h"
#include "profile/pattern.h"

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

/* Of any process: that of another than --pid asks for is there. */
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
		return true; /* it was taken, so this is want of memory */
	functions = syscap_profile_functions(profile, &n);
	for (size_t i = 0; i < n && !found; i++)
		found = functions[i].category != SYSCAP_CATEGORY_NOTE &&
		        regexec(&regex, functions[i].name, 0, NULL, 0) == 0;
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

unsigned syc_missing_find(const struct syscap_profile *profile,
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

/* ------------------------------------------------------------- telling */

static void tell(const char *command, const char *file, const char *what,
                 const char *wanted)
{
	fprintf(stderr, "%s: %s: there is %s ", command, file, what);
	syc_printable_write(stderr, wanted, false);
}

/* The nearest, or else how many there are. */
static void tell_others(const char *nearest, size_t n, const char *what)
{
	if (nearest != NULL) {
		fputs("; is it ", stderr);
		syc_printable_write(stderr, nearest, false);
		fputs("?\n", stderr);
	} else if (n == 1) {
		fputs("; there is one\n", stderr);
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
		fprintf(stderr, "; there is %" PRId32 " ", processes[last].pid);
		syc_printable_write(stderr, processes[last].binary, false);
		putc('\n', stderr);
	} else {
		tell_others(NULL, n_real, "processes");
	}
}

static void tell_thread(const struct syscap_profile *profile,
                        const char *wanted)
{
	struct syc_nearest nearest = { .wanted = wanted };
	const struct syscap_profile_thread *threads;
	size_t n, n_real = 0;

	threads = syscap_profile_threads(profile, &n);
	for (size_t i = 0; i < n; i++) {
		n_real += threads[i].tid >= 0;
		syc_nearest_see(&nearest, threads[i].name);
	}
	tell_others(nearest.name, n_real, "threads");
}

static void tell_function(const struct syscap_profile *profile,
                          const char *wanted)
{
	struct syc_nearest nearest = { .wanted = wanted };
	const struct syscap_profile_function *functions;
	size_t n, n_real = 0;

	functions = syscap_profile_functions(profile, &n);
	for (size_t i = 0; i < n; i++) {
		if (functions[i].category == SYSCAP_CATEGORY_NOTE ||
		    functions[i].name[0] == 0)
			continue;
		n_real++;
		syc_nearest_see(&nearest, functions[i].name);
	}
	tell_others(nearest.name, n_real, "functions");
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
	char wanted[128], text[128], kept[128] = "";
	struct syc_nearest nearest = { .wanted = wanted };
	size_t n;

	write_mark(wanted, filter->mark_group, filter->mark_name);
	tell(command, file, "no mark", wanted);
	names = syscap_profile_mark_names(profile, &n);
	for (size_t i = 0; i < n; i++) {
		write_mark(text, names[i].group,
		           filter->mark_name != NULL ? names[i].name : NULL);
		syc_nearest_see(&nearest, text);
		if (nearest.name == text) {
			memcpy(kept, text, sizeof(kept));
			nearest.name = kept;
		}
	}
	tell_others(nearest.name, n, "kinds of marks");
}

void syc_missing_tell(const char *command, const char *file,
                      const struct syscap_profile *profile,
                      const struct syscap_filter *filter, unsigned missing)
{
	char pid[16];

	/* What is on stdout came first. */
	fflush(stdout);
	if (missing & SYC_MISSING_PID) {
		snprintf(pid, sizeof(pid), "%" PRId32, filter->pid);
		tell(command, file, "no process", pid);
		tell_pid(profile);
	}
	if (missing & SYC_MISSING_THREAD) {
		tell(command, file, "nothing of a thread", filter->thread);
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

bool syc_missing_judge(const char *command, const char *file,
                       const struct syscap_profile *profile,
                       const struct syscap_filter *filter, int r,
                       const struct syscap_error *error)
{
	const unsigned missing = syc_missing_find(profile, filter);

	if (r == -EINVAL && (missing & SYC_MISSING_MARK) == 0)
		syc_fault_print(command, file, error);
	syc_missing_tell(command, file, profile, filter, missing);
	return r == -EINVAL || missing != 0;
}
