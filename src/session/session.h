/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - one recording that the process makes by itself: from
 * SYSPROF_TRACE_FD, SYSCAP_OUTPUT or syscap_start() until it stops.
 *
 * A plan has the destination of a recording; plans are static, so a forked
 * child has the plans, too.  A session is a plan in execution by one process:
 * an arena of rings and a sink; emitters write the rings out (spill.h).  The
 * session is made at the first event after syc_active has become the plan's
 * epoch, in memory that a child does not get.
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
	bool wants_thread;
	bool private_children; /* forked children have arenas of their own */
	int32_t n_filters; /* of seccomp, when the plan was made: see spill.h */
	uint32_t ring_bytes;
	int64_t interval_ns;   /* longest time between writes */
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

/** Size of the copy for a batch; a longer batch would hold a lock longer. */
#define SYC_COPY_SIZE UINT64_C(262144)

/** Interval of checks for ended relatives. */
#define SYC_RELATIVES_LOOK_NS INT64_C(400000000)

struct syc_session {
	int32_t pid;
	int32_t epoch;
	int32_t parent;  /* process that forked this one, if both use the arena;
	                  * else 0 */
	bool is_started; /* session of syscap_start() */
	bool is_child;   /* forked: the dynamic linker's lock may be held by a
	                  * thread that is missing */
	bool no_thread;  /* the program calls syscap_drain() */
	const struct syc_plan *plan;
	struct syc_arena arena;
	uint32_t is_crowded; /* a ring is a quarter full */
	uint32_t thread;     /* SYC_SPILLER_*; futex */
	uint32_t must_stop;  /* 1: the thread is to end; 2: and to finish */
	uint32_t has_ended;  /* a thread of the program has ended */
	/* ns: only half full rings are written out */
	_Alignas(8) int64_t calm_until;
	int64_t not_before; /* ns: no event tries before, as the last failed */

	/* Only the holder of the lock in the arena's head uses these fields. */
	bool has_begun;     /* the capture has the notes about this session */
	uint32_t described; /* SYC_TOLD_*: frames that the capture has */
	bool is_full;       /* the size limit was reached */
	bool has_told_late; /* losses are reported: the session ends */
	bool is_exiting;    /* the process ends, too */
	bool is_finished;   /* nothing more is written */
	int finish_result;  /* then: 0 or -errno */
	uint32_t n_used;    /* greatest number of slots that was seen */
	int dead;           /* errno: the sink will never work again */
	int64_t retry_at; /* ns: next attempt after a lack of space; 0: none */
	bool looks;       /* this pass checks for ended relatives */
	bool is_damaged;  /* a relative has overwritten a ring */
	bool has_told_damage;
	int64_t looked_at; /* ns: last check for ended relatives */
	/* The last relative that was checked, and the answer */
	int32_t checked_pid;
	bool checked_is_running;
	uint64_t checked_start; /* ticks after boot; 0: unknown */

	int64_t began; /* ns */
	int64_t interval_ns;
	int64_t exit_flush_ns;
	_Alignas(8) uint64_t written; /* number of bytes; read by any thread */
	/* Writes of this process, for METADATA "syscap.spill" */
	uint64_t n_spills;
	int64_t spill_ns, worst_ns;
	int32_t worst_tid;

	/* For a trace, only the arena's file: a memfd if the claim of a slot
	 * takes an fd, or no file */
	struct syc_output output;
	struct syc_trace trace;
	struct syc_ring_journal *journal;

	/* Large data; only the holder of the lock uses it. */
	struct syc_ring_journal_part parts[SYC_RING_JOURNAL_PARTS];
	struct syc_described maps;
	struct syc_described maps_of_relative;
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

/** Set session->journal, in the arena.  Context: any-thread, signal-safe. */
void syc_session_find_journal(struct syc_session *session);

/** Close the session's fds.  @is_whole: the rings are empty. */
void syc_session_close(struct syc_session *session, bool is_whole);

/** Number of slots that were ever seen in use, counted from the first slot. */
uint32_t syc_session_slots(struct syc_session *session);

/** The sink of @session is gone for good. */
void syc_session_fail(struct syc_session *session, const char *why);

/**
 * The session of the present epoch, made if missing; a forked child may use its
 * parent's arena.  NULL: no session is possible.  The caller always calls
 * syc_session_leave() after use.
 *
 * Context: any-thread, signal-safe, signals blocked.
 */
struct syc_session *syc_session_enter(void);

/**
 * Make a session that replaces @closed, of the present @epoch, whose arena is
 * closed or has no slot.  False: no session can be made.
 *
 * Context: any-thread, signal-safe, signals blocked, inside of
 * syc_session_enter().
 */
bool syc_session_replace(const struct syc_session *closed, int epoch);

/** Count a loss without a slot in a place that a transfer, or the recovery,
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
 * destructors are not recorded.  False: there is no session.  Context:
 * any-thread. */
bool syc_end_at_exit(void);

/**
 * Data of a recording that forked children inherit, in private memory of each
 * process; syc_block points to it.
 *
 * A forked child uses the arena, the capture and the ring file of its parent.
 * It has the same rights: it claims slots, and writes out its own frames
 * (spill.h).  A child in another pid namespace, and a private child, makes a
 * session of its own.  So does a child whose parent's arena is closed.
 */
struct syc_origin {
	int32_t epoch; /* epoch of the offer; 0: no offer */
	int32_t pid;
	uint64_t pid_ns;
	struct syc_arena arena;
	struct syc_output output;
	int trace_fd, trace_shared; /* fds of the parent's trace, or -1 */
};

/** Offer the arena to children that are forked from now on; end the offer. */
void syc_origin_offer(const struct syc_session *session);
void syc_origin_end(const struct syc_session *session);

/** In a forked child: close the parent's fds of a trace. */
void syc_origin_close_inherited(void);

/** A session of this process in its parent's arena; NULL: impossible. */
struct syc_session *syc_origin_join(const struct syc_plan *plan, int epoch);

/** The last process has left the arena: no slot may be used. */
static inline bool syc_session_is_closed(const struct syc_session *session)
{
	return syc_slot_state(
		       __atomic_load_n(&syc_arena_head(&session->arena)->reader,
	                               __ATOMIC_SEQ_CST)) == SYC_ARENA_CLOSED;
}

#endif
