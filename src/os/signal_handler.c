/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signal_handler.c - test whether the calling code may be a signal handler.
 *
 * The kernel does not report running handlers.  But a handler returns into code
 * that only calls sigreturn.  On x86-64 the C library has this code, and each
 * signal's action contains the code's address; elsewhere the vDSO has this
 * code.  While a handler runs, this return address is on the handler's stack.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/signals.h"

#define N_SIGNALS 64

/* The kernel's struct of an action; sigaction() omits the restorer. */
struct kernel_action {
	uintptr_t handler;
	unsigned long flags;
#if defined(__x86_64__)
	uintptr_t restorer;
#endif
	uint64_t mask;
};

struct returns {
	unsigned n;
	uintptr_t low[4], high[4]; /* handlers return to [low, high) */
	bool are_more;
};

static void add_range(struct returns *to, uintptr_t low, uintptr_t high)
{
	for (unsigned i = 0; i < to->n; i++)
		if (to->low[i] == low)
			return;
	if (to->n == 4) {
		to->are_more = true;
		return;
	}
	to->low[to->n] = low;
	to->high[to->n++] = high;
}

/* Collect the return addresses of the installed handlers. */
static void find_returns(struct returns *to)
{
	memset(to, 0, sizeof(*to));
	for (int number = 1; number <= N_SIGNALS; number++) {
		struct kernel_action action;

		memset(&action, 0, sizeof(action));
		if (syscall(SYS_rt_sigaction, number, NULL, &action,
		            sizeof(action.mask)) != 0 ||
		    action.handler <= 1) /* default action, or ignored */
			continue;
#if defined(__x86_64__)
		add_range(to, action.restorer, action.restorer + 1);
#else
		const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
		add_range(to, vdso, vdso + 16384);
#endif
	}
}

/* Search all of the stack, including the zones that sanitizers poison. */
__attribute__((no_sanitize("address", "thread"), noinline)) static bool
is_on_stack(const struct returns *returns, uintptr_t from, uintptr_t to)
{
	const volatile uintptr_t *word =
		(const volatile uintptr_t *)(from & ~(sizeof(from) - 1));

	for (; (uintptr_t)word + sizeof(*word) <= to; word++) {
		const uintptr_t value = *word;

		for (unsigned i = 0; i < returns->n; i++)
			if (value >= returns->low[i] &&
			    value < returns->high[i])
				return true;
	}
	return false;
}

bool syc_handler_may_run(uintptr_t low, uintptr_t high)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct returns returns;
	stack_t ss;

	if (syscall(SYS_sigaltstack, NULL, &ss) != 0 ||
	    (ss.ss_flags & SS_ONSTACK) != 0)
		return true;
	find_returns(&returns);
	if (returns.n == 0)
		return false;
	if (returns.are_more || here < low || here >= high)
		return true;
	return is_on_stack(&returns, here, high);
}
