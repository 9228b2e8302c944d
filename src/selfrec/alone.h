/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alone.h - whether only threads of this library are left in the process.
 *
 * A thread that ends by the exit system call, or that a seccomp filter kills,
 * tells nobody; and a process lives as long as any of its threads.
 */
#ifndef SYC_SELFREC_ALONE_H
#define SYC_SELFREC_ALONE_H

#include <stdbool.h>
#include <stdint.h>

/** Context of all: any-thread, signal-safe. */

/** The first thread has not ended.  It stays listed, and takes signals, when
 * it has. */
bool syc_alone_main_lives(void);

/**
 * The word that the kernel clears, and wakes, when the process' first thread
 * ends, however it does: where pthread_join() of it waits.  Until then the
 * pid stands there.  It stays readable.  NULL: it can't be told, or it is
 * another thread that asks.
 */
uint32_t *syc_alone_main_word(void);

/** Whether all threads can be seen, by /proc. */
bool syc_alone_sees_all(void);

/**
 * The calling thread, which is one of ours, is the last but for others of
 * ours.  Without /proc those threads count that have emitted, and the first.
 * Then *@ret_status is how the first one ended, as wait() would say it; 0
 * where that is not known.
 */
bool syc_alone_is(int *ret_status);

/**
 * End the calling thread, the process' last, and the process with @status:
 * that of the last thread to end is the process', since Linux 5.18.
 */
__attribute__((noreturn)) void syc_alone_end(int status);

#endif
