/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_connect.h - a ring for a thread that has none. */
#ifndef SYC_THREAD_CONNECT_H
#define SYC_THREAD_CONNECT_H

#include "emit/thread.h"

/**
 * Get a ring for @ts if there is one to be got now.  Called inside an emit.
 * False: there is none; the caller counts.
 *
 * Context: owner, signal-safe.
 */
bool syc_thread_connect(struct syc_state *ts);

#endif
