/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_maps.c - table of the program's mappings, by range. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss.h"
#include "os/process.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "preload/memory.h"

/* Greatest number of ranges, more than the kernel's default limit of 65,530
 * mappings for a process. */
#define MOST ((size_t)1 << 17)

/*
 * A thread holds the lock for microseconds, unless the thread loses its
 * processor.  After LOOKS attempts a waiting thread sleeps between attempts.
 * After PATIENCE attempts the waiting thread stops trying, and counts a loss.
 */
#define LOOKS    100u
#define PATIENCE 100000u
#define NAP_NS   50000

/* Ranges are sorted and disjoint.  The kernel zeroes the table in a child. */
struct syc_memory_maps {
	uint32_t lock;
	size_t n;
	struct syc_memory_range known[MOST];
};

struct syc_memory_maps *syc_memory_maps;

struct hold {
	bool is_undisturbed;
	struct syc_undisturbed before;
};

/*
 * Take the lock with signals blocked, because a handler that jumps out of this
 * code would leave the lock held forever.  Under a seccomp filter signals are
 * not blocked, so a jump may leave the lock held.
 */
static bool hold_table(struct syc_memory_maps *maps, struct hold *ret_hold)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	ret_hold->is_undisturbed = !syc_seccomp_has_filter();
	if (ret_hold->is_undisturbed)
		syc_undisturbed_begin(&ret_hold->before);
	const uint32_t self = (uint32_t)gettid();

	for (unsigned i = 0; i < PATIENCE; i++) {
		const uint32_t holder = syc_tid_lock_try(&maps->lock);

		if (holder == 0)
			return true;
		if (holder == self) /* a handler that interrupts library code */
			break;
		if (i > LOOKS && ret_hold->is_undisturbed)
			syc_raw_syscall(SYS_nanosleep, (long)(intptr_t)&nap, 0,
			                0, 0, 0, 0);
	}
	if (ret_hold->is_undisturbed)
		syc_undisturbed_end(&ret_hold->before);
	syc_loss_count_stray(SYSCAP_FRAME_ALLOCATION,
	                     sizeof(struct syscap_wire_allocation),
	                     syscap_clock());
	return false;
}

static void let_go(struct syc_memory_maps *maps, const struct hold *hold)
{
	syc_tid_lock_give(&maps->lock);
	if (hold->is_undisturbed)
		syc_undisturbed_end(&hold->before);
}

/* Return the index of the first range that ends after @at. */
static size_t find_range(const struct syc_memory_maps *maps, uintptr_t at)
{
	size_t low = 0, high = maps->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (maps->known[middle].end > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool insert_at(struct syc_memory_maps *maps, size_t place,
                      struct syc_memory_range range)
{
	struct syc_memory_range *const known = &maps->known[place];

	if (maps->n == MOST)
		return false;
	memmove(known + 1, known, (maps->n - place) * sizeof(*known));
	*known = range;
	maps->n++;
	return true;
}

static void remove_at(struct syc_memory_maps *maps, size_t place)
{
	struct syc_memory_range *const known = &maps->known[place];

	maps->n--;
	memmove(known, known + 1, (maps->n - place) * sizeof(*known));
}

static bool is_empty(const struct syc_memory_range *range)
{
	return range->begin == range->end;
}

static uintptr_t later_of(uintptr_t a, uintptr_t b)
{
	return a > b ? a : b;
}

static void cut_at(struct syc_memory_maps *maps, size_t place,
                   struct syc_memory_range range,
                   struct syc_memory_cut *ret_cut)
{
	const struct syc_memory_range was = maps->known[place];
	struct syc_memory_range *const left = ret_cut->left;

	*ret_cut = (struct syc_memory_cut){
		.was = was,
		.part.begin = later_of(was.begin, range.begin),
		.part.end = was.end < range.end ? was.end : range.end,
		.left[0] = { was.begin, later_of(was.begin, range.begin) },
		.left[1] = { was.end < range.end ? was.end : range.end,
		             was.end },
	};
	remove_at(maps, place);
	for (int i = 1; i >= 0; i--)
		if (!is_empty(&left[i]) && !insert_at(maps, place, left[i])) {
			left[i].end = left[i].begin;
			ret_cut->n_forgotten++;
		}
}

static bool has_exactly(const struct syc_memory_maps *maps,
                        const struct syc_memory_range *range)
{
	const size_t place = find_range(maps, range->begin);

	return is_empty(range) ||
	       (place < maps->n && maps->known[place].begin == range->begin &&
	        maps->known[place].end == range->end);
}

static bool mend(struct syc_memory_maps *maps, const struct syc_memory_cut *cut)
{
	if (cut->n_forgotten > 0 || !has_exactly(maps, &cut->left[0]) ||
	    !has_exactly(maps, &cut->left[1]))
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (!is_empty(&cut->left[i]))
			remove_at(maps, find_range(maps, cut->left[i].begin));
	return insert_at(maps, find_range(maps, cut->was.begin), cut->was);
}

bool syc_memory_maps_begin(void)
{
	static struct syc_memory_maps *maps;

	if (syc_lazy_map_get(&maps, sizeof(*maps)) == NULL ||
	    madvise(maps, sizeof(*maps), MADV_WIPEONFORK) != 0)
		return false;
	__atomic_store_n(&syc_memory_maps, maps, __ATOMIC_RELEASE);
	return true;
}

struct syc_memory_range syc_memory_maps_round(const void *at, size_t size)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t begin = (uintptr_t)at & -page;

	return (struct syc_memory_range){ begin, ((uintptr_t)at + size + page -
		                                  1) & -page };
}

bool syc_memory_maps_add(struct syc_memory_range range)
{
	struct syc_memory_maps *const maps = syc_memory_maps;
	struct hold hold;
	bool is_added;

	if (!hold_table(maps, &hold))
		return false;
	is_added = insert_at(maps, find_range(maps, range.begin), range);
	let_go(maps, &hold);
	return is_added;
}

bool syc_memory_maps_has(const void *at)
{
	struct syc_memory_maps *const maps = syc_memory_maps;
	struct hold hold;

	if (!hold_table(maps, &hold))
		return false;
	const size_t place = find_range(maps, (uintptr_t)at);
	const bool has =
		place < maps->n && maps->known[place].begin <= (uintptr_t)at;
	let_go(maps, &hold);
	return has;
}

bool syc_memory_maps_cut(struct syc_memory_range range,
                         struct syc_memory_cut *ret_cut)
{
	struct syc_memory_maps *const maps = syc_memory_maps;
	struct hold hold;

	if (!hold_table(maps, &hold))
		return false;
	const size_t place = find_range(maps, range.begin);
	const bool is_there =
		place < maps->n && maps->known[place].begin < range.end;
	if (is_there)
		cut_at(maps, place, range, ret_cut);
	let_go(maps, &hold);
	return is_there;
}

bool syc_memory_maps_mend(const struct syc_memory_cut *cut)
{
	struct syc_memory_maps *const maps = syc_memory_maps;
	struct hold hold;

	if (!hold_table(maps, &hold))
		return false;
	const bool is_whole = mend(maps, cut);
	let_go(maps, &hold);
	return is_whole;
}
