/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interposed.h - calls from an interposer, which stands between the application
 * and the C library, to the sampler.  The preloaded library is one.
 *
 * If an interposer reports new threads, no thread has to look for them.  If it
 * reports that the application will use the ticks' signal, the sampler leaves
 * it to the application before a tick arrives by it.  Raw system calls are not
 * reported.
 *
 * An interposer announces itself before sampling begins
 * (syc_unwatched_prefer()). A program that is linked with the sampler has none:
 * there the watcher or the scout works (scan.h).
 *
 * Threads that an interposer reports make their own timers, and delete them as
 * they end.  A slot keeps the arguments of pthread_create().  The thread begins
 * in our code, which takes them out, makes the timer and jumps to the start
 * function.  So the application's function is the outermost one, as without us.
 * A scan finds threads that found no slot, and threads that ended unseen.
 */
#ifndef SYC_SAMPLER_INTERPOSED_H
#define SYC_SAMPLER_INTERPOSED_H

#include <signal.h>
#include <stdbool.h>

/**
 * The application is about to make a thread, which makes its own timer.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_thread(void);

/** A filter of system calls. */
struct syc_interposed_filter {
	bool ends_own; /* it forbids the calling thread's ticks */
	bool ends_all; /* and those of all threads; or there is no other one */
	/* No other filter may forbid the calls that end ticks */
	bool is_free;
};

/**
 * @filter is about to be installed, at least for the calling thread.  From now
 * on the sampler makes no call that may be forbidden.  New threads, threads
 * without a tick yet, and children are not sampled.  A thread whose ticks it
 * forbids gets no more.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_filter(struct syc_interposed_filter *filter);

/** The kernel has refused @filter: all goes on as before, unless another one
 * came.  Context: any-thread, signal-safe. */
void syc_interposed_on_refusal(struct syc_interposed_filter *filter);

/**
 * The calling thread is about to get an alternate stack.  @is_cramped: a tick
 * may not fit on it; otherwise the thread can be sampled.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_room(bool is_cramped);

/** The calling thread is about to change its signal mask, perhaps to fewer.
 * Context: any-thread, signal-safe. */
void syc_interposed_on_unblock(void);

/** The calling thread is about to make another program of this process, which
 * may fail.  Context: any-thread, signal-safe. */
void syc_interposed_on_exec(void);

/** The program has closed a library.  Context: setup; any thread. */
void syc_interposed_on_unload(void);

/**
 * The application is about to handle @signal; SIG_DFL and SIG_IGN don't count.
 * If ticks use it, the sampler chooses another one.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_handler(int signal);

/** Called too, by users of other timers with the ticks' signal; with 0 before a
 * filter.  May be NULL. */
extern void (*syc_interposed_others)(int signal);
/** Their signal if nothing is sampled, or 0. */
extern int syc_interposed_signal;

/**
 * The application has given @signal its default action, or ignores it.  If
 * ticks use it and it is harmless, our handler is installed again, and still
 * hidden.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_reset(int signal);

/**
 * The C library has returned @action for @signal to the application.  If that
 * is our handler, replace it by the action that it hides.  Programs restore the
 * action that they found, and some can't name a foreign handler.  Signals that
 * would kill when they are reset to SIG_DFL are excluded.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_query(int signal, struct sigaction *action);

/**
 * The application is about to wait for @set.  Returns @set, or @copy: a @set of
 * all signals without the ticks' signal.
 *
 * A waiter with @copy may get a tick if the ticks' signal has changed since.
 * Then syc_interposed_is_tick() is true of its result, and it has to wait for
 * @set again.  A new signalfd is reported.
 *
 * Context: any-thread, signal-safe.
 */
const sigset_t *syc_interposed_on_wait(const sigset_t *set, sigset_t *copy);
bool syc_interposed_is_tick(const siginfo_t *info);
void syc_interposed_on_signalfd(int fd, const sigset_t *set);

/** The function that a thread begins with, and its argument. */
struct syc_thread_start {
	void *(*run)(void *);
	void *arg;
};

/** Threads that end will say so.  Context: setup, before sampling begins. */
void syc_thread_start_begin(void);

/**
 * A thread is about to be made that begins with @birth: now that is to be our
 * code.  False: nothing changed; nobody samples, or there is no room.  One
 * that @is_cramped on its stack is to have no ticks.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_thread_start_prepare(struct syc_thread_start *birth, bool is_cramped);

/** Undo a preparation: the thread was not made.  any-thread, signal-safe. */
void syc_thread_start_cancel(const struct syc_thread_start *birth);

#endif
