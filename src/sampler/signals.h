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
#ifndef SYC_SAMPLER_SIGNALS_H
#define SYC_SAMPLER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct syc_thread_list;

/** Which one a timer's ticks come by where nobody named one. */
enum syc_signals_kind {
	SYC_SIGNALS_REAL_TIME,
	/* SIGURG, or SIGWINCH, which are ignored by default: who resets all
	 * signals, such as a child between fork and exec, is not killed by a
	 * tick.  A real-time one where the program has a use for both. */
	SYC_SIGNALS_HARMLESS,
};

/**
 * A signal for @clock; @wanted if it is not 0.  Else one of @kind (for perf
 * events SIGURG) that nobody handles and that no thread blocks by itself, for
 * it may be waited for with sigwait() or a signalfd.
 *
 * Returns it, or -EINVAL, -EBUSY.  Context: signal-safe.
 */
int syc_signals_choose(uint32_t clock, int wanted, enum syc_signals_kind kind,
                       struct syc_thread_list *tasks);

/** The program has a use for each in the set @signals: they are not chosen any
 * more, nor in children.  Context: any-thread, signal-safe. */
void syc_signals_give_up(uint64_t signals);

/** Whether @signal is one that is ignored by default, and may be chosen. */
bool syc_signals_is_harmless(int signal);

/**
 * Whether @mask, of which signals 1 to 31 count, is that of a program that
 * means all signals: to be left alone, or to wait for whatever comes.
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

/** Where @signal is ours and harmless: it has the action it had before, and
 * none is pending any more.  Context: signal-safe; no tick comes by it. */
void syc_signals_uninstall(int signal);

/** False: the program has put a handler of its own in place of ours. */
bool syc_signals_is_installed(int signal);

/** If @action of @signal is ours, replace it by the one that was there before. 
 * Context: any-thread, signal-safe. */
void syc_signals_unveil(int signal, struct sigaction *action);

/**
 * Do with a signal what would have been done without us.
 *
 * Context: within the handler, as its last act; signal-safe.
 */
void syc_signals_pass_on(int signal, siginfo_t *info, void *context);

#endif
