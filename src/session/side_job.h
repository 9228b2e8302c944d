/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * side_job.h - side job of the drain thread, in a program that links such a
 * job.
 *
 * There is at most one job: a program that wants the job refers to a file that
 * sets the pointer.  The library itself never refers to such a file.
 */
#ifndef SYC_SESSION_SIDE_JOB_H
#define SYC_SESSION_SIDE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_session;

/** State of the job, kept by the drain thread of a session. */
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

#endif
