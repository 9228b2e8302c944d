/* SPDX-License-Identifier: BSD-2-Clause */
/* room.h - how far a thread's ring may be written: the reader, and pages. */
#ifndef SYC_EMIT_ROOM_H
#define SYC_EMIT_ROOM_H

#include "emit/thread.h"

/**
 * Look how far the reader is, and compute the limit that follows.  False: the
 * reader's position makes no sense and the ring has been closed, or handlers
 * kept moving pos.
 *
 * Context: owner, signal-safe.
 */
bool syc_room_look(struct syc_state *ts, uint32_t *ret_limit);

/**
 * A ring of our own gets its pages as they are needed: get those for a frame
 * of @len and what may follow it, and bring *@limit down to what has pages.
 * Without room for them it becomes one that nothing fits below, records of
 * losses neither.
 *
 * Context: owner, signal-safe.
 */
void syc_room_limit_to_pages(struct syc_state *ts, uint32_t len,
                             uint32_t *limit);

/**
 * syc_take() for those who are not in a hurry.
 *
 * Context: owner, signal-safe.
 */
unsigned char *syc_room_take(struct syc_thread *st, uint32_t limit,
                             uint32_t len, int64_t time);

#endif
