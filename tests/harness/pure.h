/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pure.h - counts of calls forbidden to code that may run in a signal handler:
 * allocate, free, or take a lock.
 *
 * pure.c gives a program or a preloaded library its own allocator and locks,
 * which count.  A sanitizer replaces the allocator and the locks.
 */
#ifndef SYSCAP_PURE_H
#define SYSCAP_PURE_H

#include <stdbool.h>

struct pure_counts {
	unsigned long n_allocated, n_freed, n_locked;
};

/** Count this thread's calls between the two functions; pairs may nest. */
void pure_begin(void);
void pure_end(void);

/** The counts so far, of all threads. */
struct pure_counts pure_get(void);

/** Whether all counts are 0. */
bool pure_is_nothing(void);

/**
 * Returns whether calls can be counted.  The function tries a call, and leaves
 * the counts unchanged.
 */
bool pure_can_count(void);

#endif
