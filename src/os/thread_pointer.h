/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_pointer.h - the calling thread's control block: the register of
 * thread-local storage.  Unlike a thread's id it stays the
 * same over fork().
 */
#ifndef SYC_OS_THREAD_POINTER_H
#define SYC_OS_THREAD_POINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <sys/syscall.h>

#include "os/raw_syscall.h"
#endif

/**
 * Whether there is one, and so thread-local storage: in IFUNC resolvers of a
 * static program there is none yet.  No errno, which lies there.
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

#endif
