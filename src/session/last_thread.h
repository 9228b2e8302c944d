/* SPDX-License-Identifier: BSD-2-Clause */
/* last_thread.h - the end of a process in which only threads of this library
 * are left. */
#ifndef SYC_SESSION_LAST_THREAD_H
#define SYC_SESSION_LAST_THREAD_H

#include <stdbool.h>

/**
 * Return whether only threads of this library are left.  The calling thread is
 * a library thread.  If /proc is missing, the function checks only the first
 * thread, and threads that have emitted.  *@ret_status becomes the first
 * thread's status, as wait() returns it; 0: unknown.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_last_thread_is_caller(int *ret_status);

/**
 * End the calling thread, the last thread of the process, with @status.  The
 * end of the last thread ends the process.  Since Linux 5.18 the status of the
 * last thread is the process' status.
 *
 * Context: a thread of this library.
 */
__attribute__((noreturn)) void syc_last_thread_end(int status);

#endif
