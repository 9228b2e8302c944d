/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads.h - threads of this process, and threads of this library.
 *
 * Tests of a thread's end, locks that name their holder, and the calling
 * thread's control block and stack.
 */
#ifndef SYC_OS_THREADS_H
#define SYC_OS_THREADS_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "os/machine.h"

/** Whether this process has no thread @tid (any more).  An ended thread that
 * /proc still lists counts as present.  Context: any-thread, signal-safe. */
bool syc_tid_is_gone(int32_t tid);

/*
 * A lock that names its holder: a word with the thread's id, or 0.  No caller
 * waits for the lock without a limit, so the callers have the loops.
 */

/** Take @lock.  Context: any-thread, signal-safe.  Returns 0, or the id of the
 * thread that holds it. */
static inline uint32_t syc_tid_lock_try(uint32_t *lock)
{
	uint32_t holder = 0;

	__atomic_compare_exchange_n(lock, &holder, (uint32_t)gettid(), false,
	                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	return holder;
}

/** Release @lock; does nothing if the calling thread does not hold it.
 * Context: any-thread, signal-safe. */
static inline void syc_tid_lock_give(uint32_t *lock)
{
	uint32_t self = (uint32_t)gettid();

	__atomic_compare_exchange_n(lock, &self, 0, false, __ATOMIC_RELEASE,
	                            __ATOMIC_RELAXED);
}

/**
 * The stack that the calling thread was started on, if @addr is on this stack.
 * The search costs a few system calls on Linux 6.11 and later.  Older kernels
 * need a read of /proc/self/maps.
 *
 * Returns false, and an empty range, if @addr is on another stack, or the stack
 * is unknown.  A stack lies within its bounds, but some memory between them may
 * be unmapped.
 *
 * pthread_getattr_np() is no alternative, because it allocates.
 *
 * Context: owner, signal-safe.
 */
bool syc_stack_bounds_around(uintptr_t addr, uintptr_t *ret_low,
                             uintptr_t *ret_high);

/** The bounds of the stack that has the caller's own frame.  Context: owner,
 * signal-safe. */
static inline bool syc_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high)
{
	return syc_stack_bounds_around((uintptr_t)__builtin_frame_address(0),
	                               ret_low, ret_high);
}

/*
 * Threads of this library, by name.  Other copies of the library may have
 * threads, too; this copy identifies them only by name.
 */
#define SYC_THREAD_SPILL   "syscap"
#define SYC_THREAD_SAMPLER "syscap-sampler"
#define SYC_THREAD_TOGGLE  "syscap-toggle"
#define SYC_THREAD_ENDED   "syscap-ended" /* only waits for other threads */

/**
 * Whether the @n characters at @name are the name of a library thread.  A
 * program, and so its threads, may have such a name, too.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_library_thread_is_name(const char *name, size_t n);

/**
 * Make a thread that calls @run with @data: detached, with a small stack, and
 * with all signals blocked (SYC_ALL_SIGNALS).  Returns 0 or -errno.
 *
 * Context: setup; allocates.
 */
int syc_library_thread_make(void *(*run)(void *), void *data);

/**
 * Begin a library thread: set its name to @name, and its mask to
 * SYC_ALL_SIGNALS.  The thread has inherited its maker's mask.  A thread that
 * blocks the C library's own signals would stop setuid() in other threads.
 *
 * Context: owner.
 */
void syc_library_thread_begin(const char *name);

/*
 * A lock in shared memory that the kernel releases when its
 * holder dies.
 *
 * While a thread holds the lock, the thread's robust list refers to it.  When
 * the thread ends in any way, also by exec or SIGKILL, the kernel marks the
 * lock, and the next taker gets it.  This works for threads of any process in
 * the same pid namespace, and if thread ids are reused.
 *
 * The lock is tried.  No function waits for it.
 *
 * Context of everything here: any-thread, signal-safe; errno may change.
 */

/** The holder's part of a lock, valid from take to release. */
struct syc_robust_hold {
	struct robust_list_head own; /* of a thread without a robust list */
	struct robust_list_head *list;
	struct robust_list *before;
	uint32_t *lock;
};

/**
 * Take the lock @word; 0: it is free.  All signals are blocked until the
 * release, since a handler that leaves by longjmp() would keep the lock.
 * False: another thread holds it.
 */
bool syc_robust_lock_try(uint32_t *word, struct syc_robust_hold *hold);

void syc_robust_lock_release(struct syc_robust_hold *hold);

#endif
