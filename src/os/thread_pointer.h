/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_pointer.h - where the calling thread's control block is: what the
 * processor keeps for thread-local storage.  Unlike a thread's id it stays the
 * same over fork().
 */
#ifndef SYC_THREAD_POINTER_H
#define SYC_THREAD_POINTER_H

#include <stdint.h>

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
