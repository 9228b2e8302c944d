/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_leave.h - a thread leaves its ring: it ends, or its events are to go
 * somewhere else. */
#ifndef SYC_EMIT_THREAD_LEAVE_H
#define SYC_EMIT_THREAD_LEAVE_H

#include "emit/thread.h"

/**
 * The last record and the end marker are written, and what nobody told is left
 * to others.
 *
 * Context: owner, or whoever finishes a dead thread's state; signal-safe.
 */
void syc_thread_leave_ring(struct syc_state *ts);

/**
 * Leave a ring that is not of the present epoch.  Not while an emit of the
 * thread is under way; it belongs there, and so does what comes on top of it.
 *
 * Context: owner, signal-safe, signals blocked.
 */
void syc_thread_leave_epoch(struct syc_state *ts);

/** The thread of @state ends: a pthread key's destructor. */
void syc_thread_leave_for_good(void *state);

#endif
