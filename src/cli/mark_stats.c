/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_stats.c - statistics of marks by (group, name). */
#include "cli/mark_stats.h"

#include <syscap/format.h>

#include "data/rank.h"

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
	return syc_array_push(&marks->marks.items[number].durations,
	                      duration > 0 ? duration : 0);
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

static void finish_mark(struct syc_mark *mark)
{
	int64_t *const durations = mark->durations.items;
	const size_t n = mark->durations.n;
	__int128 total = 0;

	mark->count = n;
	mark->min = durations[0];
	mark->max = durations[0];
	for (size_t i = 0; i < n; i++) {
		total += durations[i];
		if (durations[i] < mark->min)
			mark->min = durations[i];
		if (durations[i] > mark->max)
			mark->max = durations[i];
	}
	mark->mean = (int64_t)(total / (__int128)n);
	mark->median = syc_rank_percentile(durations, n, 50);
	mark->p99 = syc_rank_percentile(durations, n, 99);
	mark->total = clamp(total);
	free(durations);
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
