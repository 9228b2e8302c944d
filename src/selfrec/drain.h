/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain.h - move what the rings of a session hold into its sink.
 *
 * The drainer is whoever has session->draining: the drain thread, or a thread
 * that calls syscap_drain(), syscap_stop() or exit().  It is the reader of
 * R1 and R2 in <syscap/emit.h>, and the writer of slot 0's ring.
 *
 * Signals are blocked meanwhile, so no handler finds itself on top of it.
 */
#ifndef SYC_SELFREC_DRAIN_H
#define SYC_SELFREC_DRAIN_H

#include "os/threads.h"
#include "selfrec/session.h"

/** By whom. */
enum syc_drain_who {
	SYC_DRAIN_THREAD,
	SYC_DRAIN_ALONE,   /* where there is no such thread */
	SYC_DRAIN_HANDLER, /* the same; no lock of the C library's is taken */
};

/**
 * Move what is there.  Returns 0, and *@ret_moved is how many bytes; -EAGAIN:
 * the sink takes nothing just now; -EBUSY: somebody else drains, or there is a
 * drain thread, whose table of descriptors may be another than ours; or another
 * -errno, the sink is gone for good.
 *
 * @deadline: ns, how long to wait for a sink that is not ready.
 *
 * Context: any-thread, inside syc_session_look() or the drain thread.
 */
int syc_drain_pass(struct syc_session *session, enum syc_drain_who who,
                   int64_t deadline, uint64_t *ret_moved);

/**
 * Nobody drains, or looks at the descriptors to do so, until
 * syc_drain_release().  False: not by @deadline.
 */
bool syc_drain_hold(struct syc_session *session, int64_t deadline);
static inline void syc_drain_release(struct syc_session *session)
{
	syc_tid_lock_give(&session->draining);
}

/** Move everything, and what was lost, and end the file.  0 or -errno: then
 * not all is in it. */
int syc_drain_finish(struct syc_session *session, int64_t deadline);

#endif
