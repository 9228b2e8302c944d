/* SPDX-License-Identifier: BSD-2-Clause */
/* counter.h - definitions of counters in a ring. */
#ifndef SYC_EMIT_COUNTER_H
#define SYC_EMIT_COUNTER_H

#include <syscap.h>

/**
 * Put the definition of @counter into this ring unless it is there, giving
 * the counter an id if it has none.  False: no room, dropped and counted.
 *
 * Context of both: any-thread, signal-safe, between syc_enter() and
 * syc_leave().
 */
bool syc_counter_define(struct syc_thread *st, struct syscap_counter *counter,
                        int64_t time);

/** Put it there whether it is or not; the counter has an id. */
bool syc_counter_define_once(struct syc_thread *st,
                             const struct syscap_counter *counter,
                             int64_t time);

#endif
