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
#include <stdint.h>

/** Where @signal stands in the kernel's set of 64 bits, which the C library's
 * sigset_t begins with.  Context: any-thread, signal-safe. */
static inline uint64_t syc_signal_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/** Context: any-thread, signal-safe. */
void syc_all_signals_fill(sigset_t *set);

/** Block all signals of the calling thread until syc_all_signals_restore(). 
 * Context: any-thread, signal-safe. */
void syc_all_signals_block(sigset_t *ret_before);
void syc_all_signals_restore(const sigset_t *before);

/** What syc_undisturbed_begin() switches off meanwhile. */
struct syc_undisturbed {
	sigset_t mask;
	int cancel_state;
};

/**
 * Nobody on this thread comes between until syc_undisturbed_end(); nor is it
 * cancelled in one of our system calls, with something half claimed and the
 * program's locks held.  Context: any-thread, signal-safe.
 */
void syc_undisturbed_begin(struct syc_undisturbed *ret_before);
void syc_undisturbed_end(const struct syc_undisturbed *before);

#endif
