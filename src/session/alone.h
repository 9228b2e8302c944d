/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alone.h - test whether only threads of this library are left in the process.
 *
 * A thread that ends by the exit system call, or that a seccomp filter kills,
 * notifies no other thread.  A process lives as long as any of its threads.
 */
#ifndef SYC_SESSION_ALONE_H
#define SYC_SESSION_ALONE_H

#include <stdbool.h>
#include <stdint.h>

/** Context of everything here: any-thread, signal-safe. */

/** Whether the first thread has not ended.  An ended first thread stays listed,
 * and accepts signals. */
bool syc_alone_main_lives(void);

/**
 * The word that the kernel clears, and wakes, when the process' first thread
 * ends in any way; pthread_join() of this thread waits for the word.  Until
 * this end the word is the pid.  The word stays readable.  NULL: the word is
 * unknown, or the caller is not the first thread.
 */
uint32_t *syc_alone_main_word(void);

/** Whether /proc shows all threads. */
bool syc_alone_sees_all(void);

/**
 * Whether only threads of this library are left; the calling thread is such a
 * thread.  Without /proc only the first thread, and threads that have emitted,
 * count.  *@ret_status becomes the first thread's status, as wait() returns it;
 * 0: unknown.
 */
bool syc_alone_is(int *ret_status);

/**
 * End the calling thread, the process' last, and so the process, with @status.
 * Since Linux 5.18 the status of the last thread is the process' status.
 */
__attribute__((noreturn)) void syc_alone_end(int status);

#endif
