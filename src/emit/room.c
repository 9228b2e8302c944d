/* SPDX-License-Identifier: BSD-2-Clause */
/* room.c - how far a thread's ring may be written: the reader, and pages. */
#include "emit/room.h"

#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/thread_ring.h"

/* How much of a forked child's ring gets its pages at a time. */
#define PAGES_STEP UINT32_C(12288)

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
		if (ts->is_own && used - moved > size / 8 * 3 &&
		    syc_ring_source_of(ts) != NULL)
			syc_ring_source_of(ts)->warn_of_little_room();
		return true;
	}
	return false;
}

void syc_room_limit_to_pages(const struct syc_state *ts, uint32_t len,
                             uint32_t *limit)
{
	const struct syc_thread *const st = &ts->hot;
	const uint64_t pos = __atomic_load_n(&st->pos, __ATOMIC_RELAXED);
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);
	const uint32_t count = (uint32_t)pos;
	uint32_t want = len + SYC_RING_ROOM + PAGES_STEP;

	if (!ts->is_own || !syc_thread_is_sparse() || body == NULL)
		return;
	/* What is told beyond the limit has room, too */
	if ((int32_t)(*limit - count) < (int32_t)want)
		want = (uint32_t)((int32_t)(*limit - count) > 0
		                          ? (int32_t)(*limit - count)
		                          : 0);
	const struct syc_ring_source *const source = syc_ring_source_of(ts);
	if (source == NULL || source->provide(body + (uint32_t)(pos >> 32),
	                                      want + SYC_RING_ROOM) != 0)
		*limit = count - 2 * SYC_RING_ROOM;
	else if ((int32_t)(*limit - count - want) > 0)
		*limit = count + want;
}

unsigned char *syc_room_take(struct syc_thread *st, uint32_t limit,
                             uint32_t len, int64_t time)
{
	return syc_take(st, limit, len, time);
}
