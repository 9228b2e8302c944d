/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain_thread.h - the thread that drains a session's rings.
 *
 * While asleep the thread checks once or twice a second whether it is alone
 * (alone.h), and uses no other processor time.  The sleeper and an emitter each
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

#include "session/session.h"

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

#endif
