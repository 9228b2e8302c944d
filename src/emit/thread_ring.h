/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_ring.h - the ring of a thread: begun, closed, left, not inherited. */
#ifndef SYC_EMIT_THREAD_RING_H
#define SYC_EMIT_THREAD_RING_H

#include "emit/thread.h"

/**
 * @ts, whose is_own and is_ours are set, emits into @ring from now on, an empty
 * one of @size bytes, whose head and tail are @at.
 *
 * Context: owner, signal-safe, signals blocked.
 */
void syc_thread_ring_begin(struct syc_state *ts, struct syc_ring_header *ring,
                           uint32_t size, uint32_t at);

/** What a child inherits of @ts.  Context: owner; in a child, any thread. */
static inline struct syc_mapped *syc_thread_mapped(const struct syc_state *ts)
{
	return &syc_block->mapped[ts - syc_states];
}

/** Say in @ring, whose reader is ours, who writes it.  signal-safe. */
void syc_thread_ring_sign(struct syc_ring_header *ring, int32_t pid,
                          int32_t tid);

/** Stop writing into the ring for good; it stays mapped.  @why: a sentence
 * that lives, for syscap_get_stats().  Context: owner, signal-safe. */
void syc_thread_ring_close(struct syc_state *ts, const char *why);

/** @ts has no ring any more.  Context: owner, or whoever finishes a dead
 * thread's state. */
void syc_thread_ring_unmap(struct syc_state *ts);

/**
 * In a forked child: the ring that the parent had for @ts must not be written
 * here.  Unmapped; or, if an emit that the fork interrupted @may_be_written,
 * replaced by private memory.
 *
 * Context: setup of the child, signal-safe.
 */
void syc_thread_ring_drop_inherited(const struct syc_state *ts,
                                    bool may_be_written);

/**
 * Get a ring for @ts if there is one to be got now.  Called inside an emit.
 * False: there is none; the caller counts.
 *
 * Context: owner, signal-safe.
 */
bool syc_thread_connect(struct syc_state *ts);

#endif
