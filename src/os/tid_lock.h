/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tid_lock.h - a lock that says who holds it: a word with the thread's id, or 0.
 * It is never waited for without a limit, so the loops are the callers'.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_OS_TID_LOCK_H
#define SYC_OS_TID_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/** Take it.  Returns 0, or the id of the thread that holds it. */
static inline uint32_t syc_tid_lock_try(uint32_t *lock)
{
	uint32_t holder = 0;

	__atomic_compare_exchange_n(lock, &holder, (uint32_t)gettid(), false,
	                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	return holder;
}

/** Give it back; nothing, if the calling thread does not hold it. */
static inline void syc_tid_lock_give(uint32_t *lock)
{
	uint32_t self = (uint32_t)gettid();

	__atomic_compare_exchange_n(lock, &self, 0, false, __ATOMIC_RELEASE,
	                            __ATOMIC_RELAXED);
}

#endif
