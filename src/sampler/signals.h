/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals.h - the ticks' signals: their choice, and those that others send.
 *
 * Our handler stays for good.  A tick may be pending when sampling stops, and
 * the default action of most signals ends the process.  The previous action
 * gets every other signal, with its mask and its flags, but on the alternate
 * stack if there is one.
 */
#ifndef SYC_SAMPLER_SIGNALS_H
#define SYC_SAMPLER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct syc_thread_list;

/** Kind of the signal of a timer's ticks, if none was named. */
enum syc_signals_kind {
	SYC_SIGNALS_REAL_TIME,
	/* SIGURG, or SIGWINCH, which are ignored by default.  So a tick does
	 * not kill a process that resets all signals, such as a child between
	 * fork and exec.  A real-time one if the application uses both. */
	SYC_SIGNALS_HARMLESS,
};

/**
 * A signal for @clock; @wanted if it is not 0.  Otherwise one of @kind (for
 * perf events SIGURG) that has no handler.  No thread blocks it by itself, as
 * it may wait for it with sigwait() or a signalfd.
 *
 * Returns it, or -EINVAL, -EBUSY.  Context: signal-safe.
 */
int syc_signals_choose(uint32_t clock, int wanted, enum syc_signals_kind kind,
                       struct syc_thread_list *tasks);

/** The application uses the signals in the set @signals: they are not chosen
 * any more, nor in children.  Context: any-thread, signal-safe. */
void syc_signals_give_up(uint64_t signals);

/** Whether @signal is one that is ignored by default, and may be chosen. */
bool syc_signals_is_harmless(int signal);

/**
 * Whether @mask, of which signals 1 to 31 count, means all signals: a program
 * blocks them, or waits for any.
 */
bool syc_signals_are_all(uint64_t mask);

/**
 * Have @handler called for @signal, before what there is.  0 or -errno.
 *
 * Context: signal-safe.
 */
int syc_signals_install(int signal, void (*handler)(int, siginfo_t *, void *));

/** The same with the handler that was installed last, for @signal or another.
 * Context: signal-safe. */
int syc_signals_install_again(int signal);

/** If our handler has @signal and it is harmless, restore its action, and drop
 * a pending one.  Context: signal-safe; no tick comes by it. */
void syc_signals_uninstall(int signal);

/** False: the application has replaced our handler. */
bool syc_signals_is_installed(int signal);

/** If @action of @signal is ours, replace it by the one that was there before. 
 * Context: any-thread, signal-safe. */
void syc_signals_unveil(int signal, struct sigaction *action);

/**
 * Pass a signal to the action that it would have without us.
 *
 * Context: within the handler, as its last act; signal-safe.
 */
void syc_signals_pass_on(int signal, siginfo_t *info, void *context);

#endif
