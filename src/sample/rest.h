/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rest.h - processor time since a thread's last tick, when no other tick will
 * come.
 *
 * A kernel of 250 Hz looks at a thread's clock every 4 ms.  So the last 2 ms of
 * a thread have no tick, and many threads have none at all.  The thread's own
 * clock has that time.  Whole periods of it become one more sample, with the
 * stack that the thread had last.  If it had none, the function that it began
 * with stands for all that it called; the main thread's stack is empty.  The
 * process carries less than a period to the next thread that ends.
 *
 * Context of everything here: signal-safe, all signals blocked; the caller
 * holds the round.
 */
#ifndef SYC_SAMPLE_REST_H
#define SYC_SAMPLE_REST_H

#include "sample/target.h"

/** Emit what is due of @only, the calling thread's, which ends.  NULL: of all
 * threads, since the process ends, or becomes another program; no tick is taken
 * meanwhile, as `is_on` is 0. */
void syc_rest_emit(const struct syc_target *only);

#endif
