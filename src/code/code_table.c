/* SPDX-License-Identifier: BSD-2-Clause */
/* code_table.c - names of one process' JIT code by address and time. */
#define _GNU_SOURCE
#include "code/code_table.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "common/strings.h"

/* Greatest size of a character, which is decoded in a copy that ends with a
 * NUL. */
#define LONGEST_CHARACTER 4u

static size_t next_character(const char *from, size_t len, size_t *ret_used,
                             const char **ret_text)
{
	static const char space[] = " ";
	char copy[LONGEST_CHARACTER + 1] = { 0 };
	uint32_t point;
	size_t n;

	if ((unsigned char)*from < 0x80) {
		*ret_used = 1;
		*ret_text = (unsigned char)*from < 0x20 || *from == 0x7F ? space
		                                                         : from;
		return 1;
	}
	memcpy(copy, from, len < LONGEST_CHARACTER ? len : LONGEST_CHARACTER);
	n = syc_utf8_next(copy, &point);
	*ret_used = n > 0 ? n : point;
	*ret_text = n > 0 ? from : SYC_UTF8_REPLACEMENT;
	return n > 0 ? n : sizeof(SYC_UTF8_REPLACEMENT) - 1;
}

size_t syc_code_text_clean(char *to, const char *from, size_t len)
{
	size_t n = 0, used;

	for (; len > 0 && *from != 0; from += used, len -= used) {
		const char *text;
		const size_t size = next_character(from, len, &used, &text);

		if (n + size > SYC_CODE_NAME_MAX)
			break;
		if (n == 0 && *text == ' ')
			continue;
		memcpy(to + n, text, size);
		n += size;
	}
	while (n > 0 && to[n - 1] == ' ')
		n--;
	to[n] = 0;
	return n;
}

#define MOST_EVENTS     (1u << 23)
#define MOST_NAME_BYTES (UINT64_C(1) << 30)

enum code_change_kind {
	ADD,
	MOVE,
	REMOVE
};

struct code_change {
	int64_t time;
	uint64_t start, len;
	union {
		uint64_t to;        /* new address of MOVE's code */
		int64_t maybe_from; /* earliest time of ADD's code
		                     * (code_table.h) */
	};
	uint32_t name;
	uint32_t kind;
};

struct syc_code_table {
	SYC_ARRAY(struct code_change) events;
	bool is_sorted, is_settled;
	struct syc_map names; /* each name with its NUL */
	uint64_t name_bytes;
	/* Result of the last settling. */
	struct syc_code_origin *origins;
	struct syc_code_rect *rects;
	size_t n_rects;
	struct syc_code_index index;
};

int syc_code_table_new(struct syc_code_table **ret_table)
{
	struct syc_code_table *table = calloc(1, sizeof(*table));

	if (table == NULL)
		return -ENOMEM;
	table->is_sorted = true;
	*ret_table = table;
	return 0;
}

static void unsettle(struct syc_code_table *table)
{
	syc_code_index_fini(&table->index);
	free(table->origins);
	free(table->rects);
	table->origins = NULL;
	table->rects = NULL;
	table->n_rects = 0;
	table->is_settled = false;
}

void syc_code_table_free(struct syc_code_table *table)
{
	if (table == NULL)
		return;
	unsettle(table);
	syc_map_fini(&table->names);
	free(table->events.items);
	free(table);
}

static bool is_range(uint64_t start, uint64_t len)
{
	return len > 0 && start < SYC_CODE_ADDRESS_END &&
	       len <= SYC_CODE_ADDRESS_END - start;
}

static int push(struct syc_code_table *table, const struct code_change *event)
{
	const size_t n = table->events.n;

	if (n >= MOST_EVENTS)
		return -ENOSPC;
	if (n > 0 && event->time < table->events.items[n - 1].time)
		table->is_sorted = false;
	table->is_settled = false;
	return syc_array_push(&table->events, *event);
}

int syc_code_table_add_late(struct syc_code_table *table, int64_t time,
                            int64_t maybe_from, uint64_t start, uint64_t len,
                            const char *name, size_t name_len)
{
	struct code_change event = {
		.time = time,
		.start = start,
		.len = len,
		.maybe_from = maybe_from,
		.kind = ADD,
	};
	char text[SYC_CODE_NAME_MAX + 1];
	size_t number;
	int r;

	if (!is_range(start, len))
		return -EINVAL;
	name_len = syc_code_text_clean(text, name, name_len);
	if (name_len == 0)
		return -EINVAL;
	if (table->events.n >= MOST_EVENTS ||
	    table->name_bytes > MOST_NAME_BYTES)
		return -ENOSPC;
	r = syc_map_put(&table->names, text, name_len + 1, &number);
	if (r < 0)
		return r;
	if (r > 0)
		table->name_bytes += name_len + 1;
	event.name = (uint32_t)number;
	return push(table, &event);
}

int syc_code_table_add(struct syc_code_table *table, int64_t time,
                       uint64_t start, uint64_t len, const char *name,
                       size_t name_len)
{
	return syc_code_table_add_late(table, time, INT64_MAX, start, len, name,
	                               name_len);
}

int syc_code_table_move(struct syc_code_table *table, int64_t time,
                        uint64_t from, uint64_t to, uint64_t len)
{
	const struct code_change event = {
		.time = time,
		.start = from,
		.len = len,
		.to = to,
		.kind = MOVE,
	};

	if (!is_range(from, len) || !is_range(to, len))
		return -EINVAL;
	return push(table, &event);
}

int syc_code_table_remove(struct syc_code_table *table, int64_t time,
                          uint64_t start, uint64_t len)
{
	const struct code_change event = {
		.time = time,
		.start = start,
		.len = len,
		.kind = REMOVE,
	};

	return is_range(start, len) ? push(table, &event) : -EINVAL;
}

/* Compare events by time, and keep the order of events with equal times. */
static int compare_events(const void *a, const void *b)
{
	const struct code_change *left = *(const struct code_change *const *)a;
	const struct code_change *right = *(const struct code_change *const *)b;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return (left > right) - (left < right);
}

static int sort_events(struct syc_code_table *table)
{
	const size_t n = table->events.n;
	const struct code_change **order;
	struct code_change *sorted;

	if (table->is_sorted)
		return 0;
	order = calloc(n, sizeof(struct code_change *));
	sorted = calloc(n, sizeof(*sorted));
	if (order == NULL || sorted == NULL) {
		free(order);
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		order[i] = &table->events.items[i];
	qsort(order, n, sizeof(struct code_change *), compare_events);
	for (size_t i = 0; i < n; i++)
		sorted[i] = *order[i];
	free(order);
	free(table->events.items);
	table->events.items = sorted;
	table->events.capacity = n;
	table->is_sorted = true;
	return 0;
}

static int apply_change(struct syc_code_live *live,
                        const struct code_change *event)
{
	const struct syc_code_origin origin = {
		.start = event->start,
		.len = event->len,
		.maybe_from = event->kind == ADD ? event->maybe_from : 0,
		.name = event->name,
	};

	switch (event->kind) {
	case ADD:
		return syc_code_live_add(live, event->time, &origin);
	case MOVE:
		return syc_code_live_move(live, event->time, event->start,
		                          event->to, event->len);
	default:
		return syc_code_live_remove(live, event->time, event->start,
		                            event->len);
	}
}

static int compare_rects(const void *a, const void *b)
{
	const struct syc_code_rect *left = a;
	const struct syc_code_rect *right = b;

	return (left->from > right->from) - (left->from < right->from);
}

int syc_code_table_settle(struct syc_code_table *table)
{
	/* Each event makes at most two pieces, except that a move of many
	 * pieces may make more. */
	struct syc_code_live live = { .most_rects = 4 * table->events.n +
		                                    (1u << 20) };
	int r;

	if (table->is_settled)
		return 0;
	unsettle(table);
	r = sort_events(table);
	for (size_t i = 0; r == 0 && i < table->events.n; i++)
		r = apply_change(&live, &table->events.items[i]);
	if (r == 0)
		r = syc_code_live_end(&live);
	syc_code_live_fini(&live);
	table->origins = live.origins.items;
	table->rects = live.rects.items;
	table->n_rects = live.rects.n;
	if (r == 0) {
		if (table->n_rects > 0)
			qsort(table->rects, table->n_rects,
			      sizeof(*table->rects), compare_rects);
		r = syc_code_index_build(&table->index, table->rects,
		                         table->n_rects);
	}
	if (r < 0)
		unsettle(table);
	else
		table->is_settled = true;
	return r;
}

size_t syc_code_table_events(const struct syc_code_table *table)
{
	return table->events.n;
}

bool syc_code_table_span(const struct syc_code_table *table, uint64_t *ret_low,
                         uint64_t *ret_last)
{
	const struct syc_code_index *index = &table->index;

	if (!table->is_settled || index->n_leaves == 0)
		return false;
	*ret_low = index->bounds[0];
	*ret_last = index->bounds[index->n_leaves] - 1;
	return true;
}

static void fill_range(const struct syc_code_table *table,
                       const struct syc_code_rect *rect,
                       struct syc_code_range *ret_range)
{
	const struct syc_code_origin *origin = &table->origins[rect->origin];

	*ret_range = (struct syc_code_range){
		.start = origin->start,
		.len = origin->len,
		.from = rect->from,
		.until = rect->until,
		.name = table->names.keys[origin->name].bytes,
	};
}

bool syc_code_table_find(const struct syc_code_table *table, uint64_t addr,
                         int64_t time, struct syc_code_range *ret_range)
{
	const struct syc_code_rect *rect;

	if (!table->is_settled)
		return false;
	rect = syc_code_index_find(&table->index, table->rects, addr, time);
	if (rect != NULL) {
		fill_range(table, rect, ret_range);
		return true;
	}
	rect = syc_code_index_next(&table->index, table->rects, addr, time);
	if (rect == NULL || table->origins[rect->origin].maybe_from > time)
		return false;
	fill_range(table, rect, ret_range);
	ret_range->from = table->origins[rect->origin].maybe_from;
	return true;
}
