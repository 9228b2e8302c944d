/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain_thread.h - the thread that drains a session's rings.
 *
 * Asleep it looks once or twice a second whether it is alone (alone.h), and
 * uses no processor time else.  Going to sleep and emitting are two sides that
 * each store, then load (Dekker's pattern):
 *
 *	emitter                             drain thread
 *	STORE tail                          STORE syc_drain_sleeping = 1
 *	compiler barrier                    membarrier(PRIVATE_EXPEDITED)
 *	LOAD  syc_drain_sleeping             LOAD  every tail
 *	if set: wake                        if none has moved: FUTEX_WAIT
 *
 * The barrier that the emitter would need between its store and its load the
 * drain thread imposes on it: after membarrier() every emitter has either
 * stored its tail for us to see, or will see that we sleep.  Where the kernel
 * has no membarrier() the wait ends after 100 ms.
 */
#ifndef SYC_SELFREC_DRAIN_THREAD_H
#define SYC_SELFREC_DRAIN_THREAD_H

#include "selfrec/session.h"

/**
 * Make the thread.  Allocates (pthread_create()), so not in a signal handler.
 * Waits until it has its own descriptors, and closes the process' copies.
 * 0 or -errno.
 *
 * Context: setup.
 */
int syc_drain_thread_start(struct syc_session *session);

/** Let it finish until @deadline; where there is none, the caller does, and
 * none is made from here on.  0, the sink's error, or -ETIMEDOUT: the thread
 * still has the session. */
int syc_drain_thread_stop(struct syc_session *session, int64_t deadline);

/** Let it move what is there now.  0, or -EAGAIN: not done by @deadline. */
int syc_drain_thread_flush(struct syc_session *session, int64_t deadline);

/**
 * A ring fills up (SYC_ASK_ROOM), or a thread is gone (SYC_ASK_ENDED).  A young
 * child, which has no drain thread yet, gets one for the first.
 *
 * Context: any-thread, signal-safe, signals blocked or not.
 */
void syc_drain_thread_poke(bool is_filling);

/**
 * Somebody emitted while the thread slept, or has not been made: wake it, or
 * make it where that may be.  False: there is no session.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_drain_thread_wake(void);

#endif
