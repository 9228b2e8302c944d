/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - one recording that the process makes by itself: from
 * SYSPROF_TRACE_FD, SYSCAP_OUTPUT or syscap_start() until it stops.
 *
 * A plan has the destination of a recording; plans are static, so a forked
 * child has the plans, too.  A session is a plan in execution by one process:
 * an arena of rings, a sink, and a drainer between them.  The session is made
 * at the first event after syc_active has become the plan's epoch, in memory
 * that a child does not get.
 *
 * syc_active is 0 without a recording, else the epoch: a number that every
 * start and stop changes.  A thread whose state has another epoch leaves its
 * ring at its next event, and gets a ring of the present sink
 * (syc_thread_first).  So no thread has to take a ring away from another.
 *
 *	syc_process->session  the present session, or NULL
 *	syc_process->users    number of threads that may use the session: stored
 *	                      first, loaded last (both sequentially consistent),
 *	                      so that the thread that removes the session can
 *	                      wait for its users
 *	syc_process->life     tid of the thread that makes or ends a session,
 *	                      or 0
 */
#ifndef SYC_SESSION_SESSION_H
#define SYC_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/process.h"
#include "ring/arena.h"
#include "session/map_frames.h"
#include "session/output.h"
#include "session/plan.h"
#include "session/relative.h"
#include "session/trace_fd.h"

/** Extra time, after its flush, that a thread waits for the drain thread. */
#define SYC_DRAIN_GRACE_NS INT64_C(100000000)

/** Size of the copy for a batch; a longer batch would hold a lock longer. */
#define SYC_COPY_SIZE UINT64_C(262144)

/** Requests to the drain thread, as bits. */
enum {
	SYC_ASK_ROOM = 1,  /* a ring fills up */
	SYC_ASK_FLUSH = 2, /* syscap_drain() waits */
	SYC_ASK_STOP = 4,
	SYC_ASK_ENDED = 8, /* a thread is gone */
};

struct syc_session {
	int32_t pid;
	int32_t epoch;
	bool is_started; /* session of syscap_start() */
	bool is_guest;   /* guest.h; cleared by a release store */
	bool is_child;   /* child of fork(): no thread yet */
	bool is_orphan;  /* child of _Fork() or clone(): no thread ever */
	bool no_thread;
	bool owns_table; /* the drain thread has its own fd table */
	bool has_copies;
	bool is_crowded; /* a ring fills up, and there is no drain thread */
	const struct syc_plan *plan;
	struct syc_arena arena;
	uint32_t thread; /* 0 none, 1 being made, 2 runs, 3 has ended */
	uint32_t asked;  /* SYC_ASK_* */
	/* Futex, in the arena's head: counts reasons to wake the drain
	 * thread */
	uint32_t *wakes;

	/* Only the holder of `draining` (tid; 0: none) uses these fields. */
	uint32_t draining;
	bool must_not_lock; /* the drainer is a signal handler */
	bool is_announced;
	bool is_full;       /* the size limit was reached */
	bool is_introduced; /* the capture has our PROCESS frame */
	bool has_told_late; /* losses are reported: the session ends */
	bool is_exiting;    /* the process ends, too */
	bool has_told_exit;
	bool has_told_damage;
	bool must_look; /* check at once for ended relatives */
	bool is_needed; /* at the end: living relatives need the arena */
	uint32_t own_tail;
	uint32_t n_used;  /* greatest number of slots that was seen */
	int dead;         /* errno: the sink will never work again */
	int64_t retry_at; /* ns: next attempt after a lack of space; 0: none */

	int64_t began; /* ns */
	int64_t interval_ns;
	int64_t exit_flush_ns;
	uint64_t written;     /* number of bytes; read by any thread */
	uint32_t flushed;     /* futex: counts flushes that are done */
	int32_t flush_result; /* result of the last flush */
	int32_t result;       /* result of the stop */
	int64_t deadline;     /* ns: deadline of the requested stop */

	/* The drain thread. */
	int32_t thread_tid; /* tid of the drain thread, set before owns_table */
	/* The process' copies of the thread's fds, until closed; or -1 */
	int copies[3];
	uint32_t is_ready;  /* the thread has its fds; futex */
	int64_t tried_at;   /* ns: last attempt to make a thread */
	uint32_t *main_end; /* see syc_alone_main_word(); NULL: unknown */

	/* The drainer of a guest; only the holder of `checking` (tid; 0: none)
	 * uses this field */
	struct syc_fork_identity drainer;
	uint32_t checking;
	int64_t checked_at; /* ns */

	/* For a trace, only the arena's file: a memfd if the claim of a slot
	 * takes an fd, or no file */
	struct syc_output output;
	struct syc_trace trace;

	/* Large data; only the holder of `draining` uses it. */
	struct syc_ring_losses told; /* reported losses of the arena's head */
	struct syc_ring_journal_part parts[SYC_RING_JOURNAL_PARTS];
	/* Copies of values in the rings' headers, which relatives may
	 * overwrite */
	uint32_t heads[SYC_RING_FILE_SLOTS];
	uint32_t ends[SYC_RING_FILE_SLOTS]; /* tails at the last gathering */
	uint32_t n_ends;
	uint32_t words[SYC_RING_FILE_SLOTS]; /* slots' words at the last look */
	struct syc_relatives relatives;
	struct syc_described described;
	struct syc_described described_relative;
	unsigned char copy[SYC_COPY_SIZE]; /* copy of a batch */
};

/**
 * An fd of the arena's file for the caller, from any fd table that has the
 * file. -ENOTSUP: there is no file, or the file can't be opened without /proc;
 * or -errno.
 *
 * Context: any-thread, signal-safe, inside syc_session_look().
 */
int syc_session_open_rings(const struct syc_session *session);

/**
 * The session of the present epoch, or NULL if enter.h has not made the session
 * yet.  The caller always calls syc_session_leave() after use.
 */
struct syc_session *syc_session_look(void);
void syc_session_leave(void);

/** Take syc_process->life, waiting until @deadline (ns), and release it. */
bool syc_session_take_life(int64_t deadline);
void syc_session_give_life(void);

/**
 * syc_session_begin() begins a session without arena and sink, in memory that a
 * child does not get. syc_session_make() makes a session with arena and sink.
 * syc_session_free() frees an unused session; @is_whole: its rings are empty.
 * The caller holds syc_process->life, and has blocked signals.
 */
struct syc_session *syc_session_begin(const struct syc_plan *plan, int epoch);
struct syc_session *syc_session_make(const struct syc_plan *plan, int epoch,
                                     const char **ret_why);
void syc_session_free(struct syc_session *session, bool is_whole);

/** Close the session's fds.  @is_whole: the rings are empty.  The caller uses
 * the fd table that has these fds. */
void syc_session_close(struct syc_session *session, bool is_whole);

/** Number of slots that were ever seen in use, counted from the first slot. */
uint32_t syc_session_slots(struct syc_session *session);

/** The sink of @session is gone for good. */
void syc_session_fail(struct syc_session *session, const char *why);

#endif
