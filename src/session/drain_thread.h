/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain_thread.h - the thread that drains a session's rings, its side job, and
 * its substitutes: a signal handler, or no other thread in the process.
 *
 * While asleep the thread checks once or twice a second whether it is the last
 * thread, and uses no other processor time.  The sleeper and an emitter each
 * store, then load (Dekker's pattern):
 *
 *	emitter                             drain thread
 *	STORE tail                          STORE syc_drain_sleeping = 1
 *	compiler barrier                    membarrier(PRIVATE_EXPEDITED)
 *	LOAD  syc_drain_sleeping             LOAD  every tail
 *	if set: wake                        if none has moved: FUTEX_WAIT
 *
 * The drain thread imposes the barrier that the emitter needs between its store
 * and its load.  After membarrier() every emitter has either stored its tail
 * visibly, or will see that the thread sleeps.  If the kernel has no
 * membarrier() the wait ends after 100 ms.
 */
#ifndef SYC_SESSION_DRAIN_THREAD_H
#define SYC_SESSION_DRAIN_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_session;

/**
 * Make the thread.  Calls pthread_create(), which allocates, so do not call
 * this function in a signal handler.  The function waits until the thread has
 * its own fds, and then closes the process' copies.  Returns 0 or -errno.
 *
 * Context: setup.
 */
int syc_drain_thread_start(struct syc_session *session);

/** Let the thread finish until @deadline.  Without a thread the caller
 * finishes, and no thread is made any more.  Returns 0, the sink's error, or
 * -ETIMEDOUT: the thread still uses the session. */
int syc_drain_thread_stop(struct syc_session *session, int64_t deadline);

/** Let the thread move the present frames.  Returns 0, or -EAGAIN: not done by
 * @deadline. */
int syc_drain_thread_flush(struct syc_session *session, int64_t deadline);

/**
 * Report to the drain thread that a ring fills up (SYC_ASK_ROOM), or that a
 * thread is gone (SYC_ASK_ENDED).  For SYC_ASK_ROOM a young child, which has no
 * drain thread yet, gets one.
 *
 * Context: any-thread, signal-safe, signals blocked or not.
 */
void syc_drain_thread_poke(bool is_filling);

/**
 * A thread emitted while the drain thread slept, or did not exist: wake the
 * drain thread, or make it if permitted.  False: there is no session.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_drain_thread_wake(void);

/**
 * State of the drain thread's side job, in a program that links such a job.
 *
 * There is at most one job: a program with a job refers to a file that sets the
 * pointer.  The library itself never refers to such a file.
 */
struct syc_side {
	struct syc_session *session; /* the other fields are zero at first */
	void *state;
	int64_t due;     /* ns: time of the next call */
	uint32_t chosen; /* the job's settings */
	bool is_torn;    /* written data has a gap */
};

enum syc_side_when {
	SYC_SIDE_TURN,     /* call by the drain thread, without any lock */
	SYC_SIDE_END,      /* last call by the drain thread */
	SYC_SIDE_NO_THREAD /* call by the drainer: no thread will ever exist */
};

/** The job, set by a release store; NULL: no job. */
extern void (*syc_side_job)(struct syc_side *side, enum syc_side_when when);

static inline void syc_side_job_do(struct syc_side *side,
                                   enum syc_side_when when)
{
	void (*const job)(struct syc_side *, enum syc_side_when) =
		__atomic_load_n(&syc_side_job, __ATOMIC_ACQUIRE);

	if (job != NULL)
		job(side, when);
}

/**
 * The word that the kernel clears, and wakes, when the process' first thread
 * ends in any way; pthread_join() of this thread waits for the word.  Until
 * this end the word is the pid.  The word stays readable.  NULL: the word is
 * unknown, or the caller is not the first thread.
 *
 * Context: any-thread, signal-safe.
 */
uint32_t *syc_last_thread_first_word(void);

/**
 * Whether only threads of this library are left; the calling thread is such a
 * thread.  Without /proc only the first thread, and threads that have emitted,
 * count.  *@ret_status becomes the first thread's status, as wait() returns it;
 * 0: unknown.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_last_thread_is_caller(int *ret_status);

/**
 * End the calling thread, the process' last, and so the process, with @status.
 * Since Linux 5.18 the status of the last thread is the process' status.
 *
 * Context: a thread of this library.
 */
__attribute__((noreturn)) void syc_last_thread_end(int status);

/** Interval of the first check after a thread's end; later intervals grow. */
#define SYC_LAST_THREAD_SOON_NS INT64_C(10000000)

/**
 * Schedule of the drain thread's checks whether it is the last thread.
 *
 * A process can't be without other threads before its first thread has ended.
 * The kernel wakes the drain thread at this end if the first thread made the
 * drain thread.  This needs Linux 5.16, and no seccomp filter.  A check every
 * few seconds covers the case that the kernel woke a thread in pthread_join()
 * instead.  Without such a wake-up, the drain thread checks once or twice a
 * second, when the processor is awake for other work.
 *
 * Context of these functions: the drain thread.
 */
struct syc_last_thread {
	int64_t at, again_ns; /* next check, and interval after it; ns */
	/* syc_last_thread_first_word(), while the first thread lives */
	uint32_t *main_end;
	bool is_main_ending; /* known by main_end, before /proc shows it */
	bool is_alone;
	int status; /* status of the first thread: syc_last_thread_is_caller() */
};

/** @main_end: syc_last_thread_first_word(), or NULL. */
void syc_last_thread_begin(struct syc_last_thread *check, uint32_t *main_end);

/** A thread of the program has ended: check soon, because more may end. */
static inline void syc_last_thread_hurry(struct syc_last_thread *check)
{
	check->at = 0;
	check->again_ns = SYC_LAST_THREAD_SOON_NS;
}

/** Longest sleep if no other work is expected. */
int64_t syc_last_thread_longest_sleep(const struct syc_last_thread *check);

/** Sleep while *@word is @value, @ns at most, or until the next check. */
void syc_last_thread_sleep(struct syc_last_thread *check, uint32_t *word,
                           uint32_t value, int64_t ns);

/** Whether no thread will emit any more, checked just after the rings were
 * drained. */
bool syc_last_thread_check(struct syc_last_thread *check);

/**
 * Drain from a signal handler, if no thread drains.
 *
 * A drain thread is made only outside of handlers.  So a forked child whose
 * only events come from handlers never gets a drain thread, and its ring would
 * fill up.  A handler can do a whole pass.  A pass needs this much stack, which
 * may be more than an alternate stack has.
 */
#define SYC_DRAIN_HANDLER_STACK (128u * 1024)

/**
 * Whether syc_drain_handler_run() has work: the process records itself and has
 * no session yet; or no thread drains, and this thread's ring is a quarter
 * full.
 *
 * Context: owner, signal-safe.
 */
bool syc_drain_handler_is_needed(void);

/**
 * Make the session if there is none; move frames from the rings if no thread
 * moves frames.  Never waits: frames that can't be moved now are moved later.
 *
 * Context: owner, signal-safe, all signals blocked, SYC_DRAIN_HANDLER_STACK of
 * stack.
 */
void syc_drain_handler_run(void);

/** Note that this thread is in a signal handler, or has left it, so that no
 * code has to test this.  Context: owner, all signals blocked. */
void syc_drain_handler_note(bool is_one);

#endif
