/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_stats.c - statistics of the marks of each name, choice of a page's marks,
 * and bars with the sums of the other marks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "report/writer.h"

/* Number of cells of time, about the width of a screen. */
#define CELLS      2048
#define LEAST_SLOW 20
/* Number of the longest marks of all names. */
#define LONGEST 1000

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

/* A mark in the ranking.  Fields that are used together are stored together. */
struct ranked {
	uint64_t duration;
	uint32_t group; /* the mark's name, then its class */
	uint32_t place;
};

/* The longest mark of each group comes first. */
static int by_rank(const void *one, const void *other)
{
	const struct ranked *const a = one, *const b = other;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->duration != b->duration)
		return a->duration > b->duration ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static void sum_name(struct syc_fit *fit, const struct ranked *longest,
                     size_t n, int64_t *durations)
{
	const size_t slow = n / 100 > LEAST_SLOW ? (n + 99) / 100 : LEAST_SLOW;

	for (size_t i = 0; i < n; i++)
		durations[i] = (int64_t)longest[i].duration;
	fit->stats[longest[0].group] = syc_duration_stats_of(durations, n);
	for (size_t i = 0; i < n && i < slow; i++)
		fit->is_kept[longest[i].place] = 0;
}

/*
 * Compute the statistics of all names, and put the slowest marks of each name
 * into the first class.
 */
static int sum_names(struct syc_fit *fit, struct ranked *ranked)
{
	int64_t *const durations = malloc((fit->n + 1) * sizeof(*durations));

	if (durations == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < fit->n; i++) {
		const struct syscap_profile_mark mark = mark_at(fit, i);

		ranked[i] = (struct ranked){
			.duration =
				mark.duration > 0 ? (uint64_t)mark.duration : 0,
			.group = mark.name,
			.place = (uint32_t)i,
		};
	}
	qsort(ranked, fit->n, sizeof(*ranked), by_rank);
	for (size_t i = 0, end; i < fit->n; i = end) {
		for (end = i + 1; end < fit->n; end++)
			if (ranked[end].group != ranked[i].group)
				break;
		sum_name(fit, &ranked[i], end - i, durations);
	}
	free(durations);
	return 0;
}

static int by_duration(const void *one, const void *other)
{
	const struct ranked *const a = one, *const b = other;

	if (a->duration != b->duration)
		return a->duration > b->duration ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* Put the longest marks of all names into the first class, too. */
static void add_longest(struct syc_fit *fit, struct ranked *ranked)
{
	qsort(ranked, fit->n, sizeof(*ranked), by_duration);
	for (size_t i = 0; i < fit->n && i < LONGEST; i++)
		fit->is_kept[ranked[i].place] = 0;
	for (size_t i = 0; i < fit->n; i++)
		fit->n_first += fit->is_kept[i] == 0;
}

/* Put the longest mark of each name, thread and cell into the second class. */
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
	struct ranked *const ranked = malloc((n + 1) * sizeof(*ranked));
	fit->ranked = malloc((n + 1) * sizeof(*fit->ranked));
	fit->is_kept = malloc(n + 1);
	fit->stats = calloc(n_names + 1, sizeof(*fit->stats));
	r = ranked == NULL || fit->ranked == NULL || fit->is_kept == NULL ||
	                    fit->stats == NULL
	            ? -ENOMEM
	            : 0;
	if (r == 0) {
		/* The class of each mark, before ranking */
		memset(fit->is_kept, 2, n + 1);
		r = sum_names(fit, ranked);
	}
	if (r == 0) {
		add_longest(fit, ranked);
		r = find_longest(fit);
	}
	if (r == 0) {
		for (size_t i = 0; i < n; i++)
			ranked[i].group = fit->is_kept[ranked[i].place];
		qsort(ranked, n, sizeof(*ranked), by_rank);
		for (size_t i = 0; i < n; i++)
			fit->ranked[i] = ranked[i].place;
		memset(fit->is_kept, 1, n + 1);
	} else {
		syc_fit_fini(fit);
	}
	free(ranked);
	return r;
}

void syc_fit_fini(struct syc_fit *fit)
{
	free(fit->ranked);
	free(fit->is_kept);
	free(fit->stats);
	free(fit->bars.items);
	*fit = (struct syc_fit){ 0 };
}

/* The last bar of a thread and name, and its cell. */
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

int syc_fit_write_stats(struct syc_page *page, const struct syc_fit *fit)
{
	/* The columns, which page/mark_stats.js reads */
	static const char *const columns[] = {
		"markname.counts",  "markname.sums", "markname.least",
		"markname.medians", "markname.p99s", "markname.most"
	};
	uint64_t *cells;
	size_t n;
	int r;

	syscap_profile_mark_names(page->profile, &n);
	cells = malloc((n + 1) * 6 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct syc_duration_stats *stats = &fit->stats[i];
		uint64_t *cell = cells + i * 6;

		cell[0] = stats->count;
		cell[1] = (uint64_t)stats->total;
		cell[2] = (uint64_t)stats->min;
		cell[3] = (uint64_t)stats->median;
		cell[4] = (uint64_t)stats->p99;
		cell[5] = (uint64_t)stats->max;
	}
	r = syc_column_write_table(&page->pack, columns, 6, n, cells);
	free(cells);
	return r;
}
