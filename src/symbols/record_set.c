/* SPDX-License-Identifier: BSD-2-Clause */
/* record_set.c - from what addresses were to ranges that readers can search. */
#define _GNU_SOURCE
#include "symbols/record_set.h"

#include <string.h>

/* A function that some points are in. */
struct candidate {
	uint32_t pid;
	uint64_t begin, end;
	const char *name, *nick;
	uint64_t n; /* how often addresses in it are used */
};

/* Which addresses are used, and as what. */
struct use {
	uint32_t pid;
	uint64_t address;
	const char *name;
};

struct set_making {
	SYC_ARRAY(struct candidate) candidates;
	SYC_ARRAY(struct use) uses; /* sorted */
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

		/* Of a pid below 0 no reader looks anything up. */
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

/* One of each; of those that overlap the one that is used more. */
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

/* Is @address used as a part of the function @name; of any one, if NULL? */
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
