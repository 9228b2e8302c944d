/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pure.h - count what code that may run in a signal handler must not do:
 * allocate, free, or take a lock.
 *
 * A program, or a library that is preloaded, which has pure.c among its sources
 * has an allocator and locks of its own, which count.  A sanitizer has its own
 * of all.
 */
#ifndef SYSCAP_PURE_H
#define SYSCAP_PURE_H

#include <stdbool.h>

struct pure_counts {
	unsigned long n_allocated, n_freed, n_locked;
};

/** Count what this thread does between the two, which nest. */
void pure_begin(void);
void pure_end(void);

/** What was counted so far, of all threads. */
struct pure_counts pure_get(void);

/** Nothing was. */
bool pure_is_nothing(void);

/** Whether anything can be counted: tried out, which counts for nothing. */
bool pure_can_count(void);

#endif
