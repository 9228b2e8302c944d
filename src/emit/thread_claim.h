/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_claim.h - a state for a thread that has none, or none any more. */
#ifndef SYC_THREAD_CLAIM_H
#define SYC_THREAD_CLAIM_H

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
