/* SPDX-License-Identifier: BSD-2-Clause */
/* reserve.h - what the slow half of the emit path gives to its neighbours. */
#ifndef SYC_RESERVE_H
#define SYC_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/thread.h"

/**
 * Look how far the reader is, and compute the limit that follows.  False: the
 * reader's position makes no sense and the ring has been closed, or handlers
 * kept moving pos.
 *
 * Context: owner, signal-safe.
 */
bool syc_reserve_look(struct syc_state *ts, uint32_t *ret_limit);

/**
 * In a forked child, whose ring gets its pages as they are needed: get those
 * for a frame of @len and what may follow it, and bring *@limit down to what
 * has pages.  Without room for them it becomes one that nothing fits below,
 * records of losses neither.
 *
 * Context: owner, signal-safe.
 */
void syc_reserve_limit_to_pages(const struct syc_state *ts, uint32_t len,
                                uint32_t *limit);

/**
 * The thread emits no more: what an emit of it left half-way is repaired, and
 * pos counts.
 *
 * Context: owner, or whoever finishes a dead thread's state.
 */
void syc_reserve_take_over(struct syc_state *ts);

#endif
