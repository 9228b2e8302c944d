/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spill_thread.h - the thread that transfers frames instead of the emitting
 * threads, on request, and its side job.
 *
 * No function of the library depends on this thread.  The thread checks the
 * rings 20 times a second, and once a second while no thread emits.  The thread
 * blocks all signals, and ends when no other thread of the process is left.
 */
#ifndef SYC_SESSION_SPILL_THREAD_H
#define SYC_SESSION_SPILL_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_session;

enum syc_spill_thread {
	SYC_SPILLER_NONE = 0,
	SYC_SPILLER_BEING_MADE,
	SYC_SPILLER_RUNS,
	SYC_SPILLER_OVER,
};

/** Make the thread.  Signal handlers must not call this function, because
 * pthread_create() allocates.  Returns 0 or -errno.  Context: setup. */
int syc_spill_thread_start(struct syc_session *session);

/** End the thread, with a wait until @deadline, and permit no new thread.
 * Returns false if the thread still uses the session. */
bool syc_spill_thread_stop(struct syc_session *session, int64_t deadline);

/** The state of the thread's side job, in a program that links such a job. */
struct syc_side {
	struct syc_session *session; /* the other fields are zero at first */
	void *state;
	int64_t due;     /* ns: time of the next call */
	uint32_t chosen; /* the job's settings */
	bool is_torn;    /* written data has a gap */
};

enum syc_side_when {
	SYC_SIDE_TURN,     /* call by the thread, without any lock */
	SYC_SIDE_END,      /* last call by the thread */
	SYC_SIDE_NO_THREAD /* call when no thread will ever exist; with the
	                    * lock */
};

/** The job, or NULL.  A file that the program refers to sets the job by a
 * release store.  The library itself never refers to such a file. */
extern void (*syc_side_job)(struct syc_side *side, enum syc_side_when when);

static inline void syc_side_job_do(struct syc_side *side,
                                   enum syc_side_when when)
{
	void (*const job)(struct syc_side *, enum syc_side_when) =
		__atomic_load_n(&syc_side_job, __ATOMIC_ACQUIRE);

	if (job != NULL)
		job(side, when);
}

#endif
