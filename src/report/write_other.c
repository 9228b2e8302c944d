/* SPDX-License-Identifier: BSD-2-Clause */
/* write_other.c - stacks of the capture that a page's capture is compared
 * with. */
#include <errno.h>
#include <stdlib.h>

#include "common/containers.h"
#include "report/writer.h"

static uint64_t get_other_function(const void *data, size_t i)
{
	const struct syc_page *page = data;

	return page->other_functions[page->report->other_view
	                                     ->functions[page->other.nodes[i]]];
}

static uint64_t get_other_self(const void *data, size_t i)
{
	const struct syc_page *page = data;

	return page->report->other_view->selfs[page->other.nodes[i]];
}

/*
 * Combine the samples of the other capture into ten blocks of equal amounts, by
 * time.  A row's time is the amount of all samples before it.
 */
int syc_page_read_other(struct syc_page *page)
{
	const struct syscap_profile *other = page->report->other;
	const struct syscap_view *view = page->report->other_view;
	struct syc_combined *blocks = &page->other_blocks;
	struct syscap_profile_samples samples;
	SYC_ARRAY(uint32_t) order = { .n = 0 };
	uint64_t before = 0;
	int r = 0;

	if (other == NULL)
		return 0;
	syscap_profile_samples(other, &samples);
	blocks->rows = malloc((samples.n + 1) * sizeof(*blocks->rows));
	if (blocks->rows == NULL)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < samples.n; i++)
		if ((view->passed[i / 64] >> (i % 64) & 1) != 0)
			r = syc_array_push(&order, (uint32_t)i);
	syc_order_by_time(order.items, order.n, samples.times);
	for (size_t i = 0; i < order.n; i++) {
		const uint32_t row = order.items[i];
		const uint64_t size =
			samples.ticks[row] *
			syscap_profile_tick(other, samples.threads[row]);

		blocks->rows[blocks->n++] = (struct syc_row){
			.time = before,
			.size = size,
			.node = page->other.numbers
			                [view->nodes[samples.stacks[row]]],
			.n = 1,
		};
		before += size;
	}
	free(order.items);
	blocks->cells.size = before / SYC_OTHER_BLOCKS + 1;
	blocks->cells.last = before;
	return r < 0 ? r
	             : syc_rows_combine(blocks->rows, &blocks->n,
	                                &blocks->cells);
}

/* The other capture has only the cost of each stack, by block. */
int syc_page_write_other(struct syc_page *page)
{
	const struct syc_preorder *order = &page->other;
	int r;

	if (page->report->other == NULL)
		return 0;
	r = syc_column_write_u32(&page->pack, "other.depths", order->n,
	                         order->depths);
	if (r == 0)
		r = syc_column_write(&page->pack, "other.functions", order->n,
		                     get_other_function, page);
	if (r == 0)
		r = syc_column_write(&page->pack, "other.selfs", order->n,
		                     get_other_self, page);
	if (r == 0)
		r = syc_page_write_rows(page, "other", &page->other_blocks);
	return r;
}
