/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind_libunwind.c - implementation of unwind.h by libunwind, in place of the
 * other files (option SYSCAP_LIBUNWIND).
 *
 * This implementation is less safe than unwind.c.  For uncached data libunwind
 * calls dl_iterate_phdr(), which takes a lock of the loader.  So a walk in a
 * handler that interrupted dlopen() may wait forever for the lock.  Runtimes
 * cannot provide steps out of their code.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include "unwind/unwind.h"

#include <errno.h>
#include <libunwind.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap/format.h>

#define OUTERMOST_KEPT 16u
#define STEPS_MOST     16384u
#define PAGE           4096u

/* Store frame @n.  Frames beyond the maximum use the last places cyclically. */
static void store_frame(struct syc_unwind *unwind, unsigned n, uint64_t at,
                        uintptr_t sp)
{
	unsigned place = n;

	if (n >= unwind->max) {
		if (unwind->innermost)
			return;
		place = unwind->max - OUTERMOST_KEPT +
		        (n - unwind->max) % OUTERMOST_KEPT;
	}
	unwind->addrs[place] = at;
	if (unwind->sps != NULL)
		unwind->sps[place] = sp;
}

static void turn_back_outermost(struct syc_unwind *unwind, unsigned n)
{
	uint64_t addrs[OUTERMOST_KEPT];
	uintptr_t sps[OUTERMOST_KEPT] = { 0 };
	const unsigned from = unwind->max - OUTERMOST_KEPT;

	for (unsigned i = 0; i < OUTERMOST_KEPT; i++) {
		const unsigned at =
			from + (n - unwind->max + i) % OUTERMOST_KEPT;

		addrs[i] = unwind->addrs[at];
		if (unwind->sps != NULL)
			sps[i] = unwind->sps[at];
	}
	memcpy(unwind->addrs + from, addrs, sizeof(addrs));
	if (unwind->sps != NULL)
		memcpy(unwind->sps + from, sps, sizeof(sps));
}

/* Store the frames, without the first @leave_out. */
static void walk_frames(struct syc_unwind *unwind, unw_cursor_t *cursor,
                        unsigned leave_out)
{
	unsigned n = 0;
	bool exact = true;
	int more = 1;

	for (unsigned steps = 0; more > 0 && steps < STEPS_MOST; steps++) {
		unw_word_t pc = 0, sp = 0;

		if (unw_get_reg(cursor, UNW_REG_IP, &pc) != 0 || pc == 0 ||
		    unw_get_reg(cursor, UNW_REG_SP, &sp) != 0)
			break;
		const bool signal = unw_is_signal_frame(cursor) > 0;

		if (steps >= leave_out)
			store_frame(unwind, n++, exact || signal ? pc : pc - 1,
			            sp);
		exact = signal;
		more = unw_step(cursor);
	}
	unwind->flags = more == 0 ? 0 : SYSCAP_STACK_STOPPED;
	unwind->n = n;
	if (n > unwind->max) {
		unwind->n = unwind->max;
		unwind->flags |= SYSCAP_STACK_CUT;
		if (!unwind->innermost)
			turn_back_outermost(unwind, n);
	}
}

int syc_unwind_prepare(void)
{
	return 0;
}

void syc_unwind_refresh(void)
{
}

void syc_unwind_from(struct syc_unwind *unwind, const ucontext_t *context)
{
	const int saved = errno;
	unw_cursor_t cursor;
	unw_context_t registers;

	/* libunwind's context is the C library's struct.  Copy the struct,
	 * because libunwind changes it */
	memcpy(&registers, context,
	       sizeof(registers) < sizeof(*context) ? sizeof(registers)
	                                            : sizeof(*context));
	unwind->n = 0;
	unwind->flags = SYSCAP_STACK_STOPPED;
	if (unw_init_local2(&cursor, &registers, UNW_INIT_SIGNAL_FRAME) == 0)
		walk_frames(unwind, &cursor, 0);
	errno = saved;
}

__attribute__((noinline)) void syc_unwind_here(struct syc_unwind *unwind,
                                               unsigned leave_out)
{
	const int saved = errno;
	unw_cursor_t cursor;
	unw_context_t registers;

	unwind->n = 0;
	unwind->flags = SYSCAP_STACK_STOPPED;
	unw_getcontext(&registers);
	if (unw_init_local(&cursor, &registers) == 0)
		walk_frames(unwind, &cursor, leave_out + 1);
	errno = saved;
}

/* Check memory by a call with an invalid `how`, for which the kernel reads the
 * set and returns EINVAL. */
bool syc_unwind_readable(const void *at, size_t n)
{
	const uintptr_t first = (uintptr_t)at;
	const int saved = errno;
	bool readable = first >= PAGE && first + n >= first;

	for (uintptr_t page = first & ~(uintptr_t)(PAGE - 1);
	     readable && page < first + n; page += PAGE) {
		const uintptr_t word =
			(page > first ? page : first) & ~(uintptr_t)7;

		readable = syscall(SYS_rt_sigprocmask, ~0, word, NULL, 8) < 0 &&
		           errno == EINVAL;
	}
	errno = saved;
	return readable;
}
