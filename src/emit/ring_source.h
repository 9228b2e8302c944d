/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_source.h - where rings come from: whoever records gives them.
 *
 * Emitting needs a ring, and tells its source what the source can't see.  A
 * copy of the library has one source for each way of recording that is linked
 * with it: the recorder's (recorder.h), and the process' own (own.h).  Another
 * one is a struct more here, a place in the table, and a sink.
 */
#ifndef SYC_EMIT_RING_SOURCE_H
#define SYC_EMIT_RING_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "emit/sink.h"
#include "emit/thread.h"

/** Context of all: any-thread, signal-safe.  NULL: nothing is to be done. */
struct syc_ring_source {
	/* Get a ring for @ts, and begin it (thread_ring.h).  False: there is
	 * none now, and ts->retry_at says when to come again.  Signals are
	 * blocked.  Never NULL. */
	bool (*connect)(struct syc_state *ts);
	/* @ts is to be without a ring: it ends, or its events go elsewhere.
	 * Owner, or whoever finishes a dead thread's state. */
	void (*forgo)(struct syc_state *ts);
	/* The thread of @ts is done with the ring of ours that it has: owner,
	 * or whoever finishes a dead thread's state. */
	void (*give_back)(struct syc_state *ts);
	/* Get pages for [at, at + n) of a ring of ours: 0 or -errno. */
	int (*provide)(void *at, size_t n);
	/* A ring of ours @is_filling up; or a thread has ended, and left its. */
	void (*poke)(bool is_filling);
	/* Count a stray loss, which no thread may come to tell, where whoever
	 * drains finds it.  False: there is no such place. */
	bool (*count_stray)(uint8_t kind, uint32_t len, int64_t time);
	/* syc_drain_sleeping was set when an event was published, and is 0
	 * now.  False: it was not set by this source. */
	bool (*wake)(void);
	/* The process exits.  False: this source gave no rings. */
	bool (*end)(void);
};

/** Sources are asked in this order. */
enum {
	SYC_SOURCE_OWN,
	SYC_SOURCE_RECORDER,
	SYC_N_SOURCES
};

/** Set once, by setup.c, before there is a block; NULL: this copy lacks it. */
extern const struct syc_ring_source *syc_ring_sources[SYC_N_SOURCES];

/** The source that gave @ts its ring. */
static inline const struct syc_ring_source *
syc_ring_source_of(const struct syc_state *ts)
{
	return syc_ring_sources[ts->is_own ? SYC_SOURCE_OWN
	                                   : SYC_SOURCE_RECORDER];
}

/** The source that gives rings now. */
static inline const struct syc_ring_source *syc_ring_source_current(void)
{
	return syc_ring_sources[syc_destination_sink() == SYC_SINK_CONTROL
	                                ? SYC_SOURCE_RECORDER
	                                : SYC_SOURCE_OWN];
}

#endif
