/* SPDX-License-Identifier: BSD-2-Clause */
/* tick_signal.c - choice and installation of the ticks' signal. */
#define _GNU_SOURCE
#include "sampler/tick_signal.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap/sampler.h>

#include "os/process.h"
#include "os/signals.h"

#define N_SIGNALS 65

/* Hidden actions, which children inherit like handlers.  The library's handler
 * reads a hidden action.  So an action is stored before the library's handler
 * is installed, and later only if the library's handler was replaced. */
static struct sigaction *previous;
static void (*installed[N_SIGNALS])(int, siginfo_t *, void *);
static void (*last_handler)(int, siginfo_t *, void *);
static uint64_t given_up; /* signals that the program uses */

bool syc_signals_is_harmless(int signal)
{
	return signal == SYC_TICK_SIGNAL || signal == SYC_TICK_SIGNAL_SECOND;
}

void syc_signals_give_up(uint64_t signals)
{
	__atomic_or_fetch(&given_up, signals, __ATOMIC_RELAXED);
}

static bool is_given_up(int signal)
{
	return (__atomic_load_n(&given_up, __ATOMIC_RELAXED) &
	        syc_signal_bit(signal)) != 0;
}

static bool has_default_action(int signal)
{
	struct sigaction now;

	return sigaction(signal, NULL, &now) == 0 &&
	       (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL;
}

static bool is_handled(const struct sigaction *action)
{
	return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/* Return whether @signal has its default action, or is ignored. */
static bool is_unhandled(int signal)
{
	struct sigaction now;

	return sigaction(signal, NULL, &now) == 0 && !is_handled(&now);
}

static bool is_our_action(int signal, const struct sigaction *action)
{
	return installed[signal] != NULL &&
	       (action->sa_flags & SA_SIGINFO) != 0 &&
	       action->sa_sigaction == installed[signal];
}

bool syc_signals_is_installed(int signal)
{
	struct sigaction now;

	return installed[signal] != NULL &&
	       sigaction(signal, NULL, &now) == 0 &&
	       is_our_action(signal, &now);
}

void syc_signals_unveil(int signal, struct sigaction *action)
{
	if (__atomic_load_n(&installed[signal], __ATOMIC_ACQUIRE) != NULL &&
	    action->sa_sigaction == installed[signal])
		*action = previous[signal];
}

bool syc_signals_are_all(uint64_t mask)
{
	unsigned n = 0;

	for (mask &= UINT64_C(0x7FFFFFFF); mask != 0; mask &= mask - 1)
		n++;
	return n >= 16;
}

/* Return the candidate signals that some thread blocks.  A thread that blocks
 * all signals is not considered, because the thread only avoids handlers. */
static uint64_t blocked_by_choice(struct syc_thread_list *tasks)
{
	uint64_t blocked = 0, among = syc_signal_bit(SYC_TICK_SIGNAL) |
	                              syc_signal_bit(SYC_TICK_SIGNAL_SECOND);
	struct syc_thread_status about;
	struct syc_thread_entry task;
	for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
		among |= syc_signal_bit(s);
	/* Use a shorter check at a program's start, because most programs end
	 * soon */
	if (tasks->starter_tid == gettid() && syc_thread_list_is_single())
		return syc_signals_are_all(tasks->starter_mask)
		               ? 0
		               : tasks->starter_mask & among;
	const int dir = syc_thread_list_open();
	if (dir < 0)
		return 0;
	syc_thread_list_begin(tasks, dir);
	while (syc_thread_list_next(tasks, &task))
		if (syc_thread_list_read_mask(tasks, task.tid, &about) == 0 &&
		    (about.blocked & among) != among &&
		    !syc_signals_are_all(about.blocked))
			blocked |= about.blocked & among;
	syc_thread_list_close(dir);
	return blocked;
}

/* Choose the highest signals first.  Go's runtime handles all signals except
 * 34, which is glibc's first. */
static int choose_real_time(uint64_t blocked)
{
	for (int s = SIGRTMAX; s >= SIGRTMIN; s--)
		if (syc_signals_is_installed(s) && !is_given_up(s))
			return s;
	for (int s = SIGRTMAX; s >= SIGRTMIN; s--)
		/* Do not choose a signal that the program has taken from the
		 * sampler */
		if (installed[s] == NULL && !is_given_up(s) &&
		    has_default_action(s) && (blocked & syc_signal_bit(s)) == 0)
			return s;
	return -EBUSY;
}

/* Returns false if the program has taken @signal, or if a thread waits for
 * @signal. */
static bool is_signal_free(int signal, uint64_t blocked)
{
	return !is_given_up(signal) &&
	       (syc_signals_is_installed(signal) ||
	        (installed[signal] == NULL && is_unhandled(signal) &&
	         (blocked & syc_signal_bit(signal)) == 0));
}

static int choose_signal(enum syc_signals_kind kind,
                         struct syc_thread_list *tasks)
{
	static const int harmless[] = { SYC_TICK_SIGNAL,
		                        SYC_TICK_SIGNAL_SECOND };
	const uint64_t blocked = blocked_by_choice(tasks) |
	                         __atomic_load_n(&given_up, __ATOMIC_RELAXED);

	for (int i = 0; kind == SYC_SIGNALS_HARMLESS && i < 2; i++)
		if (is_signal_free(harmless[i], blocked))
			return harmless[i];
	return choose_real_time(blocked);
}

int syc_signals_choose(uint32_t clock, int wanted, enum syc_signals_kind kind,
                       struct syc_thread_list *tasks)
{
	const bool is_perf = clock == SYSCAP_SAMPLER_PERF;

	/* A perf event's signal may outlast an exec, so the default action must
	 * be to ignore this signal.  A real-time signal is unsuitable, too,
	 * because a full queue of real-time signals makes the kernel send
	 * SIGIO, which kills. */
	if (is_perf && wanted == 0)
		wanted = SYC_TICK_SIGNAL;
	if (wanted == 0)
		return choose_signal(kind, tasks);
	if (is_perf ? wanted != SYC_TICK_SIGNAL
	            : wanted != SYC_TICK_SIGNAL_PROF &&
	                      (wanted < SIGRTMIN || wanted > SIGRTMAX))
		return -EINVAL;
	if (syc_signals_is_installed(wanted))
		return wanted;
	if (installed[wanted] != NULL || (is_perf && !is_unhandled(wanted)))
		return -EBUSY;
	return wanted;
}

/* Several threads may reinstall the library's handler at the same time. */
int syc_signals_install(int signal, void (*handler)(int, siginfo_t *, void *))
{
	/* Block the signal of pthread_cancel(), too, until the library's
	 * handler returns */
	const uint64_t all = SYC_ALL_SIGNALS | SYC_SIGNAL_OF_CANCEL;
	struct sigaction action, before;

	last_handler = handler;
	if (syc_lazy_map_get(&previous, N_SIGNALS * sizeof(*previous)) == NULL)
		return -ENOMEM;
	if (sigaction(signal, NULL, &before) != 0)
		return -errno;
	const bool returns = installed[signal] != NULL;
	if (returns && is_handled(&before))
		return is_our_action(signal, &before) ? 0 : -EBUSY;
	if (!returns)
		previous[signal] = before;
	else /* the library's handler was reset to SIG_DFL or SIG_IGN, and may
	      * be running */
		__atomic_store_n(&previous[signal].sa_handler,
		                 before.sa_handler, __ATOMIC_RELAXED);
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	/* Block all signals, because another handler could leave the library's
	 * handler half-way, for example by siglongjmp() */
	memcpy(&action.sa_mask, &all, sizeof(all));
	__atomic_store_n(&installed[signal], handler, __ATOMIC_RELEASE);
	if (sigaction(signal, &action, &before) != 0) {
		installed[signal] = NULL;
		return -errno;
	}
	if (!returns || !is_handled(&before) || is_our_action(signal, &before))
		return 0;
	sigaction(signal, &before, NULL); /* the program has set its handler
	                                   * first */
	return -EBUSY;
}

int syc_signals_install_again(int signal)
{
	return syc_signals_install(signal, last_handler);
}

/* Remove the handler.  The kernel drops a pending signal when the new action
 * ignores the signal. */
void syc_signals_uninstall(int signal)
{
	if (syc_signals_is_harmless(signal) && syc_signals_is_installed(signal))
		sigaction(signal, &previous[signal], NULL);
}

/*
 * Act for a signal without an application handler.  The signal is pending when
 * the library's handler returns, so the process ends with the signal as its
 * status, as without the library.
 */
static void act_by_default(int signal)
{
	struct sigaction action;

	if (signal == SIGURG || signal == SIGCHLD || signal == SIGWINCH ||
	    signal == SIGCONT)
		return;
	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	sigaction(signal, &action, NULL);
	syscall(SYS_tgkill, getpid(), gettid(), signal);
}

/* Set the mask with which the kernel would have called @action. */
static void set_mask(int signal, const struct sigaction *action,
                     const ucontext_t *context)
{
	uint64_t interrupted, more;

	/* The kernel fills 64 bits of the context's set */
	memcpy(&interrupted, &context->uc_sigmask, sizeof(interrupted));
	memcpy(&more, &action->sa_mask, sizeof(more));
	interrupted |= more;
	if ((action->sa_flags & SA_NODEFER) == 0)
		interrupted |= syc_signal_bit(signal);
	syc_signal_mask(SIG_SETMASK, interrupted);
}

void syc_signals_pass_on(int signal, siginfo_t *info, void *context)
{
	struct sigaction *const p = &previous[signal];
	void (*const plain)(int) =
		__atomic_load_n(&p->sa_handler, __ATOMIC_RELAXED);

	if (plain == SIG_IGN)
		return;
	if (plain == SIG_DFL) {
		act_by_default(signal);
		return;
	}
	if ((p->sa_flags & (int)SA_RESETHAND) != 0)
		__atomic_store_n(&p->sa_handler, SIG_DFL, __ATOMIC_RELAXED);
	set_mask(signal, p, context);
	if ((p->sa_flags & SA_SIGINFO) != 0)
		((void (*)(int, siginfo_t *, void *))(uintptr_t)plain)(
			signal, info, context);
	else
		plain(signal);
}
