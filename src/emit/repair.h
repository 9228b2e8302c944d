/* SPDX-License-Identifier: BSD-2-Clause */
/* repair.h - what emits left half-way that will never go on. */
#ifndef SYC_EMIT_REPAIR_H
#define SYC_EMIT_REPAIR_H

#include "emit/thread.h"

/**
 * Make [frame, frame + len) a filler: a JITMAP without names, or, if only a
 * header fits, a TIMESTAMP with pid -1.  Neither is counted again.  A longer
 * TIMESTAMP is no filler: readers that check 24 bytes of one and step over its
 * len end where that step leaves their buffer.
 *
 * Context of everything here: owner, signal-safe.
 */
void syc_repair_write_nothing(struct syc_thread *st, unsigned char *frame,
                              uint32_t len);

/** The same, counted as abandoned here. */
void syc_repair_count_dead(struct syc_state *ts, unsigned char *frame,
                           uint32_t len);

/**
 * Go over what is reserved and not published, count what will never be
 * completed, and make it fit to publish.  Called by the outermost emit when
 * it ends and inner ones did not, and by whoever takes over from an
 * outermost one that is dead.  An emit that died before it had taken room
 * left nothing, and is not counted: it is as if the call had not been
 * reached.
 */
void syc_repair_all(struct syc_thread *st);

#endif
