/* SPDX-License-Identifier: BSD-2-Clause */
/* backtrace.c - the stack walk as a public call.  All functions are
 * signal-safe. */
#define _GNU_SOURCE
#include <syscap/sampler.h>

#include "os/threads.h"
#include "unwind/unwind.h"

#ifndef SYSCAP_TLS_MODEL
#define SYSCAP_TLS_MODEL "initial-exec"
#endif

/*
 * Bounds of the calling thread's stack; stack_low is 0 until the first call.
 * If the bounds are unknown, the range is empty, and the walk checks each page.
 */
static _Thread_local uintptr_t stack_low
	__attribute__((tls_model(SYSCAP_TLS_MODEL)));
static _Thread_local uintptr_t stack_high
	__attribute__((tls_model(SYSCAP_TLS_MODEL)));

static __attribute__((cold, noinline)) void learn_stack(void)
{
	uintptr_t low, high;

	if (!syc_stack_bounds(&low, &high))
		low = high = 1;
	/* A handler that interrupts this code determines the bounds itself */
	stack_high = high;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	stack_low = low;
}

__attribute__((noinline)) int syc_backtrace(uint64_t *addrs, unsigned n,
                                            unsigned leave_out,
                                            unsigned *ret_flags)
{
	struct syc_unwind unwind = { .addrs = addrs,
		                     .max = n,
		                     .innermost = true };

	*ret_flags = 0;
	if (n == 0)
		return 0;
	if (stack_low == 0)
		learn_stack();
	unwind.low = stack_low;
	unwind.high = stack_high;
	syc_unwind_here(&unwind, leave_out + 1);
	*ret_flags = unwind.flags;
	return (int)unwind.n;
}

/*
 * Omit this function's frame, too.  The flags argument prevents a tail call.
 */
__attribute__((noinline)) int syscap_backtrace(uint64_t *addrs, unsigned n,
                                               void *leave_out)
{
	unsigned flags;

	return syc_backtrace(addrs, n, (unsigned)(uintptr_t)leave_out + 1,
	                     &flags);
}
