/* SPDX-License-Identifier: BSD-2-Clause */
/* stack_walk.c - the addresses of a capture's stacks, one by one. */
#include "symbols/stack_walk.h"

#include <string.h>

/* Markers of contexts are small negative numbers. */
#define MARKERS_BEGIN UINT64_C(0xFFFFFFFFFFFFF000)
#define KERNEL_BEGIN  UINT64_C(0xFFFF000000000000)

/* What is asked; no padding, for it is hashed as it is. */
struct query {
	uint64_t address;
	int32_t pid;
	uint32_t is_return;
};

/* What is answered: texts are told apart by where they are, since the
 * resolver has each function's once. */
struct answer {
	uint64_t address, begin, end;
	const char *name, *nick;
	int32_t pid;
	uint32_t is_known;
};

static unsigned count_addresses(const struct syscap_frame *frame)
{
	if (frame->type == SYSCAP_FRAME_SAMPLE ||
	    frame->type == SYSCAP_FRAME_TRACE)
		return frame->sample.n_addrs;
	if (frame->type == SYSCAP_FRAME_ALLOCATION)
		return frame->allocation.n_addrs;
	return 0;
}

size_t syc_stack_walk_at(const struct syscap_frame *frame, unsigned i)
{
	const size_t first = frame->type == SYSCAP_FRAME_ALLOCATION
	                             ? sizeof(struct syscap_wire_allocation)
	                             : sizeof(struct syscap_wire_sample);

	return first + i * sizeof(uint64_t);
}

static enum syc_point_kind kind_of(uint64_t address)
{
	if (address >= MARKERS_BEGIN)
		return SYC_POINT_MARKER;
	if (address >= KERNEL_BEGIN)
		return SYC_POINT_KERNEL;
	if (address >> 32 == SYSCAP_JIT_MARK >> 32)
		return SYC_POINT_JIT;
	return SYC_POINT_USER;
}

static int put_point(struct syc_stack_walk *walk,
                     const struct syc_symbol_query *query, bool is_known,
                     const struct syc_symbol *symbol, size_t *ret_point)
{
	const struct syc_point point = {
		.pid = query->pid,
		.address = query->address,
		.is_known = is_known,
		.symbol = *symbol,
	};
	const struct answer answer = {
		.address = query->address,
		.begin = is_known ? symbol->begin : 0,
		.end = is_known ? symbol->end : 0,
		.name = is_known ? symbol->name : NULL,
		.nick = is_known ? symbol->nick : NULL,
		.pid = query->pid,
		.is_known = is_known,
	};
	int r;

	if (syc_array_room(&walk->points) < 0)
		return -ENOMEM;
	r = syc_map_put(&walk->by_answer, &answer, sizeof(answer), ret_point);
	if (r > 0)
		walk->points.items[walk->points.n++] = point;
	return r < 0 ? r : 0;
}

static int find_point(struct syc_stack_walk *walk,
                      const struct syc_symbol_query *query, size_t *ret_point)
{
	const struct query key = {
		.address = query->address,
		.pid = query->pid,
		.is_return = query->is_return,
	};
	struct syc_symbol symbol;
	size_t number;
	int r;

	if (syc_map_get(&walk->by_query, &key, sizeof(key), &number)) {
		*ret_point = walk->of_query.items[number];
		return 0;
	}
	r = syc_symbols_find(walk->symbols, query, &symbol);
	if (r < 0)
		return r;
	r = put_point(walk, query, r > 0, &symbol, ret_point);
	if (r < 0 || !symbol.is_always)
		return r;
	if (syc_array_room(&walk->of_query) < 0 ||
	    syc_map_put(&walk->by_query, &key, sizeof(key), &number) < 0)
		return -ENOMEM;
	walk->of_query.items[walk->of_query.n++] = *ret_point;
	return 0;
}

int syc_stack_walk(struct syc_stack_walk *walk,
                   const struct syscap_reader *reader,
                   const struct syscap_frame *frame,
                   int (*each)(void *data, unsigned i, uint64_t address,
                               enum syc_point_kind kind, size_t point),
                   void *data)
{
	const unsigned n = count_addresses(frame);
	struct syc_symbol_query query = {
		.pid = frame->pid,
		.time = frame->time,
	};
	bool is_exact = true;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < n; i++) {
		enum syc_point_kind kind;
		size_t point = 0;

		if (!syscap_frame_addr(reader, frame, i, &query.address))
			break;
		kind = kind_of(query.address);
		query.is_return = !is_exact;
		is_exact = kind == SYC_POINT_MARKER;
		if (kind == SYC_POINT_USER) {
			r = find_point(walk, &query, &point);
			if (r < 0)
				return r;
			is_exact = walk->points.items[point].is_known &&
			           walk->points.items[point].symbol.is_signal;
		}
		r = each(data, i, query.address, kind, point);
	}
	return r;
}

void syc_stack_walk_fini(struct syc_stack_walk *walk)
{
	syc_map_fini(&walk->by_query);
	free(walk->of_query.items);
	syc_map_fini(&walk->by_answer);
	free(walk->points.items);
	memset(walk, 0, sizeof(*walk));
}
