/* SPDX-License-Identifier: BSD-2-Clause */
/* counter.h - definitions of counters in a ring. */
#ifndef SC_COUNTER_H
#define SC_COUNTER_H

#include <syscap.h>

/**
 * Put the definition of @counter into this ring unless it is there, giving
 * the counter an id if it has none.  False: no room, dropped and counted.
 *
 * Context of both: any-thread, signal-safe, between sc_enter() and
 * sc_leave().
 */
bool sc_counter_define(struct sc_thread *st, struct syscap_counter *counter,
                       int64_t time);

/** Put it there whether it is or not; the counter has an id. */
bool sc_counter_define_once(struct sc_thread *st,
                            const struct syscap_counter *counter, int64_t time);

#endif
