/* SPDX-License-Identifier: BSD-2-Clause */
/* tick.h - all of the sampler that runs in its signal handler. */
#ifndef SYC_SAMPLE_TICK_H
#define SYC_SAMPLE_TICK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "sample/own_frames.h"

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
 * handler.  Returns the wait of ours that it cut, which stays as it is until
 * the handler returns, or NULL.  NULL: nobody wants to know.
 */
extern const struct syc_own_wait *(*syc_tick_interrupts)(int signal,
                                                         const void *context);

#endif
