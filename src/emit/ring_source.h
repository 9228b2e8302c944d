/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_source.h - destinations of events, and sources of rings for events.
 *
 * A copy of the library has one source for each linked kind of recording.  The
 * recorder's source is in recorder.h.  The source of a process that records
 * itself, the session, is in session/own_recording.c.  A further source needs a
 * struct syc_ring_source, a row in the table, and a sink.
 */
#ifndef SYC_EMIT_RING_SOURCE_H
#define SYC_EMIT_RING_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "copies/copies.h"
#include "emit/thread.h"

/* ---------------------------------------------------------- destinations */

/*
 * There are two destinations, the environment's and that of syscap_start().
 * One of the two destinations is current (struct syc_block).  Both destinations
 * are static data of a copy, so a forked child also has both.
 * session/session.h extends the struct.
 */

enum syc_sink {
	SYC_SINK_NONE = 0,
	SYC_SINK_CONTROL, /* a recorder's rings, without a session */
	SYC_SINK_TRACE,
	SYC_SINK_OUTPUT,
};

struct syc_destination {
	enum syc_sink sink;
};

/** Context of these functions: any-thread, signal-safe. */

/** Return whether the current destination is that of syscap_start(). */
static inline bool syc_destination_is_started(void)
{
	return __atomic_load_n(&syc_block->is_started, __ATOMIC_ACQUIRE) != 0;
}

static inline const struct syc_destination *syc_destination_current(void)
{
	return syc_destination_is_started() ? syc_block->started
	                                    : syc_block->environment;
}

static inline enum syc_sink syc_destination_sink(void)
{
	return syc_destination_current()->sink;
}

/* --------------------------------------------------------------- sources */

/** Context of all functions: any-thread, signal-safe.  NULL: nothing to do. */
struct syc_ring_source {
	/* Get a ring for @ts, and begin it (syc_thread_ring_begin()).  Returns
	 * false if there is no ring now; ts->retry_at is the time of the next
	 * attempt.  Signals are blocked.  The pointer is never NULL. */
	bool (*connect)(struct syc_state *ts);
	/* Cancel a pending ring of @ts, whose thread ends or emits elsewhere.
	 * Context: owner, or the thread that finishes a dead thread's state. */
	void (*forgo)(struct syc_state *ts);
	/* Leave the session's ring of @ts.  Context: owner, or the thread that
	 * finishes a dead thread's state. */
	void (*give_back)(struct syc_state *ts);
	/* Get pages for [at, at + n) of a session's ring.  Returns 0 or
	 * -errno. */
	int (*provide)(void *at, size_t n);
	/* Notify the reader that a ring @is_filling up, or that a thread has
	 * ended, and left its ring. */
	void (*poke)(bool is_filling);
	/* Count a stray loss in memory that the reader of rings has, because no
	 * thread may be able to report the loss.  Returns false if there is no
	 * such memory. */
	bool (*count_stray)(uint8_t kind, uint32_t len, int64_t time);
	/* Do the due work, after a publishing emit has found syc_look_due set,
	 * and cleared it.  Returns false if another source had set the word. */
	bool (*look)(void);
	/* End the source's work, as the process exits.  Returns false if this
	 * source gave no rings. */
	bool (*end)(void);
};

/** Calls try the sources in this order. */
enum {
	SYC_SOURCE_OWN, /* the session's */
	SYC_SOURCE_RECORDER,
	SYC_N_SOURCES
};

/** The sources of this copy; NULL: this copy lacks the source.  setup.c sets
 * each pointer once, before there is a block. */
extern const struct syc_ring_source *syc_ring_sources[SYC_N_SOURCES];

/** The source that gave @ts its ring. */
static inline const struct syc_ring_source *
syc_ring_source_of(const struct syc_state *ts)
{
	return syc_ring_sources[ts->has_session_ring ? SYC_SOURCE_OWN
	                                             : SYC_SOURCE_RECORDER];
}

/** The source of the current destination. */
static inline const struct syc_ring_source *syc_ring_source_current(void)
{
	return syc_ring_sources[syc_destination_sink() == SYC_SINK_CONTROL
	                                ? SYC_SOURCE_RECORDER
	                                : SYC_SOURCE_OWN];
}

/* -------------------------------- recording by the process itself */

/*
 * A program that emits only to a recorder does not need this struct.  Only this
 * pointer leads to the code of sessions, so the linker can omit this code.
 * session/own_recording.c defines the pointer, unless the program defines the
 * pointer as NULL.
 */
struct syc_own_recording {
	/* syc_plan_from_environment(), and its result.  Context: setup */
	enum syc_sink (*take_environment)(bool has_recorder,
	                                  const char **ret_why);
	const struct syc_destination *(*environment)(void);
	/* Begin a session, after the environment has turned recording on.
	 * Context: setup */
	void (*begin)(void);
	/* Let recorders begin a recording later.  Context: setup */
	void (*allow_attach)(void);
	/* Renew the data in a child of fork().  Context: any-thread,
	 * signal-safe */
	void (*begin_child)(void);

	/* Context of the other members: any-thread, signal-safe. */

	/* Do what block->attach requests.  Signals are blocked. */
	void (*look_at_attach)(void);
	/* Slots of the session's arena, which the first claim makes */
	struct syc_ring_source source;
	/* syscap_drain() */
	int (*drain)(void);
	/* Returns the number of written bytes, and stores the output's path. */
	uint64_t (*written)(char *path, size_t size);
};

extern const struct syc_own_recording *const syc_own_recording;

struct syc_described;

/** Functions that write MAP frames (session/process_frames.h).  A transfer
 * finds this struct in the block: a copy that emits addresses has the struct,
 * and another copy may transfer the frames. */
struct syc_map_frames {
	bool (*are_due)(const struct syc_described *described, int64_t now,
	                bool may_lock);
	bool (*write)(struct syc_described *described, int32_t pid, int64_t now,
	              bool may_lock,
	              bool (*emit)(void *data, const void *frame, uint32_t len),
	              void *data);
};

extern const struct syc_map_frames syc_map_frames;

/** Link the code that writes MAP frames.  Each file that emits addresses has
 * this line once. */
#define SYC_EMITS_ADDRESSES                                       \
	static const struct syc_map_frames *const with_map_frames \
		__attribute__((used)) = &syc_map_frames

#endif
