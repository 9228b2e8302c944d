/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boxed.h - whether the program has asked for a filter of its system calls,
 * which may kill it for one that it does not make itself.  From then on nothing
 * of ours makes any but those that nearly all filters allow, since the C library
 * itself makes them: getpid(), gettid(), rt_sigprocmask(), munmap().
 *
 * Only who is told of such calls sets it: preload/filters.c.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_BOXED_H
#define SYC_BOXED_H

#include <stdbool.h>

extern bool syc_boxed;

static inline bool syc_boxed_is(void)
{
	return __atomic_load_n(&syc_boxed, __ATOMIC_RELAXED);
}

#endif
