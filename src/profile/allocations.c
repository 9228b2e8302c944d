/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allocations.c - allocations with their stacks, and the frees that end them.
 *
 * A frame has an address and a size, or the address of a free.  Frames are
 * sorted by process, address and time.  So the next frame after an allocation
 * ends the allocation: its free, or another allocation at that address if the
 * free was lost.  Memory that is never freed is leaked, and is in use until its
 * process ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/model.h"

#define NONE SYSCAP_PROFILE_NONE

void syc_allocations_fini(struct syc_allocations *allocations)
{
	free(allocations->items.items);
}

struct row {
	uint64_t address;
	int64_t time;
	uint32_t process, number;
};

/* Sort by time, and allocations with equal times by number. */
static int by_time(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int by_address(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return by_time(left, right);
}

static void match(struct syc_allocations *allocations, struct row *rows)
{
	struct syscap_profile_allocation *items = allocations->items.items;
	const size_t n = allocations->items.n;

	qsort(rows, n, sizeof(*rows), by_address);
	for (size_t i = 0; i < n; i++) {
		struct syscap_profile_allocation *item = &items[rows[i].number];

		item->ended_by = NONE;
		item->is_temporary = false;
		if (item->size > 0 && i + 1 < n &&
		    rows[i + 1].process == rows[i].process &&
		    rows[i + 1].address == rows[i].address)
			item->ended_by = rows[i + 1].number;
	}
}

static void sum_up(struct syscap_profile_heap *heap,
                   const struct syscap_profile_allocation *item)
{
	const uint64_t size = (uint64_t)item->size;

	heap->n_allocations++;
	heap->bytes += size;
	if (item->ended_by == NONE) {
		heap->n_leaked++;
		heap->leaked += size;
	}
	if (item->is_temporary) {
		heap->n_temporary++;
		heap->temporary += size;
	}
}

/* The end of a process, which takes its leaked memory. */
struct end {
	int64_t time;
	uint32_t process;
};

static int by_end(const void *left, const void *right)
{
	const struct end *a = left, *b = right;

	return (a->time > b->time) - (a->time < b->time);
}

/* The exits of processes, by time, and the leaked bytes of each process. */
struct exits {
	const struct syc_life *lives;
	struct end *items;
	size_t n, at;
	uint64_t *leaked;
};

static void exits_fini(struct exits *exits)
{
	free(exits->items);
	free(exits->leaked);
}

static int exits_init(struct exits *exits,
                      const struct syc_processes *processes)
{
	const size_t n = processes->lives.n;

	*exits = (struct exits){
		.lives = processes->lives.items,
		.items = malloc((n + 1) * sizeof(*exits->items)),
		.leaked = calloc(n + 1, sizeof(*exits->leaked)),
	};
	if (exits->items == NULL || exits->leaked == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (processes->lives.items[i].exit != INT64_MAX)
			exits->items[exits->n++] = (struct end){
				.time = processes->lives.items[i].exit,
				.process = (uint32_t)i,
			};
	qsort(exits->items, exits->n, sizeof(*exits->items), by_end);
	return 0;
}

/* Return the leaked bytes of the processes that ended up to @time. */
static uint64_t exits_pass(struct exits *exits, int64_t time)
{
	uint64_t bytes = 0;

	for (; exits->at < exits->n && exits->items[exits->at].time <= time;
	     exits->at++) {
		uint64_t *leaked =
			&exits->leaked[exits->items[exits->at].process];

		bytes += *leaked;
		*leaked = 0;
	}
	return bytes;
}

/*
 * In the order of time, compute the peak, and the allocations that were freed
 * before the next allocation of their thread.  @latest has the last allocation
 * of each thread.
 */
static void follow(struct syc_allocations *allocations, struct row *rows,
                   struct exits *exits, uint32_t *latest, uint32_t *begun_by)
{
	struct syscap_profile_allocation *items = allocations->items.items;
	struct syscap_profile_heap *heap = &allocations->heap;
	const size_t n = allocations->items.n;
	uint64_t live = 0;

	qsort(rows, n, sizeof(*rows), by_time);
	for (size_t i = 0; i < n; i++)
		if (items[i].ended_by != NONE)
			begun_by[items[i].ended_by] = (uint32_t)i;
	for (size_t i = 0; i < n; i++) {
		const uint32_t number = rows[i].number;
		struct syscap_profile_allocation *item = &items[number];
		const uint32_t ended = begun_by[number];

		live -= exits_pass(exits, item->time);
		if (ended != NONE) {
			live -= (uint64_t)items[ended].size;
			items[ended].is_temporary =
				item->size <= 0 &&
				latest[item->thread] == ended;
		}
		heap->n_frees += item->size <= 0;
		if (item->size <= 0)
			continue;
		latest[item->thread] = number;
		if (item->ended_by == NONE) {
			if (exits->lives[rows[i].process].exit <= item->time)
				continue;
			exits->leaked[rows[i].process] += (uint64_t)item->size;
		}
		live += (uint64_t)item->size;
		if (live > heap->peak) {
			heap->peak = live;
			heap->peak_time = item->time;
			allocations->peak = number;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (items[i].size > 0)
			sum_up(heap, &items[i]);
}

int syc_allocations_settle(struct syc_allocations *allocations,
                           const struct syc_processes *processes)
{
	const size_t n = allocations->items.n, n_threads = processes->threads.n;
	uint32_t *latest, *begun_by;
	struct exits exits;
	struct row *rows;
	int r = -ENOMEM;

	if (n == allocations->n_settled)
		return 0;
	rows = calloc(n, sizeof(*rows));
	latest = malloc(n_threads * sizeof(*latest));
	begun_by = malloc(n * sizeof(*begun_by));
	if (exits_init(&exits, processes) == 0 && rows != NULL &&
	    latest != NULL && begun_by != NULL) {
		memset(latest, 0xFF, n_threads * sizeof(*latest));
		memset(begun_by, 0xFF, n * sizeof(*begun_by));
		memset(&allocations->heap, 0, sizeof(allocations->heap));
		for (size_t i = 0; i < n; i++) {
			const struct syscap_profile_allocation *item =
				&allocations->items.items[i];

			rows[i] = (struct row){
				.address = item->address,
				.time = item->time,
				.process =
					processes->threads.items[item->thread]
						.process,
				.number = (uint32_t)i,
			};
		}
		match(allocations, rows);
		follow(allocations, rows, &exits, latest, begun_by);
		allocations->n_settled = n;
		r = 0;
	}
	exits_fini(&exits);
	free(rows);
	free(latest);
	free(begun_by);
	return r;
}

static bool is_later(const struct syscap_profile_allocation *items, uint32_t a,
                     uint32_t b)
{
	return items[a].time != items[b].time ? items[a].time > items[b].time
	                                      : a > b;
}

static bool is_at_peak(const struct syc_allocations *allocations,
                       const struct syc_processes *processes, uint32_t number)
{
	const struct syscap_profile_allocation *const items =
		allocations->items.items;
	const struct syscap_profile_allocation *const item = &items[number];

	if (is_later(items, number, allocations->peak))
		return false;
	if (item->ended_by != NONE)
		return is_later(items, item->ended_by, allocations->peak);
	return processes->lives
	               .items[processes->threads.items[item->thread].process]
	               .exit > allocations->heap.peak_time;
}

uint64_t syc_allocations_amount(const struct syc_allocations *allocations,
                                const struct syc_processes *processes,
                                size_t number, enum syscap_view_of of)
{
	const struct syscap_profile_allocation *item =
		&allocations->items.items[number];

	if (item->size <= 0 ||
	    (of == SYSCAP_VIEW_LEAKED && item->ended_by != NONE) ||
	    (of == SYSCAP_VIEW_TEMPORARY && !item->is_temporary) ||
	    (of == SYSCAP_VIEW_PEAK &&
	     !is_at_peak(allocations, processes, (uint32_t)number)))
		return 0;
	return (uint64_t)item->size;
}
