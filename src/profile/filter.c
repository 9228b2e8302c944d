/* SPDX-License-Identifier: BSD-2-Clause */
/* filter.c - filters: the functions, threads, and times that pass. */
#define _GNU_SOURCE
#include "profile/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE SYSCAP_PROFILE_NONE

/*
 * Limit of a pattern, in bytes.  C libraries compile each "(" by a recursive
 * call.  A pattern of this length needs less than 2 MiB of stack; a smaller
 * stack may overflow.
 */
#define PATTERN_MAX 4096u

/* Threads and processes that pass the other conditions, by number. */
struct filter_tasks {
	const unsigned char *threads, *processes;
};

int syc_pattern_compile(regex_t *regex, const char *pattern, char *why,
                        size_t size)
{
	int r;

	if (strnlen(pattern, PATTERN_MAX + 1) > PATTERN_MAX) {
		snprintf(why, size, "longer than %u bytes", PATTERN_MAX);
		return -EINVAL;
	}
	r = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (r == REG_ESPACE)
		return -ENOMEM;
	if (r != 0)
		regerror(r, regex, why, size);
	return r == 0 ? 0 : -EINVAL;
}

struct chosen {
	int64_t time, duration;
	uint32_t mark;
};

struct choice {
	SYC_ARRAY(struct chosen) marks;
};

/* Return whether @mark overlaps the times of @asked. */
static bool overlaps(const struct syscap_filter *asked,
                     const struct syscap_profile_mark *mark)
{
	return (!asked->has_from || mark->time >= asked->from ||
	        syc_marks_end(mark->time, mark->duration) > asked->from) &&
	       (!asked->has_to || mark->time < asked->to);
}

static bool is_asked(const struct syscap_filter *asked,
                     const struct syscap_profile *profile,
                     const struct syscap_profile_mark *mark)
{
	const struct syscap_profile_mark_name *name =
		&profile->marks.names.items[mark->name];

	return (asked->mark_group == NULL ||
	        strcmp(name->group, asked->mark_group) == 0) &&
	       (asked->mark_name == NULL ||
	        strcmp(name->name, asked->mark_name) == 0) &&
	       mark->duration >= asked->longer_than && overlaps(asked, mark);
}

static int choose(const struct syscap_profile *profile,
                  const struct syscap_filter *asked,
                  const struct filter_tasks *tasks, struct choice *choice)
{
	const size_t n =
		asked->marks != NULL ? asked->n_marks : profile->marks.items.n;

	for (size_t k = 0; k < n; k++) {
		const size_t i = asked->marks != NULL ? asked->marks[k] : k;
		const struct syscap_profile_mark mark =
			syc_marks_get(&profile->marks, i);
		const struct syscap_profile_thread *thread =
			&profile->processes.threads.items[mark.thread];
		const struct chosen chosen = { mark.time, mark.duration,
			                       (uint32_t)i };

		if (asked->marks == NULL &&
		    (mark.is_end || !is_asked(asked, profile, &mark)))
			continue;
		if (thread->tid < 0 ? !tasks->processes[thread->process]
		                    : !tasks->threads[mark.thread])
			continue;
		if (syc_array_push(&choice->marks, chosen) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int by_duration(const void *left, const void *right)
{
	const struct chosen *a = left, *b = right;

	if (a->duration != b->duration)
		return a->duration > b->duration ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->mark < b->mark ? -1 : a->mark > b->mark;
}

static void keep_slowest(const struct syscap_filter *asked,
                         struct choice *choice)
{
	size_t most = choice->marks.n;

	if (asked->marks != NULL)
		return;
	if (asked->slowest > 0 && asked->slowest < most)
		most = (size_t)asked->slowest;
	if (asked->slowest_percent > 0 && asked->slowest_percent < 100)
		most = (size_t)ceil((double)choice->marks.n *
		                    asked->slowest_percent / 100);
	if (choice->marks.n > 0)
		qsort(choice->marks.items, choice->marks.n,
		      sizeof(*choice->marks.items), by_duration);
	if (most < choice->marks.n)
		choice->marks.n = most;
}

static int compare_place(const struct syc_inside_marks *a,
                         const struct syc_inside_marks *b)
{
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return 0;
}

static int by_place(const void *left, const void *right)
{
	const struct syc_inside_marks *a = left, *b = right;
	const int order = compare_place(a, b);

	if (order != 0)
		return order;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Sort times, and join overlapping times. */
static void join(struct syc_filter_marks *marks)
{
	struct syc_inside_marks *items = marks->inside.items;
	size_t n = 0;

	if (marks->inside.n > 0)
		qsort(items, marks->inside.n, sizeof(*items), by_place);
	for (size_t i = 0; i < marks->inside.n; i++) {
		if (n > 0 && compare_place(&items[n - 1], &items[i]) == 0 &&
		    items[i].begin <= items[n - 1].end) {
			if (items[i].end > items[n - 1].end)
				items[n - 1].end = items[i].end;
		} else {
			items[n++] = items[i];
		}
	}
	marks->inside.n = n;
}

static int take(struct syc_filter_marks *marks,
                const struct syscap_profile *profile,
                const struct choice *choice)
{
	for (size_t i = 0; i < choice->marks.n; i++) {
		const uint32_t number = choice->marks.items[i].mark;
		const struct syscap_profile_mark mark =
			syc_marks_get(&profile->marks, number);
		const struct syscap_profile_thread *thread =
			&profile->processes.threads.items[mark.thread];
		const struct syc_inside_marks inside = {
			.begin = mark.time,
			.end = syc_marks_end(mark.time, mark.duration),
			.thread = thread->tid < 0 ? NONE : mark.thread,
			.process = thread->process,
		};

		marks->n_threadless += thread->tid < 0;
		if (syc_array_push(&marks->inside, inside) < 0 ||
		    syc_array_push(&marks->numbers, number) < 0)
			return -ENOMEM;
	}
	join(marks);
	return 0;
}

static void say_none(const struct syscap_filter *asked,
                     struct syscap_error *error)
{
	char longer[64] = "";

	if (asked->longer_than > 0)
		snprintf(longer, sizeof(longer), " that take %.9g s or longer",
		         (double)asked->longer_than / 1e9);
	error->code = EINVAL;
	error->offset = 0;
	if (asked->mark_group == NULL) {
		snprintf(error->message, sizeof(error->message),
		         "there are no marks%s", longer);
		return;
	}
	snprintf(error->message, sizeof(error->message),
	         "no marks match %s/%s%s", asked->mark_group,
	         asked->mark_name ? asked->mark_name : "*", longer);
}

/* Returns 0, -ENOMEM, or -EINVAL: no mark matches. */
static int filter_marks_find(struct syc_filter_marks *marks,
                             const struct syscap_profile *profile,
                             const struct syscap_filter *asked,
                             const struct filter_tasks *tasks,
                             struct syscap_error *error)
{
	struct choice choice = { 0 };
	int r = choose(profile, asked, tasks, &choice);

	if (r == 0 && choice.marks.n == 0) {
		r = -EINVAL;
		if (error != NULL)
			say_none(asked, error);
	}
	if (r == 0) {
		keep_slowest(asked, &choice);
		r = take(marks, profile, &choice);
	}
	free(choice.marks.items);
	return r;
}

static void filter_marks_fini(struct syc_filter_marks *marks)
{
	free(marks->numbers.items);
	free(marks->inside.items);
}

static bool is_within(const struct syc_filter_marks *marks,
                      const struct syc_inside_marks *wanted)
{
	size_t low = 0, high = marks->inside.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (by_place(&marks->inside.items[middle], wanted) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 &&
	       compare_place(&marks->inside.items[low - 1], wanted) == 0 &&
	       wanted->begin < marks->inside.items[low - 1].end;
}

static bool filter_marks_have(const struct syc_filter_marks *marks,
                              const struct syscap_profile *profile,
                              uint32_t thread, int64_t time)
{
	struct syc_inside_marks wanted = {
		.begin = time,
		.thread = thread,
		.process = profile->processes.threads.items[thread].process,
	};

	if (is_within(marks, &wanted))
		return true;
	wanted.thread = NONE;
	return marks->n_threadless > 0 && is_within(marks, &wanted);
}

/* Flag all functions whose name @pattern matches. */
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
		         "'%.40s' is not a regular expression: %s", pattern,
		         why);
	}
	if (r != 0)
		return r;
	for (size_t i = SYSCAP_FUNCTION_HIDDEN + 1; i < functions->items.n; i++)
		if (regexec(&regex, functions->items.items[i].name, 0, NULL,
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

/* Return whether @name is a function by which --memory observes the program.
 * The library's symbol table has other names for some of these functions. */
static bool is_allocator(const char *name)
{
	static const char *const names[] = {
		"malloc",        "calloc",      "realloc",
		"reallocarray",  "free",        "free_sized",
		"memalign",      "valloc",      "free_aligned_sized",
		"aligned_alloc", "pvalloc",     "posix_memalign",
		"mmap",          "munmap",      "mremap",
		"mmap64",        "malloc_seen", "calloc_seen",
		"realloc_seen",  "free_seen",   "map_seen",
		"unmap_seen",    "move_seen",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool is_recording(const struct syscap_profile_function *function)
{
	return function->category == SYSCAP_CATEGORY_RECORDING;
}

static void mark_recording(struct syc_filter *filter,
                           const struct syc_functions *functions)
{
	for (size_t i = 0; i < functions->items.n; i++) {
		const struct syscap_profile_function *function =
			&functions->items.items[i];

		if (is_recording(function)) {
			filter->has_recording = true;
			filter->functions[i] |= SYC_FUNCTION_RECORDING;
			if (is_allocator(function->name))
				filter->functions[i] |= SYC_FUNCTION_ALLOCATOR;
		} else if (strcmp(function->binary, "[vdso]") == 0) {
			filter->functions[i] |= SYC_FUNCTION_VDSO;
		}
	}
}

/*
 * If @glob matches a binary, show the functions of the binary as the binary.
 * Functions of a linked copy of syscap are not shown as the program.
 */
static void collapse(struct syc_filter *filter,
                     const struct syc_functions *functions, const char *glob)
{
	for (size_t i = 0; i < functions->items.n; i++) {
		const struct syscap_profile_function *items =
			functions->items.items;
		const uint32_t as = functions->of_binary.items[i];

		if (glob != NULL && items[i].binary[0] != 0 &&
		    is_recording(&items[i]) == is_recording(&items[as]) &&
		    fnmatch(glob, items[i].binary, 0) == 0)
			filter->shown_as[i] = as;
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

	for (size_t i = 0; i < profile->processes.threads.n; i++) {
		const struct syscap_profile_thread *thread =
			&profile->processes.threads.items[i];
		const int32_t pid =
			profile->processes.list.items[thread->process].pid;

		filter->threads[i] = (asked->pid == 0 || asked->pid == pid) &&
		                     (asked->thread == NULL ||
		                      is_thread(thread, asked->thread));
		filter->processes[thread->process] |= filter->threads[i];
	}
}

/*
 * Keep the selected threads, after the slowest marks of the whole capture were
 * chosen.
 */
static void keep_numbers(struct syc_filter *filter,
                         const struct syscap_profile *profile)
{
	const struct syscap_filter *asked = filter->asked;

	for (size_t i = 0; i < profile->processes.threads.n; i++)
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
	if (r == 0) {
		mark_recording(filter, functions);
		collapse(filter, functions, asked->collapse_library);
	}
	return r;
}

static bool has_mark_condition(const struct syscap_filter *asked)
{
	return asked->marks != NULL || asked->mark_group != NULL ||
	       asked->longer_than > 0 || asked->slowest > 0 ||
	       asked->slowest_percent > 0;
}

static int find_marks(struct syc_filter *filter,
                      const struct syscap_profile *profile,
                      struct syscap_error *error)
{
	const struct filter_tasks tasks = {
		.threads = filter->threads,
		.processes = filter->processes,
	};

	filter->has_marks = true;
	return filter_marks_find(&filter->marks, profile, filter->asked, &tasks,
	                         error);
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
	filter->threads = calloc(profile->processes.threads.n + 1, 1);
	filter->processes = calloc(profile->processes.list.n + 1, 1);
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
	filter_marks_fini(&filter->marks);
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
	        filter_marks_have(&filter->marks, profile, thread, time));
}
