/* SPDX-License-Identifier: BSD-2-Clause */
/* disturbed.h - emits that are not alone: <syscap/emit.h> has the rest. */
#ifndef SYC_EMIT_DISTURBED_H
#define SYC_EMIT_DISTURBED_H

#include "emit/thread.h"

/**
 * An emit that is alone reserves nothing, it announces `end`.  Whoever finds
 * it at work, and whoever emits in the long way, comes here first: reserves
 * for the one under way what it announced, and lets pos count from now on,
 * until publish_all() goes back.  Each step may be done again by a handler
 * that does all of them, and fails or changes nothing then.
 *
 * Context: owner, signal-safe.
 */
void syc_disturb(struct syc_thread *st);

/**
 * Take over from an owner that is dead, or that a handler's on top of us was.
 *
 * Context: owner, signal-safe.
 */
void syc_become_owner(struct syc_thread *st, volatile uintptr_t *token);

/**
 * The thread emits no more: what an emit of it left half-way is repaired, and
 * pos counts.
 *
 * Context: owner, or whoever finishes a dead thread's state.
 */
void syc_take_over(struct syc_state *ts);

#endif
