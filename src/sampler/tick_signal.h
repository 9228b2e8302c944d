/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tick_signal.h - choice of the ticks' signals, and calls of the application's
 * previous actions.
 *
 * The library's handler is never removed.  A tick may be pending when sampling
 * stops, and the default action of most signals ends the process.  The
 * library's handler passes every other signal to the previous action, with the
 * action's mask and flags, but on the alternate stack, if one exists.
 */
#ifndef SYC_SAMPLER_TICK_SIGNAL_H
#define SYC_SAMPLER_TICK_SIGNAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct syc_thread_list;

/*
 * Signals of ticks, which the default action ignores: the first choice, which
 * is also the signal of perf events, and the second choice.
 */
#define SYC_TICK_SIGNAL        SIGURG
#define SYC_TICK_SIGNAL_NAME   "SIGURG"
#define SYC_TICK_SIGNAL_SECOND SIGWINCH
/* Signal that SYSCAP_SAMPLE calls "prof" */
#define SYC_TICK_SIGNAL_PROF SIGPROF

/** Kind of the ticks' signal, if the application names no signal. */
enum syc_signals_kind {
	SYC_SIGNALS_REAL_TIME,
	/* One of the two signals above, or a real-time signal if the
	 * application uses both.  A harmless signal does not kill a process
	 * that resets all signals, such as a child between fork and exec. */
	SYC_SIGNALS_HARMLESS,
};

/**
 * Choose a signal for @clock: @wanted, if @wanted is not 0.  If @wanted is 0,
 * choose a signal of @kind (for perf events SYC_TICK_SIGNAL) that has no
 * handler.  No thread that blocks only some signals blocks the chosen signal,
 * because the thread might wait with sigwait() or a signalfd.
 *
 * Returns the signal, or -EINVAL, -EBUSY.  Context: signal-safe.
 */
int syc_signals_choose(uint32_t clock, int wanted, enum syc_signals_kind kind,
                       struct syc_thread_list *tasks);

/** Never choose a signal of the set @signals, which the application uses, in
 * this process and its children.  Context: any-thread, signal-safe. */
void syc_signals_give_up(uint64_t signals);

/** Return whether the default action ignores @signal, and @signal may be
 * chosen. */
bool syc_signals_is_harmless(int signal);

/**
 * Return whether @mask has all of the signals 1 to 31: the program blocks all
 * signals, or waits for any.
 */
bool syc_signals_are_all(uint64_t mask);

/**
 * Install @handler for @signal, to be called before the present action.
 * Returns 0 or -errno.
 *
 * Context: signal-safe.
 */
int syc_signals_install(int signal, void (*handler)(int, siginfo_t *, void *));

/** Like syc_signals_install(), with the handler that was installed last for any
 * signal.  Context: signal-safe. */
int syc_signals_install_again(int signal);

/** If @signal has the library's handler and is harmless, restore its action,
 * and drop a pending signal.  Context: signal-safe; no tick uses @signal. */
void syc_signals_uninstall(int signal);

/** Return whether @signal has the library's handler, which the application may
 * have replaced. */
bool syc_signals_is_installed(int signal);

/** Replace @action of @signal by the previous action, if @action is the
 * library's handler.  Context: any-thread, signal-safe. */
void syc_signals_unveil(int signal, struct sigaction *action);

/**
 * Pass a signal to the action that the signal would have without this library.
 *
 * Context: within the handler, as its last act; signal-safe.
 */
void syc_signals_pass_on(int signal, siginfo_t *info, void *context);

#endif
