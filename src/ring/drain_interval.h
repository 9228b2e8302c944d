/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain_interval.h - times between two transfers of events from the rings.  A
 * burst has to fit into its ring between two transfers.
 *
 * The option --drain-interval of `syscap record` and interval_ms of
 * syscap_start() replace these times.
 */
#ifndef SYC_RING_DRAIN_INTERVAL_H
#define SYC_RING_DRAIN_INTERVAL_H

#include <stdint.h>

/* The recorder's intervals in ms: for silent rings, for rings with little
 * traffic, and while a reply waits for space. */
#define SYC_DRAIN_SILENT_MS 50
#define SYC_DRAIN_SOME_MS   4
#define SYC_DRAIN_REPLY_MS  2

/* Intervals of a process that records itself, in ns: for its emitting threads,
 * and for a thread of the library. */
#define SYC_DRAIN_BY_EMITTERS_NS (INT64_C(100) * 1000000)
#define SYC_DRAIN_BY_THREAD_NS   (INT64_C(50) * 1000000)

#endif
