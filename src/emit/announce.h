/* SPDX-License-Identifier: BSD-2-Clause */
/* announce.h - facts about the process that go into its first ring. */
#ifndef SYC_EMIT_ANNOUNCE_H
#define SYC_EMIT_ANNOUNCE_H

#include "emit/thread.h"

/**
 * Once per process, into the ring just connected: which clock is used and
 * how far it may be off; and for recorders that are not ours a PROCESS frame,
 * without which a capture can't name the process.
 *
 * Context: owner, inside an emit, signal-safe.
 */
void syc_announce(struct syc_state *ts);

/**
 * The clock has been further off than was stated: state it again, if there is
 * room.
 *
 * Context: owner, signal-safe.
 */
void syc_announce_clock_error(struct syc_thread *st);

#endif
