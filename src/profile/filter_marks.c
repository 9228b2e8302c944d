/* SPDX-License-Identifier: BSD-2-Clause */
/* filter_marks.c - the times inside of the marks that a filter asks for. */
#include "profile/filter_marks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE SYSCAP_PROFILE_NONE

struct chosen {
	int64_t time, duration;
	uint32_t mark;
};

struct choice {
	SYC_ARRAY(struct chosen) marks;
};

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
	       mark->duration >= asked->longer_than &&
	       (!asked->has_from || mark->time >= asked->from) &&
	       (!asked->has_to || mark->time < asked->to);
}

static int choose(const struct syscap_profile *profile,
                  const struct syscap_filter *asked,
                  const struct syc_filter_who *who, struct choice *choice)
{
	for (size_t i = 0; i < profile->marks.items.n; i++) {
		const struct syscap_profile_mark mark =
			syc_marks_get(&profile->marks, i);
		const struct syscap_profile_thread *thread =
			&profile->who.threads.items[mark.thread];
		const struct chosen chosen = { mark.time, mark.duration,
			                       (uint32_t)i };

		if (!is_asked(asked, profile, &mark))
			continue;
		if (thread->tid < 0 ? !who->processes[thread->process]
		                    : !who->threads[mark.thread])
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

/* Sort, and make one of what overlaps. */
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
			&profile->who.threads.items[mark.thread];
		const struct syc_inside_marks inside = {
			.begin = mark.time,
			.end = syc_marks_end(&mark),
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
	snprintf(error->message, sizeof(error->message),
	         "there are no such marks: %s/%s%s",
	         asked->mark_group ? asked->mark_group : "*",
	         asked->mark_name ? asked->mark_name : "*", longer);
}

int syc_filter_marks_find(struct syc_filter_marks *marks,
                          const struct syscap_profile *profile,
                          const struct syscap_filter *asked,
                          const struct syc_filter_who *who,
                          struct syscap_error *error)
{
	struct choice choice = { 0 };
	int r = choose(profile, asked, who, &choice);

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

void syc_filter_marks_fini(struct syc_filter_marks *marks)
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

bool syc_filter_marks_have(const struct syc_filter_marks *marks,
                           const struct syscap_profile *profile,
                           uint32_t thread, int64_t time)
{
	struct syc_inside_marks wanted = {
		.begin = time,
		.thread = thread,
		.process = profile->who.threads.items[thread].process,
	};

	if (is_within(marks, &wanted))
		return true;
	wanted.thread = NONE;
	return marks->n_threadless > 0 && is_within(marks, &wanted);
}
