/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * all_signals.h - all signals but SIGSYS, blocked: nobody's handler comes
 * between.  A sandbox' filter that traps a system call has SIGSYS handled, and
 * kills the process where it is blocked.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_ALL_SIGNALS_H
#define SYC_ALL_SIGNALS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void syc_all_signals_fill(sigset_t *set)
{
	uint64_t all;

	sigfillset(set); /* but for the C library's own */
	memcpy(&all, set, sizeof(all));
	all &= ~(UINT64_C(1) << (SIGSYS - 1));
	memcpy(set, &all, sizeof(all));
}

/** On the calling thread, until syc_all_signals_restore(). */
static inline void syc_all_signals_block(sigset_t *ret_before)
{
	sigset_t all;

	syc_all_signals_fill(&all);
	pthread_sigmask(SIG_BLOCK, &all, ret_before);
}

static inline void syc_all_signals_restore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif
