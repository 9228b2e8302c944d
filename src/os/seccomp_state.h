/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seccomp_state.h - seccomp filters that the application has installed.
 *
 * A filter may kill the application for system calls that the application does
 * not make itself.  After a filter's installation the library makes only calls
 * that the C library also makes, because nearly all filters permit these calls.
 * Examples are getpid(), gettid(), rt_sigprocmask(), munmap().  If the filter
 * forbids even these calls, the thread is closed: no code of the library runs
 * in a closed thread.
 *
 * Only the wrapper of the installing calls (preload/seccomp_filters.c) sets
 * this state.  The variables are in threads.c.
 *
 * Context of all functions: any-thread, signal-safe.
 */
#ifndef SYC_OS_SECCOMP_STATE_H
#define SYC_OS_SECCOMP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap.h>

/** Number of installed filters, and number of filters that closed all
 * threads. */
extern uint32_t syc_seccomp_filters, syc_seccomp_closing_filters;

/** Functions of the library that filters ended in this thread. */
enum syc_seccomp_end {
	SYC_SECCOMP_ENDED_NOTHING = 0,
	SYC_SECCOMP_ENDED_TICKS, /* the filter may even forbid the call that
	                          * stops ticks */
	SYC_SECCOMP_CLOSED_THREAD,
};

extern _Thread_local uint8_t syc_seccomp_here
	__attribute__((tls_model(SYSCAP_TLS_MODEL)));

static inline bool syc_seccomp_has_filter(void)
{
	return __atomic_load_n(&syc_seccomp_filters, __ATOMIC_RELAXED) != 0;
}

/** Return whether the calling thread is closed. */
static inline bool syc_seccomp_is_closed(void)
{
	return __builtin_expect(syc_seccomp_has_filter(), 0) &&
	       (__atomic_load_n(&syc_seccomp_closing_filters,
	                        __ATOMIC_RELAXED) != 0 ||
	        syc_seccomp_here == SYC_SECCOMP_CLOSED_THREAD);
}

/** Store that the calling thread starts a thread, which inherits the caller's
 * filters. */
static inline void syc_seccomp_note_new_thread(void)
{
	if (syc_seccomp_is_closed())
		__atomic_add_fetch(&syc_seccomp_closing_filters, 1,
		                   __ATOMIC_RELAXED);
}

#endif
