/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_waits.c - stacks of calls that blocked and of loops that stalled, with
 * their durations.
 *
 * Each kind has a call tree of its own. The columns have the form of the
 * columns of samples, with durations as ticks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "report/writer.h"

static const char *const names[SYC_N_WAITS] = { "blocked", "stalled" };

static bool is_of_view(const struct syscap_view *view, size_t i)
{
	return (view->passed[i / 64] >> (i % 64) & 1) != 0;
}

static int read_kind(struct syc_page *page, int kind)
{
	const struct syscap_view *view = page->report->waits[kind];
	struct syc_combined *combined = &page->waits[kind];
	const struct syscap_profile_wait *items;
	size_t n;

	if (view == NULL)
		return 0;
	items = syscap_profile_waits(page->profile, &n);
	combined->rows = malloc((view->n_passed + 1) * sizeof(struct syc_row));
	if (combined->rows == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!is_of_view(view, i))
			continue;
		combined->rows[combined->n++] = (struct syc_row){
			.time = syc_page_time(page, items[i].time),
			.size = (uint64_t)items[i].duration,
			.node = page->waiting[kind]
			                .numbers[view->nodes[items[i].stack]],
			.thread = items[i].thread,
			.n = 1,
		};
	}
	syc_rows_sort(combined->rows, combined->n);
	return 0;
}

int syc_page_read_waits(struct syc_page *page)
{
	int r = 0;

	for (int kind = 0; r == 0 && kind < SYC_N_WAITS; kind++)
		r = read_kind(page, kind);
	return r;
}

static int write_kind(struct syc_page *page, int kind)
{
	const struct syscap_view *view = page->report->waits[kind];
	int r;

	if (view == NULL)
		return 0;
	r = syc_page_write_tree(page, names[kind], view, &page->waiting[kind]);
	return r < 0 ? r
	             : syc_page_write_rows(page, names[kind],
	                                   &page->waits[kind]);
}

int syc_page_write_blocked(struct syc_page *page)
{
	return write_kind(page, SYC_WAITS_BLOCKED);
}

int syc_page_write_stalled(struct syc_page *page)
{
	return write_kind(page, SYC_WAITS_STALLED);
}
