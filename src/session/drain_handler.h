/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain_handler.h - drain from a signal handler, if no thread drains.
 *
 * A drain thread is made only outside of handlers.  So a forked child whose
 * only events come from handlers never gets a drain thread, and its ring would
 * fill up.  A handler can do a whole pass, but a pass needs more stack than an
 * alternate stack may have.
 */
#ifndef SYC_SESSION_DRAIN_HANDLER_H
#define SYC_SESSION_DRAIN_HANDLER_H

#include <stdbool.h>

/** Stack that syc_drain_handler_run() may need. */
#define SYC_DRAIN_HANDLER_STACK (128u * 1024)

/**
 * Whether syc_drain_handler_run() has work: the process records itself and has
 * no session yet; or no thread drains, and this thread's ring is a quarter
 * full.
 *
 * Context: owner, signal-safe.
 */
bool syc_drain_handler_is_needed(void);

/**
 * Make the session if there is none; move frames from the rings if no thread
 * moves frames.  Never waits: frames that can't be moved now are moved later.
 *
 * Context: owner, signal-safe, all signals blocked, SYC_DRAIN_HANDLER_STACK of
 * stack.
 */
void syc_drain_handler_run(void);

/** Note that this thread is in a signal handler, or has left it, so that no
 * code has to test this.  Context: owner, all signals blocked. */
void syc_drain_handler_note(bool is_one);

#endif
