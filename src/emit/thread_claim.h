/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_claim.h - a state for a thread that has none, or none any more; and a
 * ring. */
#ifndef SYC_THREAD_CLAIM_H
#define SYC_THREAD_CLAIM_H

#include <stdbool.h>

#include "emit/thread.h"

/**
 * Find the calling thread's state, whichever copy claimed it, or claim one:
 * syc_self leads there.  It stays NULL where all are taken, and in a vfork()
 * child.
 *
 * Context: owner, signal-safe, signals blocked: nobody else on this thread can
 * claim meanwhile.
 */
void syc_thread_claim(void);

/**
 * Get a ring for @ts if there is one to be got now.  Called inside an emit.
 * False: there is none; the caller counts.
 *
 * Context: owner, signal-safe.
 */
bool syc_thread_connect(struct syc_state *ts);

#endif
