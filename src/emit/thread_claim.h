/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_claim.h - a state for a thread that has none, or none any more; and a
 * ring. */
#ifndef SYC_EMIT_THREAD_CLAIM_H
#define SYC_EMIT_THREAD_CLAIM_H

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

#endif
