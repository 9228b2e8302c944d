/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ask.h - when a thread asks the recorder for a ring, and whether it waits.
 *
 * A thread asks once, and waits for its answer.  If it has waited in vain it
 * drops and counts, and looks for what has come now and then, ever more rarely.
 * Once the recorder has been silent for a second, nobody waits any more until
 * an answer comes: new threads ask and go on.  Requests that may have got lost
 * are repeated by one thread of the process at a time, rarely too.
 *
 * It is asked over the socket that was inherited, for as long as that is there;
 * from then on by a connection for each ring (connection.h), where the recorder
 * has a name.
 *
 * A thread that has asked takes one answer, whichever comes first: all are
 * alike, and there are as many as were asked for.
 */
#ifndef SYC_EMIT_ASK_H
#define SYC_EMIT_ASK_H

#include "emit/thread.h"

/**
 * A descriptor, or -errno as of emit/control.h; -ETIMEDOUT: not yet.
 *
 * Context: owner, signal-safe, signals blocked.
 */
int syc_ask_for_ring(struct syc_state *ts);

/**
 * The same for none, once more before the process ends.  Waits until @deadline.
 *
 * Context: any-thread, signal-safe; cancellation is off.
 */
int syc_ask_at_exit(int64_t deadline);

/** Whether it is asked by its name: what was inherited is not there, or not any
 * more.  Context: any-thread, signal-safe. */
bool syc_ask_is_by_name(void);

/** @ts ends, and somebody else may have what it asked for.  owner. */
void syc_ask_leave(struct syc_state *ts);

/** The answer was a ring, and it is mapped: the recorder answers.  signal-safe.
 */
void syc_ask_note_ring(void);

/**
 * No ring for @ts this time, because of @r: when to try again, and whether the
 * recorder is gone for good.
 *
 * Context: owner, signal-safe, signals blocked.
 */
void syc_ask_note_failure(struct syc_state *ts, int r);

#endif
