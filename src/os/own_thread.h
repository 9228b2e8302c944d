/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_thread.h - threads of this library: making one, and which of a process'
 * threads they are, by name.
 *
 * Other copies of the library may have threads, too, of which this one knows
 * nothing else.
 */
#ifndef SYC_OS_OWN_THREAD_H
#define SYC_OS_OWN_THREAD_H

#include <stdbool.h>
#include <stddef.h>

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
bool syc_own_thread_is_name(const char *name, size_t n);

/**
 * Make a thread that calls @run with @data: detached, with a small stack, and
 * with all signals blocked (all_signals.h).  0 or -errno.
 *
 * Context: setup; allocates.
 */
int syc_own_thread_make(void *(*run)(void *), void *data);

/**
 * Begin of a library thread: sets its name to @name, and blocks the signals of
 * all_signals.h.  It inherits what its maker has blocked,
 * and one that blocks the C library's own stops setuid() in others.
 *
 * Context: owner.
 */
void syc_own_thread_begin(const char *name);

#endif
