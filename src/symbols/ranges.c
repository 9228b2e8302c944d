/* SPDX-License-Identifier: BSD-2-Clause */
/* ranges.c - ranges of addresses with names, made disjoint. */
#define _GNU_SOURCE
#include "symbols/ranges.h"

static int compare(const void *left, const void *right)
{
	const struct syc_range *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

void syc_ranges_sort(struct syc_ranges *ranges)
{
	if (ranges->array.n > 0)
		qsort(ranges->array.items, ranges->array.n,
		      sizeof(*ranges->array.items), compare);
}

static int push_piece(struct syc_ranges *to, const struct syc_range *of,
                      uint64_t begin, uint64_t end)
{
	struct syc_range piece = *of;

	if (begin >= end)
		return 0;
	piece.begin = begin;
	piece.end = end;
	return syc_array_push(&to->array, piece);
}

/* Ranges that are open at the place where the walk is. */
struct open_ranges {
	SYC_ARRAY(const struct syc_range *) stack;
};

/* Write what the open ranges cover between @at and @until. */
static int cover(struct syc_ranges *to, struct open_ranges *open, uint64_t *at,
                 uint64_t until)
{
	while (open->stack.n > 0) {
		const struct syc_range *top =
			open->stack.items[open->stack.n - 1];
		const uint64_t end = top->end < until ? top->end : until;

		if (push_piece(to, top, *at, end) < 0)
			return -ENOMEM;
		if (end > *at)
			*at = end;
		if (top->end > until)
			return 0;
		open->stack.n--;
	}
	return 0;
}

int syc_ranges_flatten(struct syc_ranges *ranges)
{
	struct syc_ranges result = { 0 };
	struct open_ranges open = { 0 };
	uint64_t at = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < ranges->array.n; i++) {
		const struct syc_range *range = &ranges->array.items[i];

		r = cover(&result, &open, &at, range->begin);
		at = range->begin;
		if (r == 0)
			r = syc_array_push(&open.stack, range);
	}
	if (r == 0)
		r = cover(&result, &open, &at, UINT64_MAX);
	free(open.stack.items);
	if (r < 0) {
		syc_ranges_fini(&result);
		return r;
	}
	syc_ranges_fini(ranges);
	*ranges = result;
	return 0;
}

int syc_ranges_fill(struct syc_ranges *ranges, const struct syc_ranges *more)
{
	struct syc_ranges result = { 0 };
	const size_t n = ranges->array.n;
	uint64_t taken = 0; /* up to here it is decided */
	size_t i = 0;
	int r = 0;

	for (size_t j = 0; r == 0 && j < more->array.n; j++) {
		const struct syc_range *add = &more->array.items[j];

		if (taken < add->begin)
			taken = add->begin;
		while (r == 0 && i < n &&
		       ranges->array.items[i].begin < add->end) {
			const struct syc_range *old = &ranges->array.items[i++];

			r = push_piece(&result, add, taken, old->begin);
			if (r == 0)
				r = syc_array_push(&result.array, *old);
			if (taken < old->end)
				taken = old->end;
		}
		if (r == 0)
			r = push_piece(&result, add, taken, add->end);
		if (taken < add->end)
			taken = add->end;
	}
	while (r == 0 && i < n)
		r = syc_array_push(&result.array, ranges->array.items[i++]);
	if (r < 0) {
		syc_ranges_fini(&result);
		return r;
	}
	syc_ranges_fini(ranges);
	*ranges = result;
	return 0;
}

/* How many begin at @address or before. */
static size_t count_up_to(const struct syc_ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->array.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (ranges->array.items[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct syc_range *syc_ranges_find(const struct syc_ranges *ranges,
                                        uint64_t address)
{
	const size_t n = count_up_to(ranges, address);

	if (n == 0 || address >= ranges->array.items[n - 1].end)
		return NULL;
	return &ranges->array.items[n - 1];
}

uint64_t syc_ranges_next(const struct syc_ranges *ranges, uint64_t address)
{
	const size_t n = count_up_to(ranges, address);

	return n < ranges->array.n ? ranges->array.items[n].begin : UINT64_MAX;
}

void syc_ranges_fini(struct syc_ranges *ranges)
{
	free(ranges->array.items);
	memset(ranges, 0, sizeof(*ranges));
}
