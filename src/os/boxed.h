/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boxed.h - whether the program has installed a seccomp filter, which may kill
 * it for system calls that it does not make itself.  From then on the library
 * only makes calls that nearly all filters permit, because the C library makes
 * them: getpid(), gettid(), rt_sigprocmask(), munmap().  If the
 * filter forbids even these, the thread is closed: nothing of ours runs there.
 *
 * Only the wrapper of such calls sets it: preload/filters.c.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_OS_BOXED_H
#define SYC_OS_BOXED_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap.h>

/** Filters that came; those of them that closed all threads. */
extern uint32_t syc_boxed, syc_boxed_closed;

/** Uses that filters ended in this thread. */
enum syc_boxed_end {
	SYC_BOXED_NOTHING = 0,
	SYC_BOXED_TICKS, /* what ends ticks may be forbidden, too */
	SYC_BOXED_CLOSED,
};

extern _Thread_local uint8_t syc_boxed_here
	__attribute__((tls_model(SYSCAP_TLS_MODEL)));

static inline bool syc_boxed_is(void)
{
	return __atomic_load_n(&syc_boxed, __ATOMIC_RELAXED) != 0;
}

/** The calling thread is closed. */
static inline bool syc_boxed_is_closed(void)
{
	return __builtin_expect(syc_boxed_is(), 0) &&
	       (__atomic_load_n(&syc_boxed_closed, __ATOMIC_RELAXED) != 0 ||
	        syc_boxed_here == SYC_BOXED_CLOSED);
}

/** The calling thread makes another, which inherits its filters. */
static inline void syc_boxed_on_thread(void)
{
	if (syc_boxed_is_closed())
		__atomic_add_fetch(&syc_boxed_closed, 1, __ATOMIC_RELAXED);
}

#endif
