/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * claim.h - of several copies of this library in one process, one samples.
 *
 * The copies know nothing of each other, but they share addresses: who gets
 * to map one page at an address that all know is the one.  Nothing is ever
 * written there or read from it; it can't be accessed.  A forked child does
 * not have it.
 */
#ifndef SC_CLAIM_H
#define SC_CLAIM_H

#include <stdbool.h>

/** False: another copy has it.  Context: signal-safe. */
bool sc_claim_take(void);

/** Context: signal-safe. */
void sc_claim_give(void);

#endif
