/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads.h - threads of this process, and those of this library.
 *
 * Whether one is gone, locks that name their holder, and the calling thread's
 * control block and stack.
 */
#ifndef SYC_OS_THREADS_H
#define SYC_OS_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <sys/syscall.h>

#include "os/raw_syscall.h"
#endif

/** Whether this process has no thread @tid (any more).  One that has ended and
 * stays listed is still there.  Context: any-thread, signal-safe. */
bool syc_tid_is_gone(int32_t tid);

/*
 * A lock that names its holder: a word with the thread's id, or 0.  Nobody
 * waits for it without a limit, so the callers have the loops.
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

/*
 * The calling thread's control block: the register of thread-local storage.
 * Unlike a thread's id it stays the same over fork().
 */

/**
 * Whether there is one, and so thread-local storage.  IFUNC resolvers of a
 * static program run before it exists.  Does not touch errno, which lies there.
 *
 * Context: any-thread, signal-safe.
 */
static inline bool syc_thread_pointer_is_set(void)
{
#if defined(__x86_64__)
	const long arch_get_fs = 0x1003;
	uintptr_t tp = 0;

	return syc_raw_syscall(SYS_arch_prctl, arch_get_fs, (long)(intptr_t)&tp,
	                       0, 0, 0, 0) != 0 ||
	       tp != 0;
#else
	return __builtin_thread_pointer() != NULL;
#endif
}

/** Context: any-thread, signal-safe; of a thread that the C library made. */
static inline uintptr_t syc_thread_pointer(void)
{
#if defined(__x86_64__)
	uintptr_t tp;

	__asm__("movq %%fs:0, %0" : "=r"(tp));
	return tp;
#else
	return (uintptr_t)__builtin_thread_pointer();
#endif
}

/**
 * The stack that the calling thread was started on, if @addr lies on it.  Costs
 * a few system calls on Linux 6.11 and later, else /proc/self/maps is read.
 *
 * Returns false, and an empty range, if @addr lies elsewhere or the stack is
 * not known.  Bounds say where a stack may be, not that all between them is
 * mapped.
 *
 * pthread_getattr_np() would do, but allocates.
 *
 * Context: owner, signal-safe.
 */
bool syc_stack_bounds_around(uintptr_t addr, uintptr_t *ret_low,
                             uintptr_t *ret_high);

/** The same of the caller's own frame.  Context: owner, signal-safe. */
static inline bool syc_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high)
{
	return syc_stack_bounds_around((uintptr_t)__builtin_frame_address(0),
	                               ret_low, ret_high);
}

/*
 * Threads of this library, by name.  Other copies of the library may have
 * threads, too, of which this one knows nothing else.
 */
#define SYC_THREAD_DRAIN   "syscap"
#define SYC_THREAD_SAMPLER "syscap-sampler"
#define SYC_THREAD_TOGGLE  "syscap-toggle"
#define SYC_THREAD_ENDED   "syscap-ended" /* one that only waits for others */

/**
 * Whether the @n characters at @name are one of these.  A program may be
 * called so, and its threads with it.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_library_thread_is_name(const char *name, size_t n);

/**
 * Make a thread that calls @run with @data: detached, with a small stack, and
 * with all signals blocked (SYC_ALL_SIGNALS).  0 or -errno.
 *
 * Context: setup; allocates.
 */
int syc_library_thread_make(void *(*run)(void *), void *data);

/**
 * Begin of a library thread: sets its name to @name, and its mask to
 * SYC_ALL_SIGNALS.  It has inherited its maker's mask.  A thread that blocks
 * the C library's own signals would stop setuid() in others.
 *
 * Context: owner.
 */
void syc_library_thread_begin(const char *name);

#endif
