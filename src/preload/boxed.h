/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boxed.h - filters of system calls, and the strict one.
 *
 * Context: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_BOXED_H
#define SYC_PRELOAD_BOXED_H

#include <stdbool.h>

#include "os/boxed.h"

/** A thread has asked for nothing but read(), write() and _exit(): there, not
 * even the clock may be read. */
extern bool syc_boxed_strictly;

static inline bool syc_boxed_is_strict(void)
{
	return __builtin_expect(
		__atomic_load_n(&syc_boxed_strictly, __ATOMIC_RELAXED), 0);
}

#endif
