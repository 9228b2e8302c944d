/* SPDX-License-Identifier: BSD-2-Clause */
/* test_mark_stats.c - statistics of marks, and marks kept in a page if not all fit. */
#include <stdlib.h>

#include "harness/test.h"
#include "report/writer.h"

#define N       30000
#define NAMES   2
#define THREADS 3

static struct syscap_profile_mark marks[N];
static uint32_t by_time[N];
static struct syc_fit fit;

static struct syscap_profile_mark get(const void *data, uint32_t number)
{
	(void)data;
	return marks[number];
}

static void make(void)
{
	srand((unsigned)test_seed());
	for (uint32_t i = 0; i < N; i++) {
		marks[i] = (struct syscap_profile_mark){
			.time = (int64_t)i * 1000,
			.duration = rand() % 100000,
			.thread = (uint32_t)(rand() % THREADS),
			.name = (uint32_t)(rand() % NAMES),
		};
		by_time[i] = i;
	}
	CHECK_EQ(syc_fit_init(&fit, get, NULL, by_time, N, NAMES), 0);
}

static uint64_t duration(size_t i)
{
	return (uint64_t)marks[i].duration;
}

TEST(every_mark_counted_once)
{
	uint64_t n[NAMES] = { 0 }, sum[NAMES] = { 0 };

	make();
	CHECK_EQ(syc_fit_keep(&fit, N / 3), 0);
	for (size_t i = 0; i < N; i++) {
		if (!fit.is_kept[i])
			continue;
		n[marks[i].name]++;
		sum[marks[i].name] += duration(i);
	}
	CHECK_EQ(n[0] + n[1], N / 3);
	for (size_t i = 0; i < fit.bars.n; i++) {
		const struct syc_bar *bar = &fit.bars.items[i];

		CHECK(bar->first <= bar->last && bar->least <= bar->most);
		CHECK(bar->most * bar->n >= bar->sum);
		n[bar->name] += bar->n;
		sum[bar->name] += bar->sum;
	}
	for (unsigned name = 0; name < NAMES; name++) {
		CHECK_EQ(n[name], fit.stats[name].count);
		CHECK_EQ(sum[name], fit.stats[name].total);
	}
	syc_fit_fini(&fit);
}

static int compare(const void *one, const void *other)
{
	const uint64_t a = *(const uint64_t *)one;
	const uint64_t b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

TEST(medians_by_nearest_rank_of_all_marks)
{
	static uint64_t sorted[N];

	make();
	for (unsigned name = 0; name < NAMES; name++) {
		const struct syc_duration_stats *stats = &fit.stats[name];
		size_t n = 0;

		for (size_t i = 0; i < N; i++)
			if (marks[i].name == name)
				sorted[n++] = duration(i);
		qsort(sorted, n, sizeof(*sorted), compare);
		CHECK_EQ(stats->count, n);
		CHECK_EQ(stats->min, sorted[0]);
		CHECK_EQ(stats->median, sorted[(n * 50 + 99) / 100 - 1]);
		CHECK_EQ(stats->p99, sorted[(n * 99 + 99) / 100 - 1]);
		CHECK_EQ(stats->max, sorted[n - 1]);
	}
	syc_fit_fini(&fit);
}

TEST(slowest_of_each_name_kept_first)
{
	make();
	for (unsigned name = 0; name < NAMES; name++) {
		const size_t slow = (fit.stats[name].count + 99) / 100;
		size_t n = 0;
		uint64_t least = UINT64_MAX, most = 0;

		CHECK_EQ(syc_fit_keep(&fit, N / 50), 0);
		for (size_t i = 0; i < N; i++) {
			if (marks[i].name != name)
				continue;
			if (fit.is_kept[i] && duration(i) < least)
				least = duration(i);
			n += fit.is_kept[i];
		}
		CHECK(n >= slow);
		/* The page has at least all marks that are longer than any
		 * omitted mark */
		for (size_t i = 0; i < fit.bars.n; i++)
			if (fit.bars.items[i].name == name &&
			    fit.bars.items[i].most > most)
				most = fit.bars.items[i].most;
		n = 0;
		for (size_t i = 0; i < N; i++)
			n += marks[i].name == name && fit.is_kept[i] &&
			     duration(i) >= most;
		CHECK(n >= slow);
	}
	syc_fit_fini(&fit);
}

TEST(longest_of_each_cell_kept_next)
{
	size_t n_slow = 0, n_cells;

	make();
	fit.n_cells = 100;
	for (unsigned name = 0; name < NAMES; name++)
		n_slow += (fit.stats[name].count + 99) / 100;
	/* The first and second marks of 2,048 cells for six keys */
	n_cells = 2048 * NAMES * THREADS;
	CHECK_EQ(syc_fit_keep(&fit, n_slow + n_cells), 0);
	for (size_t i = 0; i < fit.bars.n; i++) {
		const struct syc_bar *bar = &fit.bars.items[i];
		uint64_t longest = 0;

		for (size_t k = 0; k < N; k++)
			if (marks[k].name == bar->name &&
			    marks[k].thread == bar->thread && fit.is_kept[k] &&
			    marks[k].time >= bar->first - 300000 &&
			    marks[k].time <= bar->last + 300000 &&
			    duration(k) > longest)
				longest = duration(k);
		CHECK(longest >= bar->most);
	}
	syc_fit_fini(&fit);
}

TEST(no_marks_no_bars)
{
	CHECK_EQ(syc_fit_init(&fit, get, NULL, by_time, 0, 0), 0);
	CHECK_EQ(syc_fit_keep(&fit, 0), 0);
	CHECK_EQ(fit.bars.n, 0);
	syc_fit_fini(&fit);
}
