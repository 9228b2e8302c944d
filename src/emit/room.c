/* SPDX-License-Identifier: BSD-2-Clause */
/* room.c - how far a thread's ring may be written: the reader, and pages. */
#include "emit/room.h"

#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/thread_ring.h"

/* How many bytes of a ring of our own get their pages at a time. */
#define PAGES_FIRST UINT32_C(4096)
#define PAGES_MOST  UINT32_C(65536)

bool syc_room_look(struct syc_state *ts, uint32_t *ret_limit)
{
	struct syc_thread *const st = &ts->hot;
	const uint32_t size = st->size;

	/* pos first, head second, and nothing moved in between: only so do
	 * the two belong together (else a handler's reserve between them
	 * would be counted as free). */
	for (int i = 0; i < 8; i++) {
		const uint64_t pos =
			__atomic_load_n(&st->pos, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		uint32_t before = __atomic_load_n(&ts->head, __ATOMIC_RELAXED);
		struct syc_ring_header *const ring =
			__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);
		if (ring == NULL)
			return false; /* a child, forked a moment ago */
		/* W1, pairs with R2 */
		const uint32_t head =
			__atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
		SYC_SIGNAL_FENCE();
		if (__atomic_load_n(&st->pos, __ATOMIC_RELAXED) != pos ||
		    __atomic_load_n(&ts->head, __ATOMIC_RELAXED) != before)
			continue;
		const uint32_t offset = (uint32_t)(pos >> 32);
		const uint32_t used = offset >= before ? offset - before
		                                       : offset + size - before;
		const uint32_t moved =
			head >= before ? head - before : head + size - before;
		/* The peer is not trusted: it may only move towards pos */
		if (head >= size || head % 8 != 0 || moved > used) {
			syc_thread_ring_close(ts,
			                      "a ring was closed: its reader's "
			                      "position is not one");
			return false;
		}
		/* A handler that looked meanwhile has seen a newer head: its
		 * must stay, or what it reserved would look like a whole
		 * ring more than there is */
		if (!__atomic_compare_exchange_n(&ts->head, &before, head,
		                                 false, __ATOMIC_RELAXED,
		                                 __ATOMIC_RELAXED))
			continue;
		*ret_limit = (uint32_t)pos + size - 8 - SYC_RING_ROOM -
		             (used - moved);
		if (ts->slot != NULL && used - moved > size / 8 * 3 &&
		    syc_ring_source_of(ts) != NULL)
			syc_ring_source_of(ts)->poke(true);
		return true;
	}
	return false;
}

/* Pages for all up to @need at least; 0: there is no memory for them. */
static uint32_t provide_pages(struct syc_state *ts, unsigned char *at,
                              uint32_t count, uint32_t need)
{
	const struct syc_ring_source *const source = syc_ring_source_of(ts);
	const uint32_t whole = ts->pages_since + ts->hot.size;
	const uint32_t step = ts->pages_step == 0           ? PAGES_FIRST
	                      : ts->pages_step < PAGES_MOST ? 2 * ts->pages_step
	                                                    : PAGES_MOST;
	uint32_t to = ts->pages_end + step;

	if ((int32_t)(to - need) < 0)
		to = need;
	to = (to + PAGES_FIRST - 1) & ~(PAGES_FIRST - 1);
	if ((int32_t)(whole - to) < 0)
		to = whole;
	if (source == NULL || source->provide(at, to - count) != 0)
		return 0;
	ts->pages_step = step;
	__atomic_store_n(&ts->pages_end, to, __ATOMIC_RELAXED);
	return to != 0 ? to : whole;
}

/*
 * In its first lap a ring of our own gets its pages as they are needed, each
 * time more of them.  What is told beyond the limit has room, too.
 */
void syc_room_limit_to_pages(struct syc_state *ts, uint32_t len,
                             uint32_t *limit)
{
	const struct syc_thread *const st = &ts->hot;
	const uint64_t pos = __atomic_load_n(&st->pos, __ATOMIC_RELAXED);
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);
	const uint32_t count = (uint32_t)pos;
	const uint32_t whole = ts->pages_since + st->size;
	const uint32_t need = count + len + SYC_LOSS_RECORD_MAX + SYC_RING_ROOM;
	uint32_t end = __atomic_load_n(&ts->pages_end, __ATOMIC_RELAXED);

	if (!ts->is_own || body == NULL || end == whole)
		return;
	if ((int32_t)(end - need) < 0) {
		end = provide_pages(ts, body + (uint32_t)(pos >> 32), count,
		                    need);
		if (end == 0) {
			*limit = count - 2 * SYC_RING_ROOM;
			return;
		}
	}
	if (end != whole && (int32_t)(*limit + SYC_RING_ROOM - end) > 0)
		*limit = end - SYC_RING_ROOM;
}

unsigned char *syc_room_take(struct syc_thread *st, uint32_t limit,
                             uint32_t len, int64_t time)
{
	return syc_take(st, limit, len, time);
}
