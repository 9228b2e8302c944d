/* SPDX-License-Identifier: BSD-2-Clause */
/* tick.h - all of the sampler that runs in its signal handler. */
#ifndef SYC_TICK_H
#define SYC_TICK_H

#include <signal.h>

/** Learn what the handler can't ask.  Context: setup. */
void syc_tick_prepare(void);

/**
 * The handler: a sample of the interrupted thread, if it is a tick of ours.
 *
 * Context: signal-safe, any-thread.
 */
void syc_tick_handle(int signal, siginfo_t *info, void *context);

#endif
