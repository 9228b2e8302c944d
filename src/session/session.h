/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - one recording that the process makes by itself, from
 * SYSPROF_TRACE_FD, SYSCAP_OUTPUT or syscap_start() until its stop.
 *
 * A plan has the destination of a recording.  Plans are static, so a forked
 * child also has the plans.  A session is a plan in execution by one process:
 * an arena of rings and a sink.  Emitters write the rings into the sink
 * (spill.h).  The first event after syc_active has become the plan's epoch
 * makes the session, in memory that a child does not get.
 *
 * syc_active is 0 without a recording, else the epoch: a number that every
 * start and stop changes.  A thread whose state has another epoch leaves its
 * ring at its next event, and gets a ring of the present sink
 * (syc_thread_first).  So no thread has to take a ring away from another
 * thread.
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
#include "session/process_frames.h"
#include "session/sink.h"

struct syscap_options;

/**
 * Destination and options of a recording.  Two destinations have a plan: the
 * destination of the environment, and the destination of syscap_start().  Only
 * the holder of syc_process->life writes the plan of syscap_start(), while that
 * plan is not current.
 */
struct syc_plan {
	struct syc_destination to; /* first member, because the block points to
	                            * this member */
	bool no_thread;
	bool wants_thread;
	bool private_children; /* forked children have arenas of their own */
	bool is_flight;        /* rings keep the last events: flight.c */
	/* own_recording.c: pid of the recorder that began the recording, 0:
	 * none; the recorder's start, in ticks after boot; and the recorded
	 * process */
	int32_t recorder, recorded;
	uint64_t recorder_start;
	int32_t n_filters; /* number of seccomp filters at the time of the plan:
	                    * see spill.h */
	uint32_t ring_bytes;
	int64_t interval_ns;   /* longest time between writes */
	int64_t exit_flush_ns; /* longest wait of exit() for the sink */
	struct syc_trace_target trace;
	/* target of an output, mapped at its first use; NULL for another
	 * sink */
	struct syc_output_target *output;
};

/**
 * Read the environment's variables.  *@ret_why becomes the sentence for
 * syscap_get_stats() if a variable is set.  @has_recorder: a recorder exists,
 * and takes precedence.  Returns the sink.  Context: setup, once.
 */
enum syc_sink syc_plan_from_environment(bool has_recorder,
                                        const char **ret_why);

/** Read the options of syscap_start().  Returns NULL, or the reason why the
 * options are impossible. */
const char *syc_plan_from_options(const struct syscap_options *options);

/** Prepare the plan of recordings that a recorder begins.  Returns NULL, or the
 * reason why such recordings are impossible.  Context: setup. */
const char *syc_plan_for_attach(void);

/** Complete that plan by a request, whose path is absolute.  The caller holds
 * syc_process->life. */
const struct syc_plan *syc_plan_from_attach(const struct syc_attach *attach);

/** Function of syc_own_recording: own_recording.c. */
void syc_attach_allow(void);

/** Get this copy's plan of syscap_start()'s options, current or not; or the
 * destination of the environment's plan.  Context of these and the following
 * functions: any-thread, signal-safe. */
const struct syc_plan *syc_plan_of_options(void);
const struct syc_destination *syc_plan_of_environment(void);

/** Make @plan, or the environment's, current.  The caller holds syc_process->life. */
void syc_plan_use(const struct syc_plan *plan);
void syc_plan_use_environment(void);

static inline const struct syc_plan *syc_plan_current(void)
{
	return (const struct syc_plan *)syc_destination_current();
}

/** Size of the copy for a batch.  A longer batch would hold a lock longer. */
#define SYC_COPY_SIZE UINT64_C(262144)

/** Interval of checks for related processes that have ended. */
#define SYC_RELATIVES_LOOK_NS INT64_C(400000000)

struct syc_session {
	int32_t pid;
	int32_t epoch;
	int32_t parent;  /* process that forked this process, if both use the
	                  * arena; else 0 */
	bool is_started; /* session of syscap_start() */
	bool is_child;   /* forked: a missing thread may hold the dynamic
	                  * linker's lock */
	bool no_thread;  /* the program calls syscap_drain() */
	const struct syc_plan *plan;
	struct syc_arena arena;
	uint32_t is_crowded; /* a ring is a quarter full */
	uint32_t thread;     /* SYC_SPILLER_*; futex */
	uint32_t must_stop;  /* 1: the thread must end; 2: the thread must end
	                      * and finish the session */
	uint32_t has_ended;  /* a thread of the program has ended */
	/* ns: until then only half full rings cause a transfer */
	_Alignas(8) int64_t calm_until;
	int64_t not_before; /* ns: no event tries before, because the last
	                     * attempt failed */

	/* Only the holder of the lock in the arena's head uses these fields. */
	bool has_begun;     /* the capture has the notes about this session */
	uint32_t described; /* SYC_TOLD_*: frames that the capture has */
	bool is_full;       /* the size limit was reached */
	bool has_told_late; /* losses are reported: the session ends */
	bool is_exiting;    /* the process ends, too */
	bool is_finished;   /* no more frames are written */
	int finish_result;  /* after is_finished: 0 or -errno */
	uint32_t n_used;    /* greatest number of used slots so far */
	int dead;           /* errno: the sink will never work again */
	int64_t retry_at; /* ns: next attempt after a lack of space; 0: none */
	bool looks;       /* this transfer checks for ended processes */
	bool has_undescribed; /* a process has ended since the description */
	bool is_damaged;      /* a related process has overwritten a ring */
	bool has_told_damage;
	/* The last checked process, and the result */
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

	/* A trace uses only the arena's file.  The file is a memfd if the claim
	 * of a slot takes an fd; else there is no file */
	struct syc_output output;
	struct syc_trace trace;
	struct syc_ring_journal *journal;

	/* Large data that only the holder of the lock uses. */
	struct syc_ring_journal_part parts[SYC_RING_JOURNAL_PARTS];
	struct syc_described maps;
	struct syc_described maps_of_relative;
	unsigned char copy[SYC_COPY_SIZE]; /* copy of a batch */
};

/**
 * Get an fd of the arena's file for the caller, from any fd table that has the
 * file.  Returns -ENOTSUP if there is no file, or the file can't be opened
 * without /proc; or another -errno.
 *
 * Context: any-thread, signal-safe, inside syc_session_look().
 */
int syc_session_open_rings(const struct syc_session *session);

/**
 * The session of the present epoch, or NULL if no event has made the session
 * yet.  The caller must call syc_session_leave() after use, also after NULL.
 */
struct syc_session *syc_session_look(void);
void syc_session_leave(void);

/** Take syc_process->life, with a wait until @deadline (ns), or release it. */
bool syc_session_take_life(int64_t deadline);
void syc_session_give_life(void);

/**
 * syc_session_begin() begins a session without arena and sink, in memory that a
 * child does not get.  syc_session_make() makes a session with arena and sink.
 * syc_session_free() frees an unused session.  @is_whole: the session's rings
 * are empty.  The caller holds syc_process->life, and has blocked signals.
 */
struct syc_session *syc_session_begin(const struct syc_plan *plan, int epoch);
struct syc_session *syc_session_make(const struct syc_plan *plan, int epoch,
                                     const char **ret_why);
void syc_session_free(struct syc_session *session, bool is_whole);

/** Set session->journal, in the arena.  Context: any-thread, signal-safe. */
void syc_session_find_journal(struct syc_session *session);

/** Close the session's fds.  @is_whole: the rings are empty. */
void syc_session_close(struct syc_session *session, bool is_whole);

/** Number of used slots so far, counted from the first slot. */
uint32_t syc_session_slots(struct syc_session *session);

/** End the recording after a permanent failure of the session's sink. */
void syc_session_fail(struct syc_session *session, const char *why);

/**
 * The session of the present epoch.  The function makes a missing session; a
 * forked child may use its parent's arena.  Returns NULL if no session is
 * possible.  The caller must call syc_session_leave() after use, also after
 * NULL.
 *
 * Context: any-thread, signal-safe, signals blocked.
 */
struct syc_session *syc_session_enter(void);

/**
 * Make a session that replaces @closed, of the present @epoch, whose arena is
 * closed or has no slot.  Returns false if no session can be made.
 *
 * Context: any-thread, signal-safe, signals blocked, inside of
 * syc_session_enter().
 */
bool syc_session_replace(const struct syc_session *closed, int epoch);

/** Count a loss of a thread without a slot, in the arena's head, which
 * transfers and the recovery read.  Returns false if no session is open.
 * Context: any-thread, signal-safe. */
bool syc_session_count_stray(uint8_t kind, uint32_t len, int64_t time);

/** Get the number of written bytes, and the path, for syscap_get_stats(). */
uint64_t syc_session_written(char *path, size_t size);

/**
 * Write the rings into the sink, for @flush_ns at most, and free @session,
 * which is no longer syc_process->session.  If another thread may still use the
 * session, its memory is not freed.  Returns 0 or -errno.
 *
 * Context: any-thread; the caller holds syc_process->life, signals blocked.
 */
int syc_end_session(struct syc_session *session, int64_t flush_ns);

/** Write the rings into the sink as the process exits, for a short time.
 * Events of later destructors are not recorded.  Returns false if there is no
 * session.  Context: any-thread. */
bool syc_end_at_exit(void);

/**
 * Data of a recording that forked children inherit, in private memory of each
 * process.  syc_block points to this data.
 *
 * A forked child uses the arena, the capture and the ring file of its parent.
 * A child has the same rights as its parent: the child claims slots, and writes
 * its own frames into the sink (spill.h).  A child in another pid namespace, or
 * a private child, makes its own session.  A child whose parent's arena is
 * closed also makes its own session.
 */
struct syc_origin {
	int32_t epoch; /* epoch of the offer; 0: no offer */
	int32_t pid;
	uint64_t pid_ns;
	struct syc_arena arena;
	struct syc_output output;
	int trace_fd, trace_shared; /* fds of the parent's trace, or -1 */
};

/** Offer the arena to children that are forked from now on, or end the
 * offer. */
void syc_origin_offer(const struct syc_session *session);
void syc_origin_end(const struct syc_session *session);

/** Close the parent's fds of a trace, in a forked child. */
void syc_origin_close_inherited(void);

/** Begin a session of this process in its parent's arena.  Returns NULL if this
 * is impossible. */
struct syc_session *syc_origin_join(const struct syc_plan *plan, int epoch);

/** Return whether the last process has left the arena, so that no slot may be
 * used. */
static inline bool syc_session_is_closed(const struct syc_session *session)
{
	return syc_slot_state(
		       __atomic_load_n(&syc_arena_head(&session->arena)->reader,
	                               __ATOMIC_SEQ_CST)) == SYC_ARENA_CLOSED;
}

/**
 * Return whether only threads of this library are left.  The calling thread is
 * a library thread.  If /proc is missing, the function checks only the first
 * thread, and threads that have emitted.  *@ret_status becomes the first
 * thread's status, as wait() returns it; 0: unknown.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_last_thread_is_caller(int *ret_status);

/**
 * End the calling thread, the last thread of the process, with @status.  The
 * end of the last thread ends the process.  Since Linux 5.18 the status of the
 * last thread is the process' status.
 *
 * Context: a thread of this library.
 */
__attribute__((noreturn)) void syc_last_thread_end(int status);

#endif
