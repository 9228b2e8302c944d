/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads.h - facts about threads of this process, locks that name their
 * holder, and threads of this library.
 */
#ifndef SYC_OS_THREADS_H
#define SYC_OS_THREADS_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "os/machine.h"

/** Return whether this process has no thread @tid (any more).  An ended thread
 * that /proc still lists counts as present.  Context: any-thread,
 * signal-safe. */
bool syc_tid_is_gone(int32_t tid);

/*
 * A lock that names its holder: a word with the thread's id, or 0.  Callers
 * loop themselves, because no caller waits for the lock without a limit.
 */

/** Take @lock.  Returns 0, or the id of the thread that holds @lock.  Context:
 * any-thread, signal-safe. */
static inline uint32_t syc_tid_lock_try(uint32_t *lock)
{
	uint32_t holder = 0;

	__atomic_compare_exchange_n(lock, &holder, (uint32_t)gettid(), false,
	                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	return holder;
}

/** Release @lock if the calling thread holds it.  Context: any-thread,
 * signal-safe. */
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
 * is unknown.  A stack lies within its bounds, but some memory between the
 * bounds may be unmapped.
 *
 * pthread_getattr_np() is not an alternative, because it allocates.
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
 * threads, too.  This copy identifies other copies' threads only by name.
 */
#define SYC_THREAD_SPILL   "syscap"
#define SYC_THREAD_SAMPLER "syscap-sampler"
#define SYC_THREAD_TOGGLE  "syscap-toggle"
#define SYC_THREAD_ENDED   "syscap-ended" /* only waits for other threads */

/**
 * Return whether the @n characters at @name are the name of a library thread.
 * A program, and so its threads, may have such a name, too.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_library_thread_is_name(const char *name, size_t n);

/**
 * Make a detached thread that calls @run with @data, with a small stack and all
 * signals blocked (SYC_ALL_SIGNALS).  Returns 0 or -errno.
 *
 * Context: setup; allocates.
 */
int syc_library_thread_make(void *(*run)(void *), void *data);

/**
 * Begin a library thread: set its name to @name, and its mask to
 * SYC_ALL_SIGNALS.  The thread has inherited the mask of the thread that made
 * it.  A thread that blocks the C library's own signals would stop setuid() in
 * other threads.
 *
 * Context: owner.
 */
void syc_library_thread_begin(const char *name);

/*
 * A lock in shared memory that the kernel releases when its holder dies.
 *
 * While a thread holds the lock, the thread's robust list refers to the lock.
 * When the thread ends in any way, also by exec or SIGKILL, the kernel marks
 * the lock, and the next taker gets it.  The lock works for threads of any
 * process in the same pid namespace, even if thread ids are reused.
 *
 * No function waits for the lock.
 *
 * Context of all functions: any-thread, signal-safe; errno may change.
 */

/** The holder's data of a lock, valid from take to release. */
struct syc_robust_hold {
	struct robust_list_head own; /* list for a thread without a robust
	                              * list */
	struct robust_list_head *list;
	struct robust_list *before;
	uint32_t *lock;
};

/**
 * Take the lock @word (0: free).  The function blocks all signals until the
 * release, since a handler that leaves by longjmp() would keep the lock.
 * Returns false if another thread holds the lock.
 */
bool syc_robust_lock_try(uint32_t *word, struct syc_robust_hold *hold);

void syc_robust_lock_release(struct syc_robust_hold *hold);

#endif
