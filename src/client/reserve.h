/* SPDX-License-Identifier: BSD-2-Clause */
/* reserve.h - what the slow half of the emit path gives to its neighbours. */
#ifndef SC_RESERVE_H
#define SC_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "client/thread.h"

/**
 * Look how far the reader is, and compute the limit that follows.  False: the
 * reader's position makes no sense and the ring has been closed, or handlers
 * kept moving pos.
 *
 * Context: owner, signal-safe.
 */
bool sc_reserve_look(struct sc_state *ts, uint32_t *ret_limit);

/**
 * In a forked child, whose ring gets its pages as they are needed: get those
 * for a frame of @len and what may follow it, and bring *@limit down to what
 * has pages.  Without room for them it becomes one that nothing fits below,
 * records of losses neither.
 *
 * Context: owner, signal-safe.
 */
void sc_reserve_limit_to_pages(const struct sc_state *ts, uint32_t len,
                               uint32_t *limit);

/**
 * The thread emits no more: what an emit of it left half-way is repaired, and
 * pos counts.
 *
 * Context: owner, or whoever finishes a dead thread's state.
 */
void sc_reserve_take_over(struct sc_state *ts);

#endif
