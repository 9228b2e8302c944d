/* SPDX-License-Identifier: BSD-2-Clause */
/* write_samples.c - samples, and the trees that they and allocations are in. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/writer.h"

static uint64_t get_function(const void *data, size_t i)
{
	const struct syc_page *page = data;

	return page->view->functions[page->samples.nodes[i]];
}

static uint64_t get_heap_function(const void *data, size_t i)
{
	const struct syc_page *page = data;

	return page->report->heap->functions[page->heap.nodes[i]];
}

int syc_page_write_tree(struct syc_page *page, const char *prefix,
                        const struct syscap_view *view,
                        const struct syc_preorder *order)
{
	char name[40];
	int r;

	snprintf(name, sizeof(name), "%s.depths", prefix);
	r = syc_column_write_u32(&page->pack, name, order->n, order->depths);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "%s.functions", prefix);
	return syc_column_write(
		&page->pack, name, order->n,
		view == page->view ? get_function : get_heap_function, page);
}

struct rows {
	const struct syc_page *page;
	struct syscap_profile_samples samples;
};

static uint64_t get_time(const void *data, size_t i)
{
	const struct rows *rows = data;
	const uint32_t *order = rows->page->order.items;
	const int64_t time = rows->samples.times[order[i]];

	if (i == 0)
		return syc_page_time(rows->page, time);
	return (uint64_t)time - (uint64_t)rows->samples.times[order[i - 1]];
}

static uint64_t get_thread(const void *data, size_t i)
{
	const struct rows *rows = data;

	return rows->samples.threads[rows->page->order.items[i]];
}

static uint64_t get_node(const void *data, size_t i)
{
	const struct rows *rows = data;
	const uint32_t row = rows->page->order.items[i];

	return rows->page->samples
	        .numbers[rows->page->view->nodes[rows->samples.stacks[row]]];
}

static uint64_t get_ticks(const void *data, size_t i)
{
	const struct rows *rows = data;

	return rows->samples.ticks[rows->page->order.items[i]];
}

int syc_page_write_samples(struct syc_page *page)
{
	static const struct {
		const char *name;
		syc_column_get *get;
	} columns[] = {
		{ "sample.times", get_time },
		{ "sample.threads", get_thread },
		{ "sample.nodes", get_node },
		{ "sample.ticks", get_ticks },
	};
	struct rows rows = { .page = page };
	int r = 0;

	syscap_profile_samples(page->profile, &rows.samples);
	for (size_t i = 0; r == 0 && i < 4; i++)
		r = syc_column_write(&page->pack, columns[i].name,
		                     page->order.n, columns[i].get, &rows);
	return r;
}
