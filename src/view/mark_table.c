/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_table.c - marks that pass a view, by name, with statistics.
 *
 * Marks are placed by counting, name by name, in the order of the profile,
 * and put into that of time where it is another one: 4 bytes a mark, and 8
 * more while statistics are made of one name.
 */
#define _GNU_SOURCE
#include "view/mark_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/order.h"
#include "data/rank.h"

struct work {
	const struct syscap_profile *profile;
	size_t n_marks;
	const struct syscap_profile_mark_name *names;
	size_t n_names;
	size_t *counts; /* by name; then where the next one goes */
};

static size_t count(struct work *work, const struct syscap_view *view)
{
	size_t n = 0;

	for (size_t i = 0; i < work->n_marks; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(work->profile, i);

		if (syscap_view_has(view, mark.thread, mark.time)) {
			work->counts[mark.name]++;
			n++;
		}
	}
	return n;
}

static void place(struct work *work, const struct syscap_view *view,
                  struct syc_mark_table *table)
{
	size_t at = 0;

	for (size_t i = 0; i < work->n_names; i++) {
		const size_t n = work->counts[i];

		if (n > 0)
			table->rows[table->n_rows++] = (struct syc_mark_row){
				.name = (uint32_t)i, .first = at, .count = n
			};
		work->counts[i] = at;
		at += n;
	}
	for (size_t i = 0; i < work->n_marks; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(work->profile, i);

		if (syscap_view_has(view, mark.thread, mark.time))
			table->marks[work->counts[mark.name]++] = (uint32_t)i;
	}
}

static int by_time(const void *one, const void *other, void *data)
{
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const int64_t time_a = syscap_profile_mark(data, a).time;
	const int64_t time_b = syscap_profile_mark(data, b).time;

	if (time_a != time_b)
		return time_a < time_b ? -1 : 1;
	return (a > b) - (a < b);
}

static void add_up(struct syc_mark_row *row, const int64_t *durations)
{
	__int128 total = 0;

	row->min = row->max = durations[0];
	for (size_t i = 0; i < row->count; i++) {
		total += durations[i];
		if (durations[i] < row->min)
			row->min = durations[i];
		if (durations[i] > row->max)
			row->max = durations[i];
	}
	row->total = total > INT64_MAX ? INT64_MAX : (int64_t)total;
	row->mean = (int64_t)(total / (__int128)row->count);
	row->median = syc_rank_percentile(durations, row->count, 50);
	row->p99 = syc_rank_percentile(durations, row->count, 99);
}

static int sum_up(const struct work *work, struct syc_mark_table *table)
{
	size_t most = 1;
	int64_t *durations;

	for (size_t i = 0; i < table->n_rows; i++)
		if (table->rows[i].count > most)
			most = table->rows[i].count;
	durations = malloc(most * sizeof(*durations));
	if (durations == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < table->n_rows; i++) {
		struct syc_mark_row *row = &table->rows[i];
		uint32_t *marks = table->marks + row->first;

		syc_order(marks, row->count, by_time, (void *)work->profile);
		for (size_t k = 0; k < row->count; k++)
			durations[k] =
				syscap_profile_mark(work->profile, marks[k])
					.duration;
		add_up(row, durations);
	}
	free(durations);
	return 0;
}

static int by_total(const void *one, const void *other, void *data)
{
	const struct syc_mark_row *a = one, *b = other;
	const struct syscap_profile_mark_name *names = data;
	int r;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	r = strcmp(names[a->name].group, names[b->name].group);
	return r != 0 ? r : strcmp(names[a->name].name, names[b->name].name);
}

int syc_mark_table_make(struct syc_mark_table *table,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view)
{
	struct work work = { 0 };
	int r = -ENOMEM;

	syc_mark_table_fini(table);
	work.profile = profile;
	work.n_marks = syscap_profile_n_marks(profile);
	work.names = syscap_profile_mark_names(profile, &work.n_names);
	work.counts = calloc(work.n_names + 1, sizeof(*work.counts));
	table->rows = calloc(work.n_names + 1, sizeof(*table->rows));
	if (work.counts != NULL && table->rows != NULL) {
		table->n_marks = count(&work, view);
		table->marks =
			calloc(table->n_marks + 1, sizeof(*table->marks));
		if (table->marks != NULL) {
			place(&work, view, table);
			r = sum_up(&work, table);
		}
	}
	free(work.counts);
	if (r < 0) {
		syc_mark_table_fini(table);
		return r;
	}
	if (table->n_rows > 0)
		qsort_r(table->rows, table->n_rows, sizeof(*table->rows),
		        by_total, (void *)(uintptr_t)work.names);
	return 0;
}

void syc_mark_table_fini(struct syc_mark_table *table)
{
	free(table->rows);
	free(table->marks);
	*table = (struct syc_mark_table){ 0 };
}
