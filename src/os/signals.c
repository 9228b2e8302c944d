/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals.c - a test for running signal handlers, and writes that raise neither
 * SIGPIPE nor SIGXFSZ.
 *
 * The kernel does not report running handlers.  But a handler returns into code
 * that only calls sigreturn.  On x86-64 the C library has this code, and each
 * signal's action contains the code's address. On other processors the vDSO
 * has this code.  While a handler runs, this return address is on the
 * handler's stack.
 */
#define _GNU_SOURCE
#include "os/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "os/machine.h"

#define N_SIGNALS 64

/* The kernel's struct of an action; sigaction() omits the restorer. */
struct kernel_action {
	uintptr_t handler;
	unsigned long flags;
#if SYC_HAS_RESTORER
	uintptr_t restorer; /* 0 if handlers return to the vDSO */
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
#if SYC_HAS_RESTORER
		if (action.restorer != 0)
			add_range(to, action.restorer, action.restorer + 1);
#endif
#if SYC_VDSO_RETURNS
		const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
		add_range(to, vdso, vdso + 16384);
#endif
	}
}

/* Search the whole stack, including the zones that sanitizers poison. */
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

static uint64_t pending_signals(void)
{
	uint64_t set = 0;

	syscall(SYS_rt_sigpending, &set, sizeof(set));
	return set;
}

void syc_write_nosignal_begin(struct syc_write_nosignal *quiet)
{
	const uint64_t ours = syc_signal_bit(SIGPIPE) | syc_signal_bit(SIGXFSZ);
	const int saved = errno;
	uint64_t before = 0;

	quiet->before = syc_signal_mask(SIG_BLOCK, ours);
	/* A signal that was not blocked can't be pending */
	if ((quiet->before & ours) != 0)
		before = pending_signals();
	quiet->had_pipe = (before & syc_signal_bit(SIGPIPE)) != 0;
	quiet->had_file_size = (before & syc_signal_bit(SIGXFSZ)) != 0;
	errno = saved;
}

void syc_write_nosignal_end(const struct syc_write_nosignal *quiet)
{
	const struct timespec now = { 0, 0 };
	const int saved = errno;
	const uint64_t raised = pending_signals();
	uint64_t take = 0;

	if (!quiet->had_pipe)
		take |= raised & syc_signal_bit(SIGPIPE);
	if (!quiet->had_file_size)
		take |= raised & syc_signal_bit(SIGXFSZ);
	while (take != 0) {
		const long number = syscall(SYS_rt_sigtimedwait, &take, NULL,
		                            &now, sizeof(take));
		if (number <= 0)
			break;
		take &= ~syc_signal_bit((int)number);
	}
	syc_write_nosignal_end_clean(quiet);
	errno = saved;
}

void syc_write_nosignal_end_clean(const struct syc_write_nosignal *quiet)
{
	syc_signal_mask(SIG_SETMASK, quiet->before);
}
