/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbol_records.c - composer of the records of a symbol table from the
 * addresses in stacks.
 */
#define _GNU_SOURCE
#include <string.h>

#include "symbols/symbol_table.h"

/* Markers of contexts are small negative numbers. */
#define MARKERS_BEGIN UINT64_C(0xFFFFFFFFFFFFF000)
#define KERNEL_BEGIN  UINT64_C(0xFFFF000000000000)

/* A key of a hash map, without padding. */
struct query {
	uint64_t address;
	int32_t pid;
	uint32_t is_return;
};

/* A symbol, whose texts are compared by address, because the resolver has each
 * text once. */
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

/* A function that contains some of the points. */
struct candidate {
	uint32_t pid;
	uint64_t begin, end;
	const char *name, *nick;
	uint64_t n; /* number of uses of the function's addresses */
};

/* A used address with its function. */
struct use {
	uint32_t pid;
	uint64_t address;
	const char *name;
};

struct set_making {
	SYC_ARRAY(struct candidate) candidates;
	SYC_ARRAY(struct use) uses; /* sorted uses */
};

static int compare_places(uint32_t a_pid, uint64_t a, uint32_t b_pid,
                          uint64_t b)
{
	if (a_pid != b_pid)
		return a_pid < b_pid ? -1 : 1;
	return (a > b) - (a < b);
}

static int compare_texts(const char *a, const char *b)
{
	return (a > b) - (a < b);
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int r = compare_places(a->pid, a->begin, b->pid, b->begin);

	if (r == 0 && a->end != b->end)
		r = a->end < b->end ? -1 : 1;
	if (r == 0)
		r = compare_texts(a->name, b->name);
	return r != 0 ? r : compare_texts(a->nick, b->nick);
}

static int compare_uses(const void *left, const void *right)
{
	const struct use *a = left, *b = right;

	return compare_places(a->pid, a->address, b->pid, b->address);
}

static int collect_points(struct set_making *making,
                          const struct syc_point *points, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct syc_point *point = &points[i];
		const struct candidate candidate = {
			.pid = (uint32_t)point->pid,
			.begin = point->symbol.begin,
			.end = point->symbol.end,
			.name = point->symbol.name,
			.nick = point->symbol.nick,
			.n = point->n,
		};
		const struct use use = { .pid = (uint32_t)point->pid,
			                 .address = point->address,
			                 .name = point->symbol.name };

		/* Readers never look up a negative pid. */
		if (!point->is_known || point->pid < 0)
			continue;
		if (syc_array_push(&making->candidates, candidate) < 0 ||
		    syc_array_push(&making->uses, use) < 0)
			return -ENOMEM;
	}
	if (making->uses.n == 0)
		return 0;
	qsort(making->candidates.items, making->candidates.n,
	      sizeof(struct candidate), compare_candidates);
	qsort(making->uses.items, making->uses.n, sizeof(struct use),
	      compare_uses);
	return 0;
}

/*
 * Keep one of equal candidates.  If two candidates overlap, keep the candidate
 * with more uses.
 */
static void choose(struct set_making *making)
{
	struct candidate *const items = making->candidates.items;
	size_t kept = 0;

	for (size_t i = 0; i < making->candidates.n; i++) {
		struct candidate next = items[i];

		while (i + 1 < making->candidates.n &&
		       compare_candidates(&next, &items[i + 1]) == 0)
			next.n += items[++i].n;
		while (kept > 0 && items[kept - 1].pid == next.pid &&
		       items[kept - 1].end > next.begin &&
		       items[kept - 1].n < next.n)
			kept--;
		if (kept == 0 || items[kept - 1].pid != next.pid ||
		    items[kept - 1].end <= next.begin)
			items[kept++] = next;
	}
	making->candidates.n = kept;
}

/* Return whether a stack uses @address as a part of the function @name, or of
 * any function if @name is NULL. */
static bool is_used(const struct set_making *making, uint32_t pid,
                    uint64_t address, const char *name)
{
	size_t low = 0, high = making->uses.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct use *use = &making->uses.items[middle];

		if (compare_places(use->pid, use->address, pid, address) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < making->uses.n; low++) {
		const struct use *use = &making->uses.items[low];

		if (use->pid != pid || use->address != address)
			return false;
		if (name == NULL || use->name == name)
			return true;
	}
	return false;
}

static void move_ends(struct set_making *making)
{
	struct candidate *const items = making->candidates.items;

	for (size_t i = 0; i < making->candidates.n; i++) {
		struct candidate *this = &items[i], *next = this + 1;
		bool is_next_there;

		if (this->end == UINT64_MAX)
			continue;
		is_next_there = i + 1 < making->candidates.n &&
		                next->pid == this->pid &&
		                next->begin == this->end;
		if (is_next_there &&
		    is_used(making, next->pid, next->begin, next->name)) {
			if (this->end - this->begin > 1 &&
			    !is_used(making, this->pid, this->end - 1, NULL))
				this->end--;
		} else if (is_used(making, this->pid, this->end, this->name)) {
			if (is_next_there)
				next->begin++;
			this->end++;
		}
	}
}

int syc_record_set_make(const struct syc_point *points, size_t n,
                        struct syc_join_symbols *records)
{
	struct set_making making = { 0 };
	int r = collect_points(&making, points, n);

	if (r == 0) {
		choose(&making);
		move_ends(&making);
	}
	for (size_t i = 0; r == 0 && i < making.candidates.n; i++) {
		const struct candidate *from = &making.candidates.items[i];
		const struct syc_join_symbol symbol = {
			.begin = from->begin,
			.end = from->end,
			.pid = from->pid,
			.name = from->name,
			.tag = from->nick,
		};

		if (symbol.begin < symbol.end)
			r = syc_array_push(&records->sorted, symbol);
	}
	free(making.candidates.items);
	free(making.uses.items);
	return r;
}

const struct syc_join_symbol *
syc_record_set_find(const struct syc_join_symbols *records, int32_t pid,
                    uint64_t address)
{
	size_t low = 0, high = records->sorted.n;
	const struct syc_join_symbol *found;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		found = &records->sorted.items[middle];
		if (compare_places(found->pid, found->begin, (uint32_t)pid,
		                   address) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	found = &records->sorted.items[low - 1];
	return found->pid == (uint32_t)pid && address < found->end ? found
	                                                           : NULL;
}
