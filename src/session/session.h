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
#include <stddef.h>
#include <stdint.h>

#include "emit/process.h"
#include "emit/ring_source.h"
#include "os/process.h"
#include "ring/arena.h"
#include "ring/ring_file.h"
#include "session/output.h"
#include "session/process_frames.h"
#include "session/trace.h"

struct syscap_options;

/**
 * Destination and options of a recording.  Two destinations have a plan: the
 * destination of the environment, and the destination of syscap_start().  Only
 * the holder of syc_process->life writes the second plan, while this plan is
 * not current.
 */
struct syc_plan {
	struct syc_destination to; /* first member: the block points to this
	                            * member */
	bool no_thread;
	bool private_children; /* forked children have arenas of their own */
	uint32_t ring_bytes;
	int64_t interval_ns;   /* longest wait of an event for the drainer */
	int64_t exit_flush_ns; /* longest wait of exit() for the sink */
	struct syc_trace_target trace;
	/* target of an output, mapped at its first use; NULL for another
	 * sink */
	struct syc_output_target *output;
};

/**
 * Read the environment's variables. *@ret_why becomes the sentence for
 * syscap_get_stats() if a variable is set.  @has_recorder: a recorder exists,
 * and takes precedence.  Returns the sink.  Context: setup, once.
 */
enum syc_sink syc_plan_from_environment(bool has_recorder,
                                        const char **ret_why);

/** Read the options of syscap_start().  Returns NULL, or the reason why the
 * options are impossible. */
const char *syc_plan_from_options(const struct syscap_options *options);

/** This copy's plan of syscap_start()'s options, current or not; and the
 * destination of the environment's plan.  Context of these functions, and the
 * next ones: any-thread, signal-safe. */
const struct syc_plan *syc_plan_of_options(void);
const struct syc_destination *syc_plan_of_environment(void);

/** Make one of the two plans current.  The caller holds syc_process->life. */
void syc_plan_use_options(void);
void syc_plan_use_environment(void);

static inline const struct syc_plan *syc_plan_current(void)
{
	return (const struct syc_plan *)syc_destination_current();
}

/** Frames about a relative that the capture has. */
enum syc_relative_stage {
	SYC_RELATIVE_MET,
	SYC_RELATIVE_NAMED,  /* PROCESS */
	SYC_RELATIVE_FORKED, /* FORK */
	SYC_RELATIVE_KNOWN,  /* MAP frames */
};

struct syc_relative {
	struct syc_fork_identity kin;
	enum syc_relative_stage stage;
	bool is_gone;
	bool is_in; /* has slots */
};

/** A drainer's data about processes that have slots in its arena; only
 * relatives.c changes it. */
struct syc_relatives {
	uint32_t n;
	int64_t looked_at; /* ns */
	int32_t described; /* pid whose maps are being written; 0: none */
	struct syc_relative all[SYC_RING_FILE_SLOTS];
};

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
	bool is_guest;   /* a guest; cleared by a release store */
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
	uint32_t is_ready; /* the thread has its fds; futex */
	int64_t tried_at;  /* ns: last attempt to make a thread */
	uint32_t
		*main_end; /* see syc_last_thread_first_word(); NULL: unknown */

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
 * The session of the present epoch, or NULL if no event has made the session
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

/**
 * The session of the present epoch, made if missing; a forked child may be a
 * guest.  NULL: no session is possible.  The caller always calls
 * syc_session_leave() after use.
 *
 * Context: any-thread, signal-safe, signals blocked.
 */
struct syc_session *syc_session_enter(void);

/**
 * Make a session that replaces @guest, of the present @epoch, which finds no
 * slot.  False: no session can be made, and the process stays a guest.
 *
 * Context: any-thread, signal-safe, signals blocked, inside of
 * syc_session_enter().
 */
bool syc_session_replace(const struct syc_session *guest, int epoch);

/** Count a loss without a slot in a place that the drainer, or the recovery,
 * reads.  False: there is no such place.  Context: any-thread, signal-safe. */
bool syc_session_count_stray(uint8_t kind, uint32_t len, int64_t time);

/** Number of bytes written so far, and the path, for syscap_get_stats(). */
uint64_t syc_session_written(char *path, size_t size);

/**
 * Write out the rings, for @flush_ns at most, and free @session, which is no
 * longer syc_process->session.  Memory that another thread may still use is not
 * freed.  Returns 0 or -errno.
 *
 * Context: any-thread; the caller holds syc_process->life, signals blocked.
 */
int syc_end_session(struct syc_session *session, int64_t flush_ns);

/** The process exits: write out the rings, for a short time.  Events of later
 * destructors are not recorded.  Context: any-thread. */
void syc_end_at_exit(void);

/** Data of a recording that forked children inherit, in private memory of each
 * process; syc_block points to it. */
struct syc_origin {
	int32_t epoch; /* epoch of the offer; 0: no offer */
	int32_t pid;
	uint64_t pid_ns;
	struct syc_arena arena;
	/* The output's fds are in the parent's fd table, and for a moment in a
	 * child's fd table */
	struct syc_output output;
};

/**
 * A guest (child_session.c) is a forked child in the arena of the process that
 * forked it.
 *
 * A guest claims slots in the inherited mapping, and its frames go into the
 * capture of the arena's drainer.  A guest has no sink, no drain thread and no
 * ring file.  If a guest is impossible, or the child is to be private, the
 * child makes a session of its own.
 *
 * When the drainer has ended, or was killed, the first guest that notices takes
 * its place.  The rest of the frames, and later frames of all guests, go into
 * the new drainer's own capture.  A guest checks the drainer when one of its
 * rings fills up, when a thread requests a ring, and at its end.
 *
 * Context of these functions: any-thread, signal-safe.
 */

/** syc_guest_invite() permits children to become guests, because the drain
 * thread runs. syc_guest_refuse() permits no more guests; SYC_ARENA_CLOSING
 * means that the drainer is about to end, and SYC_ARENA_CLOSED that there is no
 * drainer. */
void syc_guest_invite(struct syc_session *session);
void syc_guest_refuse(struct syc_session *session, uint32_t state);

/** A session for this process as a guest; NULL: the process has to make its
 * own. */
struct syc_session *syc_guest_make(const struct syc_plan *plan, int epoch);

/** Whether frames may go into a slot that was just claimed.  If false, the
 * caller returns the slot; @session may be no guest any more. */
bool syc_guest_may_use_slot(const struct syc_session *session);

/** The word of the drainer (ring_file.h), to be read after a claim of a slot,
 * or before the slots' words. */
static inline uint32_t syc_guest_drainer(const struct syc_session *session)
{
	return __atomic_load_n(&syc_arena_head(&session->arena)->drainer,
	                       __ATOMIC_SEQ_CST);
}

static inline bool syc_guest_is_drained(const struct syc_session *session)
{
	return syc_slot_state(syc_guest_drainer(session)) == SYC_ARENA_DRAINED;
}

/** Whether this process has any slot. */
bool syc_guest_has_slots(struct syc_session *guest);

/** Wait a little for processes that are counting strays; the drainer is
 * CLOSING. */
void syc_guest_settle_strays(struct syc_session *session);

/** Wake the drainer. */
void syc_guest_wake_drainer(struct syc_session *guest);

/**
 * Check from time to time whether a drainer exists.  If none exists, become the
 * drainer: @guest is no guest any more.  False: the takeover failed, and events
 * of this process need a session of its own.
 */
bool syc_guest_check(struct syc_session *guest, bool at_once);

/** Leave the session: events of this process go into another session from now
 * on. */
void syc_guest_leave(struct syc_session *guest);

/** The process exits: do syc_guest_check(), and if the drainer is about to end,
 * wait for its end, until @deadline at most. */
void syc_guest_end(struct syc_session *guest, int64_t deadline);

/** Wait until all frames of this process are drained.  Returns 0 or -EAGAIN. */
int syc_guest_flush(struct syc_session *guest, int64_t deadline);

#endif
