/* SPDX-License-Identifier: BSD-2-Clause */
/* slot.h - a thread's ring in the arena that was handed over (hand_over.h). */
#ifndef SYC_EMIT_SLOT_H
#define SYC_EMIT_SLOT_H

#include "emit/thread.h"
#include "ring/ring_file.h"

/**
 * Begin a ring for @ts there.  0; -ECONNRESET: the recording is over, and now off;
 * or -errno: there is none, ask for one.
 *
 * Context: owner, signal-safe, signals blocked.
 */
int syc_slot_begin(struct syc_state *ts);

/** @ts is done with its ring, which is unmapped: the recorder may give the slot
 * to others.  Context: owner, or whoever finishes a dead thread's state. */
void syc_slot_end(const struct syc_state *ts);

/** Turn recording off if it is over.  True: it is.  Context: any-thread,
 * signal-safe. */
bool syc_slot_stop_if_over(void);

/** Where losses without a slot are counted; NULL: nowhere.  Context: any-thread,
 * signal-safe. */
struct syc_arena_head *syc_slot_arena_head(void);

/** After an event, or @at_exit: send arenas that could not be sent yet.  Context:
 * any-thread, signal-safe. */
void syc_slot_send_arenas(bool at_exit);

/** Count a stray loss where the recorder reads it.  False: there is no such place.
 * Context: any-thread, signal-safe. */
bool syc_slot_count_stray(uint8_t kind, uint32_t len, int64_t time);

#endif
