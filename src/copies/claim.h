/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * claim.h - what only one copy of the library in a process may do.
 *
 * Copies of different numbers know nothing of each other, but they share
 * addresses: whoever gets to map the place of a claim (addresses.h) has it.
 * Nothing is ever written there or read from it; it can't be accessed.  A
 * forked child does not have it.
 */
#ifndef SC_CLAIM_H
#define SC_CLAIM_H

#include <stdbool.h>

/** These never change: copies of all numbers know them. */
enum sc_claim {
	SC_CLAIM_SAMPLER = 0, /* timers for every thread */
	SC_CLAIM_SOCKET = 1,  /* writing to the socket of SYSPROF_TRACE_FD */
};

/** False: another copy has it.  Context: signal-safe. */
bool sc_claim_take(enum sc_claim claim);

/** Whether any copy has it.  Context: signal-safe. */
bool sc_claim_is_taken(enum sc_claim claim);

/** By who took it, in the same process.  Context: signal-safe. */
void sc_claim_give(enum sc_claim claim);

#endif
