/* SPDX-License-Identifier: BSD-2-Clause */
/* toggle.c - sampling that a signal begins and ends. */
#define _GNU_SOURCE
#include "sample/toggle.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "os/futex.h"
#include "os/thread_list.h"
#include "os/threads.h"
#include "sample/sampler.h"
#include "sample/state.h"

/* How often it looks whether there is still somebody to wait for */
#define LOOK_NS (INT64_C(2) * 1000000000)

static uint32_t n_signals; /* a futex: handlers add, the thread reads */
static struct syscap_sampler_options wanted;

static void count_signal(int signal)
{
	const int saved = errno;

	(void)signal;
	__atomic_add_fetch(&n_signals, 1, __ATOMIC_RELEASE);
	syc_futex_wake(&n_signals);
	errno = saved;
}

static void *run_toggle(void *nothing)
{
	static struct syc_thread_list tasks;
	struct syscap_sampler_options options;
	uint32_t done = 0;

	(void)nothing;
	syc_library_thread_begin(SYC_THREAD_TOGGLE);
	for (;;) {
		const uint32_t n =
			__atomic_load_n(&n_signals, __ATOMIC_ACQUIRE);

		if (n == done) {
			syc_futex_wait(&n_signals, n, LOOK_NS);
			if (!syc_thread_list_has_others(&tasks))
				return NULL;
			continue;
		}
		done++;
		if (syc_sampler_end() == 0)
			continue;
		options = wanted;
		syc_sampler_begin(&options, true);
	}
	return NULL;
}

const char *syc_toggle_install(int signal,
                               const struct syscap_sampler_options *options)
{
	struct sigaction now, action;

	if (signal == SIGKILL || signal == SIGSTOP ||
	    sigaction(signal, NULL, &now) != 0)
		return "SYSCAP_TOGGLE_SIGNAL: no handler can have that signal";
	if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL)
		return "SYSCAP_TOGGLE_SIGNAL: the program uses that signal";
	wanted = *options;
	if (syc_library_thread_make(run_toggle, NULL) != 0)
		return "no thread could be made to wait for it";
	memset(&action, 0, sizeof(action));
	action.sa_handler = count_signal;
	action.sa_flags = SA_RESTART | SA_ONSTACK;
	sigaction(signal, &action, NULL);
	return NULL;
}
