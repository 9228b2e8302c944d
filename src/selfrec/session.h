/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - one recording that the process does by itself: from
 * SYSPROF_TRACE_FD, SYSCAP_OUTPUT or syscap_start() until it stops.
 *
 * A plan says what is to be recorded into; it is static, and a forked child
 * has it too.  A session is a plan carried out by one process: an arena of
 * rings, a sink, and who drains the one into the other.  It is made at the
 * first event after syc_active has become the plan's epoch, and lives in
 * memory that a child does not get.
 *
 * syc_active is 0 while nothing is recorded, else the epoch: a number that
 * every start and stop makes anew.  A thread whose state is of another epoch
 * leaves its ring at its next event and gets one of the present sink
 * (syc_thread_first).  So nobody has to take a ring away from a thread.
 *
 *	syc_process->session   the present one, or NULL
 *	syc_process->users     who may be looking into it: stored first, loaded
 *	                      last (both sequentially consistent), so that who
 *	                      takes the session away can wait for them
 *	syc_process->life      tid of the thread that makes or ends a session, or 0
 */
#ifndef SYC_SELFREC_SESSION_H
#define SYC_SELFREC_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/process.h"
#include "ring/arena.h"
#include "selfrec/map_frames.h"
#include "selfrec/output.h"
#include "selfrec/plan.h"
#include "selfrec/relative.h"
#include "selfrec/trace_fd.h"

/** How much longer than its flush anybody waits for the drain thread. */
#define SYC_DRAIN_GRACE_NS INT64_C(100000000)

/** Of the copy that a batch is: longer ones hold a lock longer. */
#define SYC_COPY_SIZE UINT64_C(262144)

/** What the drain thread is asked for, bits. */
enum {
	SYC_ASK_ROOM = 1,  /* a ring fills up */
	SYC_ASK_FLUSH = 2, /* syscap_drain() waits */
	SYC_ASK_STOP = 4,
	SYC_ASK_ENDED = 8, /* a thread is gone */
};

struct syc_session {
	int32_t pid;
	int32_t epoch;
	bool is_started; /* by syscap_start() */
	bool is_guest;   /* in the arena of the process that forked this one,
	                  * which drains it: guest.h.  Release, when it ends */
	bool is_child;   /* of fork(): no thread yet */
	bool is_orphan;  /* of _Fork() or clone(): no thread ever */
	bool no_thread;
	bool owns_table; /* the descriptors are the drain thread's own */
	bool has_copies;
	bool is_crowded; /* a ring fills up and there is no thread */
	const struct syc_plan *plan;
	struct syc_arena arena;
	uint32_t thread; /* 0 none, 1 being made, 2 runs, 3 has ended */
	uint32_t asked;  /* SYC_ASK_* */
	/* Futex, in the arena's head: counts what it should wake up for */
	uint32_t *wakes;

	/* The holder of `draining` (tid; 0: nobody) alone uses these. */
	uint32_t draining;
	bool must_not_lock; /* the drainer is a signal handler */
	bool is_announced;
	bool is_full;       /* the size limit was reached */
	bool is_introduced; /* the capture has our PROCESS frame */
	bool has_told_late; /* what was lost: this is the end */
	bool is_exiting;    /* the end of the process, too */
	bool has_told_exit;
	bool has_told_damage;
	bool must_look; /* at once whether relatives are gone */
	bool is_needed; /* the arena, by relatives that live: this is the end */
	uint32_t own_tail;
	uint32_t n_used;  /* slots that were ever seen to be */
	int dead;         /* errno: the sink will never work again */
	int64_t retry_at; /* ns: the sink had no room; 0: it has */

	int64_t began; /* ns */
	int64_t interval_ns;
	int64_t exit_flush_ns;
	uint64_t written;     /* bytes; read by anybody */
	uint32_t flushed;     /* futex: counts flushes that are done */
	int32_t flush_result; /* of the last of them */
	int32_t result;       /* of the stop */
	int64_t deadline;     /* ns: of the stop that is asked for */

	/* The drain thread. */
	int32_t thread_tid; /* set before owns_table */
	/* The process' copies of its descriptors, until somebody closes them;
	 * -1 */
	int copies[3];
	uint32_t is_ready;  /* it has its descriptors; futex */
	int64_t tried_at;   /* ns: when a thread was last tried to be made */
	uint32_t *main_end; /* see syc_alone_main_word(); NULL: not known */

	/* A guest's: who drains; its holder of `checking` (tid; 0: nobody) uses it */
	struct syc_fork_identity drainer;
	uint32_t checking;
	int64_t checked_at; /* ns */

	/* Of a trace only the arena's file: a memfd where claiming a slot takes
	 * a descriptor; else there is none */
	struct syc_output output;
	struct syc_trace trace;

	/* What is large; the holder of `draining` uses it. */
	struct syc_ring_losses told; /* of those in the arena's head */
	struct syc_ring_journal_part parts[SYC_RING_JOURNAL_PARTS];
	/* What the rings' headers say too, for relatives to overwrite */
	uint32_t heads[SYC_RING_FILE_SLOTS];
	uint32_t ends[SYC_RING_FILE_SLOTS]; /* of the last gathering */
	uint32_t n_ends;
	uint32_t words[SYC_RING_FILE_SLOTS]; /* as they were found */
	struct syc_relatives relatives;
	struct syc_described described;
	struct syc_described described_relative;
	unsigned char copy[SYC_COPY_SIZE]; /* of a batch */
};

/**
 * A descriptor of the arena's file for the caller, wherever the session has
 * its own.  -ENOTSUP: there is no file, or it can't be reached without /proc;
 * or -errno.
 *
 * Context: any-thread, signal-safe, inside syc_session_look().
 */
int syc_session_open_rings(const struct syc_session *session);

/**
 * The session of the present epoch, if it has been made, else NULL; enter.h makes
 * it.  syc_session_leave() after use, in any case.
 */
struct syc_session *syc_session_look(void);
void syc_session_leave(void);

/** Take syc_process->life, waiting until @deadline (ns), and give it back. */
bool syc_session_take_life(int64_t deadline);
void syc_session_give_life(void);

/**
 * Begin a session, which has neither arena nor sink yet, in memory that a child
 * does not get; make one that has both; and free one that nobody uses any more;
 * @is_whole: its rings are empty.  The caller has syc_process->life, signals are blocked.
 */
struct syc_session *syc_session_begin(const struct syc_plan *plan, int epoch);
struct syc_session *syc_session_make(const struct syc_plan *plan, int epoch,
                                     const char **ret_why);
void syc_session_free(struct syc_session *session, bool is_whole);

/** Close its descriptors.  @is_whole: the rings are empty.  The caller
 * has the table that they are in. */
void syc_session_close(struct syc_session *session, bool is_whole);

/** How many slots, from the first, there are to be looked at: those that were
 * ever seen to be in use. */
uint32_t syc_session_slots(struct syc_session *session);

/** The sink of @session is gone for good. */
void syc_session_fail(struct syc_session *session, const char *why);

#endif
