/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain.h - transfer of frames from the rings of a session into its sink.
 *
 * The drainer is the thread that holds session->draining: the drain thread, or
 * a thread that calls syscap_drain(), syscap_stop() or exit().  The drainer is
 * the reader of R1 and R2 in <syscap/emit.h>, and the writer of slot 0's ring.
 *
 * The drainer blocks signals, so no handler interrupts it.
 */
#ifndef SYC_SESSION_DRAIN_H
#define SYC_SESSION_DRAIN_H

#include "os/threads.h"
#include "session/session.h"

/** Kind of the drainer. */
enum syc_drain_who {
	SYC_DRAIN_THREAD,
	SYC_DRAIN_ALONE,   /* a thread of a process without a drain thread */
	SYC_DRAIN_HANDLER, /* a signal handler of such a process, which takes no
	                    * lock of the C library */
};

/**
 * Move the present frames.  *@ret_moved becomes the number of moved bytes.
 * Returns 0; -EAGAIN: the sink accepts no data at present; -EBUSY: another
 * thread drains, or a drain thread exists.  Any other -errno: the sink is gone
 * for good.  A drain thread may have another fd table than the caller.
 *
 * @deadline: ns, end of the wait for a sink that is not ready.
 *
 * Context: any-thread, inside syc_session_look() or the drain thread.
 */
int syc_drain_pass(struct syc_session *session, enum syc_drain_who who,
                   int64_t deadline, uint64_t *ret_moved);

/**
 * Prevent other threads from draining, and from using the fds of the session,
 * until syc_drain_release().  False: not possible before @deadline.
 */
bool syc_drain_hold(struct syc_session *session, int64_t deadline);
static inline void syc_drain_release(struct syc_session *session)
{
	syc_tid_lock_give(&session->draining);
}

/** Move all frames, report all losses, and end the file.  Returns 0, or -errno:
 * then the file is incomplete. */
int syc_drain_finish(struct syc_session *session, int64_t deadline);

#endif
