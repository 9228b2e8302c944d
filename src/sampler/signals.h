/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals.h - the signals that ticks come by: which, and what becomes of
 * those that others send.
 *
 * A handler of ours stays for good: a tick may be on its way when sampling
 * stops, and the default action of most signals ends the process.  What was
 * there before it gets every signal that is not ours, as if we were not there:
 * with its mask and its flags, but on the alternate stack where there is one.
 */
#ifndef SC_SIGNALS_H
#define SC_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct sc_tasks;

/**
 * A signal for @clock; @wanted if it is not 0.  Else a real-time one (for
 * perf events SIGURG) that has its default action and that no thread blocks
 * by itself, for it may be waited for with sigwait() or a signalfd.
 *
 * Returns it, or -EINVAL, -EBUSY.
 */
int sc_signals_choose(uint32_t clock, int wanted, struct sc_tasks *tasks);

/** Have @handler called for @signal, before what there is.  0 or -errno. */
int sc_signals_install(int signal, void (*handler)(int, siginfo_t *, void *));

/** False: the program has put a handler of its own in place of ours. */
bool sc_signals_is_ours(int signal);

/**
 * Do with a signal what would have been done without us.
 *
 * Context: within the handler, as its last act; signal-safe.
 */
void sc_signals_pass_on(int signal, siginfo_t *info, void *context);

#endif
