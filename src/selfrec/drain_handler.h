/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain_handler.h - drain from a signal handler, where no thread does.
 *
 * A forked child whose only events come from handlers never gets a drain
 * thread, which is made outside of them only: its ring would fill up.  All of
 * a pass can be done in a handler, but it wants more stack than an alternate
 * one may have.
 */
#ifndef SYC_SELFREC_DRAIN_HANDLER_H
#define SYC_SELFREC_DRAIN_HANDLER_H

#include <stdbool.h>

/** What syc_drain_handler_run() may need of its caller's stack. */
#define SYC_DRAIN_HANDLER_STACK (128u * 1024)

/**
 * Whether syc_drain_handler_run() has something to do: the process records
 * itself, and has no session yet; or no thread drains, and this thread's ring
 * is a quarter full.
 *
 * Context: owner, signal-safe.
 */
bool syc_drain_handler_is_needed(void);

/**
 * Make the session if there is none; move what the rings hold if no thread
 * does.  Waits for nobody: what can't go now goes another time.
 *
 * Context: owner, signal-safe, all signals blocked, SYC_DRAIN_HANDLER_STACK of
 * stack.
 */
void syc_drain_handler_run(void);

/** This thread is in a signal handler, or not any more: nobody has to find
 * out.  Context: owner, all signals blocked. */
void syc_drain_handler_note(bool is_one);

#endif
