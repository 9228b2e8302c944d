/* SPDX-License-Identifier: BSD-2-Clause */
/* tick.h - all of the sampler that runs in its signal handler. */
#ifndef SYC_TICK_H
#define SYC_TICK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/** Learn what the handler can't ask.  Context: setup. */
void syc_tick_prepare(void);

/**
 * The handler: a sample of the interrupted thread, if it is a tick of ours.
 *
 * Context: signal-safe, any-thread.
 */
void syc_tick_handle(int signal, siginfo_t *info, void *context);

/**
 * Asked of a signal of a timer that is no target's; true: it was of one that
 * asks for the same signal.  NULL: there are none.
 */
extern bool (*syc_tick_others)(const siginfo_t *info, const void *context);

/**
 * Told of each tick that comes to a thread with storage of its own, in the
 * handler.  True: it interrupted a call that code between @low and @high makes
 * for the program.  NULL: nobody wants to know.
 */
extern bool (*syc_tick_interrupts)(int signal, const void *context,
                                   uintptr_t *ret_low, uintptr_t *ret_high);

#endif
