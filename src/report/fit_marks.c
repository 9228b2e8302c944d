/* SPDX-License-Identifier: BSD-2-Clause */
/* fit_marks.c - which marks a page holds, and the bars for the others. */
#define _GNU_SOURCE
#include "report/fit_marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/map.h"

#define CELLS      2048 /* of the time; a screen is about as wide */
#define LEAST_SLOW 20

struct key {
	uint32_t thread, name;
};

static struct syscap_profile_mark mark_at(const struct syc_fit *fit,
                                          size_t place)
{
	return fit->get(fit->data, fit->by_time[place]);
}

static uint64_t duration_of(const struct syc_fit *fit, size_t place)
{
	const int64_t duration = mark_at(fit, place).duration;

	return duration > 0 ? (uint64_t)duration : 0;
}

static size_t cell_of(const struct syc_fit *fit, size_t place)
{
	const int64_t first = mark_at(fit, 0).time;
	const int64_t last = mark_at(fit, fit->n - 1).time;
	const double span = (double)last - (double)first + 1;
	const int64_t time = mark_at(fit, place).time;

	return (size_t)(((double)time - (double)first) / span *
	                (double)fit->n_cells);
}

static int by_name(const void *one, const void *other, void *data)
{
	const struct syc_fit *fit = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const uint32_t name_a = mark_at(fit, a).name;
	const uint32_t name_b = mark_at(fit, b).name;
	const uint64_t long_a = duration_of(fit, a);
	const uint64_t long_b = duration_of(fit, b);

	if (name_a != name_b)
		return name_a < name_b ? -1 : 1;
	if (long_a != long_b)
		return long_a > long_b ? -1 : 1;
	return (a > b) - (a < b);
}

/* Until all is ranked, is_kept has the class of each: 0 is the first. */
static int by_class(const void *one, const void *other, void *data)
{
	const struct syc_fit *fit = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const uint64_t long_a = duration_of(fit, a);
	const uint64_t long_b = duration_of(fit, b);

	if (fit->is_kept[a] != fit->is_kept[b])
		return fit->is_kept[a] < fit->is_kept[b] ? -1 : 1;
	if (long_a != long_b)
		return long_a > long_b ? -1 : 1;
	return (a > b) - (a < b);
}

static void sum_name(struct syc_fit *fit, size_t from, size_t n)
{
	const uint32_t *longest = fit->ranked + from;
	struct syc_mark_sums *sums = &fit->sums[mark_at(fit, longest[0]).name];
	const size_t slow = n / 100 > LEAST_SLOW ? (n + 99) / 100 : LEAST_SLOW;

	sums->n = n;
	for (size_t i = 0; i < n; i++)
		sums->sum += duration_of(fit, longest[i]);
	sums->most = duration_of(fit, longest[0]);
	sums->least = duration_of(fit, longest[n - 1]);
	/* The longest come first: rank r from below is n - r from above. */
	sums->median = duration_of(fit, longest[n - (n + 1) / 2]);
	sums->p99 = duration_of(fit, longest[n - (n * 99 + 99) / 100]);
	for (size_t i = 0; i < n && i < slow; i++)
		fit->is_kept[longest[i]] = 0;
}

/* The longest of each name, thread and cell is of the second class. */
static int find_longest(struct syc_fit *fit)
{
	struct syc_map keys = { 0 };
	SYC_ARRAY(size_t) longest = { 0 };
	int r = 0;

	for (size_t i = 0; r >= 0 && i < fit->n; i++) {
		const struct syscap_profile_mark mark = mark_at(fit, i);
		const struct key key = { mark.thread, mark.name };
		size_t number, *best;

		r = syc_map_put(&keys, &key, sizeof(key), &number);
		if (r > 0)
			r = syc_array_push(&longest, i);
		if (r < 0)
			break;
		best = &longest.items[number];
		if (cell_of(fit, *best) != cell_of(fit, i)) {
			if (fit->is_kept[*best] > 1)
				fit->is_kept[*best] = 1;
			*best = i;
		} else if (duration_of(fit, i) > duration_of(fit, *best)) {
			*best = i;
		}
	}
	for (size_t i = 0; i < longest.n; i++)
		if (fit->is_kept[longest.items[i]] > 1)
			fit->is_kept[longest.items[i]] = 1;
	syc_map_fini(&keys);
	free(longest.items);
	return r < 0 ? r : 0;
}

int syc_fit_init(struct syc_fit *fit, syc_fit_get *get, const void *data,
                 const uint32_t *by_time, size_t n, size_t n_names)
{
	int r;

	*fit = (struct syc_fit){ .get = get,
		                 .data = data,
		                 .by_time = by_time,
		                 .n = n,
		                 .n_cells = CELLS };
	fit->ranked = malloc((n + 1) * sizeof(*fit->ranked));
	fit->is_kept = malloc(n + 1);
	fit->sums = calloc(n_names + 1, sizeof(*fit->sums));
	if (fit->ranked == NULL || fit->is_kept == NULL || fit->sums == NULL) {
		syc_fit_fini(fit);
		return -ENOMEM;
	}
	memset(fit->is_kept, 2, n + 1);
	for (size_t i = 0; i < n; i++)
		fit->ranked[i] = (uint32_t)i;
	qsort_r(fit->ranked, n, sizeof(*fit->ranked), by_name, fit);
	for (size_t i = 0, end; i < n; i = end) {
		const uint32_t name = mark_at(fit, fit->ranked[i]).name;

		for (end = i + 1; end < n; end++)
			if (mark_at(fit, fit->ranked[end]).name != name)
				break;
		sum_name(fit, i, end - i);
	}
	r = find_longest(fit);
	if (r < 0) {
		syc_fit_fini(fit);
		return r;
	}
	qsort_r(fit->ranked, n, sizeof(*fit->ranked), by_class, fit);
	memset(fit->is_kept, 1, n + 1);
	return 0;
}

void syc_fit_fini(struct syc_fit *fit)
{
	free(fit->ranked);
	free(fit->is_kept);
	free(fit->sums);
	free(fit->bars.items);
	*fit = (struct syc_fit){ 0 };
}

/* Which bar of a thread and name was met last, and of which cell it is. */
struct open_bar {
	size_t cell, number;
};

struct open_bars {
	struct syc_map keys;
	SYC_ARRAY(struct open_bar) items;
};

static int add_to_bar(struct syc_fit *fit, struct open_bars *open, size_t place)
{
	const struct syscap_profile_mark mark = mark_at(fit, place);
	const struct key key = { mark.thread, mark.name };
	const struct open_bar fresh = { cell_of(fit, place), fit->bars.n };
	const uint64_t duration = duration_of(fit, place);
	struct syc_bar *bar;
	size_t number;
	int r = syc_map_put(&open->keys, &key, sizeof(key), &number);

	if (r > 0)
		r = syc_array_push(&open->items, fresh);
	if (r < 0)
		return r;
	if (open->items.items[number].cell != fresh.cell)
		open->items.items[number] = fresh;
	if (open->items.items[number].number == fit->bars.n) {
		const struct syc_bar empty = { .first = mark.time,
			                       .least = duration,
			                       .thread = mark.thread,
			                       .name = mark.name };

		r = syc_array_push(&fit->bars, empty);
		if (r < 0)
			return r;
	}
	bar = &fit->bars.items[open->items.items[number].number];
	bar->last = mark.time;
	bar->n++;
	bar->sum += duration;
	if (duration < bar->least)
		bar->least = duration;
	if (duration > bar->most)
		bar->most = duration;
	return 0;
}

int syc_fit_keep(struct syc_fit *fit, size_t n_kept)
{
	struct open_bars open = { .items = { 0 } };
	int r = 0;

	memset(fit->is_kept, 0, fit->n + 1);
	for (size_t i = 0; i < fit->n && i < n_kept; i++)
		fit->is_kept[fit->ranked[i]] = 1;
	fit->bars.n = 0;
	for (size_t i = 0; r == 0 && i < fit->n; i++)
		if (!fit->is_kept[i])
			r = add_to_bar(fit, &open, i);
	syc_map_fini(&open.keys);
	free(open.items.items);
	return r;
}
