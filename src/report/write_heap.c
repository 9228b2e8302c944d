/* SPDX-License-Identifier: BSD-2-Clause */
/* write_heap.c - allocations, each with when it ended. */
#include <errno.h>
#include <stdlib.h>

#include "report/writer.h"

static int by_first_cell(const void *one, const void *other)
{
	const uint64_t *a = one, *b = other;

	return (a[0] > b[0]) - (a[0] < b[0]);
}

static size_t take(struct syc_page *page, uint64_t *cell)
{
	const struct syscap_view *heap = page->report->heap;
	const struct syscap_profile_allocation *items;
	size_t n, n_taken = 0;

	items = syscap_profile_allocations(page->profile, &n);
	for (size_t i = 0; heap != NULL && i < n; i++) {
		const uint32_t end = items[i].ended_by;

		if (items[i].size <= 0 ||
		    (heap->passed[i / 64] >> (i % 64) & 1) == 0)
			continue;
		cell[0] = syc_page_time(page, items[i].time);
		cell[1] = items[i].thread;
		cell[2] = page->heap.numbers[heap->nodes[items[i].stack]];
		cell[3] = (uint64_t)items[i].size;
		/* 0: not freed. */
		cell[4] = end == SYSCAP_PROFILE_NONE
		                  ? 0
		                  : syc_page_time(page, items[end].time) + 1;
		cell[5] = items[i].is_temporary;
		cell += 6;
		n_taken++;
	}
	return n_taken;
}

int syc_page_write_heap(struct syc_page *page)
{
	static const char *const columns[] = {
		"allocation.times", "allocation.threads", "allocation.nodes",
		"allocation.sizes", "allocation.ends",    "allocation.temporary"
	};
	uint64_t *cells;
	size_t n;
	int r = 0;

	syscap_profile_allocations(page->profile, &n);
	cells = malloc((n + 1) * 6 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	n = take(page, cells);
	qsort(cells, n, 6 * sizeof(*cells), by_first_cell);
	if (page->report->heap != NULL)
		r = syc_page_write_tree(page, "heap", page->report->heap,
		                        &page->heap);
	if (r == 0)
		r = syc_column_write_table(&page->pack, columns, 6, n, cells);
	free(cells);
	return r;
}
