/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nested.c - an emit that finds another of its thread: on top of it, or in
 * place of one that will never go on.
 *
 * Runs in signal handlers mostly.  No locks, no allocation; one sigaltstack()
 * where an emit looks dead.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/disturbed.h"
#include "emit/thread.h"

static bool on_signal_stack(void)
{
	const int saved = errno;
	stack_t ss;
	const bool is_on = syscall(SYS_sigaltstack, NULL, &ss) != 0 ||
	                   (ss.ss_flags & SS_ONSTACK) != 0;

	errno = saved;
	return is_on;
}

/*
 * Whether the emit whose token lies at @owner can't go on any more, seen
 * from a call whose frame ends at @here.  Stacks grow down: an emit that we
 * interrupted lies above us, with its token untouched.  Never wrong about a
 * live one; a dead one may pass for live until a shallower emit comes.  Where a
 * dead one's token was, another frame may have a variable that is gone.
 */
__attribute__((no_sanitize("address"))) static bool
is_emit_dead(struct syc_state *ts, uintptr_t owner, uintptr_t here)
{
	if (!syc_thread_has_on_stack(ts, owner) ||
	    !syc_thread_has_on_stack(ts, here))
		return false; /* other stacks are never judged */
	if (here >= owner)
		return !on_signal_stack();
	const volatile uintptr_t *const token =
		(const volatile uintptr_t *)owner;
	return *token != syc_token_value(&ts->hot);
}

SYC_COLD bool syc_enter_nested(struct syc_thread *st, volatile uintptr_t *token,
                               const void *cfa)
{
	struct syc_state *const ts = syc_state_of(st);
	const uintptr_t owner =
		(uintptr_t)__atomic_load_n(&st->owner, __ATOMIC_RELAXED);

	if (owner == 0 || is_emit_dead(ts, owner, (uintptr_t)cfa)) {
		syc_become_owner(st, token);
		return true;
	}
	/* whole against a handler that dies in between */
	__atomic_add_fetch(&st->nested, 1, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	syc_disturb(st);
	syc_write_missing_header(st);
	return false;
}

SYC_COLD void syc_leave_nested(struct syc_thread *st)
{
	uint32_t nested = __atomic_load_n(&st->nested, __ATOMIC_RELAXED);

	while (nested != 0 && !__atomic_compare_exchange_n(
				      &st->nested, &nested, nested - 1, true,
				      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void syscap_thread_reset(void)
{
	struct syc_thread *const st = syc_self;

	if (st == NULL || __atomic_load_n(&st->owner, __ATOMIC_RELAXED) == 0)
		return;
	volatile uintptr_t token;
	const int saved = errno;

	syc_become_owner(st, &token);
	syc_leave(st, &token, true);
	errno = saved;
}
