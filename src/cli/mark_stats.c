/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_stats.c - statistics of marks by (group, name). */
#include "cli/mark_stats.h"

#include <syscap/format.h>

#define KEY_SIZE                                         \
	(sizeof(((struct syscap_wire_mark *)0)->group) + \
	 sizeof(((struct syscap_wire_mark *)0)->name))

void syc_mark_stats_fini(struct syc_mark_stats *marks)
{
	for (size_t i = 0; i < marks->marks.n; i++)
		free(marks->marks.items[i].durations.items);
	free(marks->marks.items);
	syc_map_fini(&marks->by_text);
}

int syc_mark_stats_add(struct syc_mark_stats *marks, const char *group,
                       const char *name, int64_t duration)
{
	const size_t group_size = strlen(group) + 1;
	const size_t name_size = strlen(name) + 1;
	char key[KEY_SIZE]; /* the reader has checked that both end */
	size_t number;

	memcpy(key, group, group_size);
	memcpy(key + group_size, name, name_size);
	const int r = syc_map_put(&marks->by_text, key, group_size + name_size,
	                          &number);
	if (r < 0)
		return r;
	if (r > 0) {
		const struct syc_mark mark = { .group = group, .name = name };

		if (syc_array_push(&marks->marks, mark) < 0)
			return -ENOMEM;
	}
	return syc_array_push(&marks->marks.items[number].durations, duration);
}

static int compare_durations(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

static int compare_marks(const void *left, const void *right)
{
	const struct syc_mark *a = left, *b = right;
	int order = (a->total < b->total) - (a->total > b->total);

	if (order == 0)
		order = (a->count < b->count) - (a->count > b->count);
	if (order == 0)
		order = strcmp(a->group, b->group);
	if (order == 0)
		order = strcmp(a->name, b->name);
	return order;
}

static int64_t clamp(__int128 value)
{
	if (value > INT64_MAX)
		return INT64_MAX;
	return value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* The value at ceil(share * n) of n sorted ones, counted from 1. */
static int64_t nearest_rank(const int64_t *sorted, size_t n, unsigned percent)
{
	const size_t whole = n / 100 * percent;
	const size_t rest = n % 100 * percent;

	return sorted[whole + (rest + 99) / 100 - 1];
}

static void finish_mark(struct syc_mark *mark)
{
	int64_t *sorted = mark->durations.items;
	const size_t n = mark->durations.n;
	__int128 total = 0;

	qsort(sorted, n, sizeof(*sorted), compare_durations);
	for (size_t i = 0; i < n; i++)
		total += sorted[i];

	mark->count = n;
	mark->min = sorted[0];
	mark->mean = (int64_t)(total / (__int128)n);
	mark->median = nearest_rank(sorted, n, 50);
	mark->p99 = nearest_rank(sorted, n, 99);
	mark->max = sorted[n - 1];
	mark->total = clamp(total);
	free(sorted);
	memset(&mark->durations, 0, sizeof(mark->durations));
}

void syc_mark_stats_finish(struct syc_mark_stats *marks)
{
	for (size_t i = 0; i < marks->marks.n; i++)
		finish_mark(&marks->marks.items[i]);
	if (marks->marks.n)
		qsort(marks->marks.items, marks->marks.n,
		      sizeof(*marks->marks.items), compare_marks);
}
