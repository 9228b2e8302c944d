/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * claim.h - what only one copy of the library in a process may do.
 *
 * Copies of different numbers know nothing of each other, but they share
 * addresses: the copy that maps the claim's address first has it.  Nothing is
 * ever written there or read from it.  A forked child does not have it.
 */
#ifndef SYC_COPIES_CLAIM_H
#define SYC_COPIES_CLAIM_H

#include <stdbool.h>

/** These never change: copies of all numbers know them. */
enum syc_claim {
	SYC_CLAIM_SAMPLER = 0, /* timers for every thread */
	SYC_CLAIM_SOCKET = 1,  /* writing to the socket of SYSPROF_TRACE_FD */
};

/** False: another copy has it.  Context: signal-safe. */
bool syc_claim_take(enum syc_claim claim);

/** Only the copy that took it calls this, in the same process.  Context:
 * signal-safe. */
void syc_claim_give(enum syc_claim claim);

#endif
