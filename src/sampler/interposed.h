/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interposed.h - calls to the sampler from an interposer, which wraps functions
 * of the C library.  The preloaded library is an interposer.
 *
 * If an interposer reports new threads, no thread has to search for new
 * threads.  If the interposer reports that the application will use the ticks'
 * signal, the sampler gives the signal up before another tick arrives.  Raw
 * system calls are not reported.
 *
 * An interposer announces itself before sampling begins
 * (syc_unwatched_prefer()).  A program that is linked with the sampler has the
 * watcher or the scout (thread_scan.h) instead.
 *
 * Threads that an interposer reports make their own timers, and delete their
 * timers at their end.  A slot keeps the arguments of pthread_create().  The
 * thread begins in library code, which takes the arguments from the slot, makes
 * the timer and jumps to the start function.  So the application's function is
 * the outermost frame, as without the library.  A scan finds threads without a
 * slot, and threads that ended unnoticed.
 */
#ifndef SYC_SAMPLER_INTERPOSED_H
#define SYC_SAMPLER_INTERPOSED_H

#include <signal.h>
#include <stdbool.h>

/**
 * Notify the sampler that the application is about to make a thread, which
 * makes its own timer.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_thread(void);

/** A filter of system calls. */
struct syc_interposed_filter {
	bool ends_own; /* the filter forbids the calling thread's ticks */
	bool ends_all; /* the filter forbids all threads' ticks, or no other
	                * thread exists */
	/* No other filter may forbid the calls that end ticks */
	bool is_free;
};

/**
 * Notify the sampler that the application is about to install @filter, at least
 * for the calling thread.  After this call the sampler makes no system call
 * that a filter may forbid.  New threads, threads without a tick yet, and
 * children are not sampled.  A thread whose ticks @filter forbids gets no more
 * ticks.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_filter(struct syc_interposed_filter *filter);

/** Notify the sampler that the kernel has refused @filter.  Sampling continues
 * as before, unless another filter was installed.  Context: any-thread,
 * signal-safe. */
void syc_interposed_on_refusal(struct syc_interposed_filter *filter);

/**
 * Notify the sampler that the calling thread is about to get an alternate
 * stack.  @is_cramped: whether the stack may be too small for a tick.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_room(bool is_cramped);

/** Notify the sampler that the calling thread is about to change its signal
 * mask, perhaps to fewer signals.  Context: any-thread, signal-safe. */
void syc_interposed_on_unblock(void);

/** Notify the sampler that the calling thread is about to call exec, which may
 * fail.  Context: any-thread, signal-safe. */
void syc_interposed_on_exec(void);

/** Notify the sampler that the program has closed a library.  Context: setup;
 * any thread. */
void syc_interposed_on_unload(void);

/**
 * Notify the sampler that the application is about to handle @signal, except by
 * SIG_DFL or SIG_IGN.  If ticks use @signal, the sampler chooses another
 * signal.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_handler(int signal);

/** Function called like syc_interposed_on_handler() if other timers use the
 * ticks' signal, and called with 0 before a filter.  The pointer may be
 * NULL. */
extern void (*syc_interposed_others)(int signal);
/** Signal of the other timers if the sampler is off, or 0. */
extern int syc_interposed_signal;

/**
 * Notify the sampler that the application has given @signal its default action,
 * or ignores @signal.  If ticks use @signal, and @signal is harmless, the
 * library's handler is installed again, and stays hidden.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_reset(int signal);

/**
 * Notify the sampler that the C library returns @action for @signal to the
 * application.  If @action is the library's handler, replace @action by the
 * action that the handler hides.  Programs restore the action that they found,
 * and some programs can't represent a foreign handler.  Signals that would kill
 * when they are reset to SIG_DFL are excluded.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_query(int signal, struct sigaction *action);

/**
 * The action of crashes.  sa_sigaction is NULL before syscap_catch_crashes().  An
 * interposer shows SIG_DFL in place of this action, and installs this action in
 * place of SIG_DFL.
 */
extern struct sigaction syc_crash_action;

/**
 * Notify the sampler that the application is about to wait for @set.  Returns
 * @set, or, if @set has all signals, @copy, which lacks the ticks' signal.
 *
 * If the ticks' signal changes during the wait, the wait may return a tick.  In
 * this case syc_interposed_is_tick() is true for the result, and the caller
 * must wait for @set again.  Interposers also report each new signalfd.
 *
 * Context: any-thread, signal-safe.
 */
const sigset_t *syc_interposed_on_wait(const sigset_t *set, sigset_t *copy);
bool syc_interposed_is_tick(const siginfo_t *info);
void syc_interposed_on_signalfd(int fd, const sigset_t *set);

/** A thread's start function, and its argument. */
struct syc_thread_start {
	void *(*run)(void *);
	void *arg;
};

/** Begin to notice the ends of threads.  Context: setup, before sampling
 * begins. */
void syc_thread_start_begin(void);

/**
 * The caller is about to make a thread that begins with @birth: replace @birth
 * by library code.  Returns false, without a change, if sampling is off or no
 * slot is free.  @is_cramped: whether the thread's stack is too small for
 * ticks, so that the thread gets no ticks.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_thread_start_prepare(struct syc_thread_start *birth, bool is_cramped);

/** Undo a preparation, after a failure to make the thread.  any-thread,
 * signal-safe. */
void syc_thread_start_cancel(const struct syc_thread_start *birth);

#endif
