/* SPDX-License-Identifier: BSD-2-Clause */
/* toggle.c - sampling that a signal begins and ends. */
#define _GNU_SOURCE
#include "sample/toggle.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "os/diag.h"
#include "os/own_thread.h"
#include "sample/sampler.h"
#include "sample/state.h"
#include "sample/task.h"

/* How often it looks whether there is still somebody to wait for */
#define LOOK_NS    (INT64_C(2) * 1000000000)
#define STACK_SIZE ((size_t)256 * 1024)

static uint32_t n_signals; /* a futex: handlers add, the thread reads */
static struct syscap_sampler_options wanted;

static void count(int signal)
{
	const int saved = errno;

	(void)signal;
	__atomic_add_fetch(&n_signals, 1, __ATOMIC_RELEASE);
	syc_state_wake(&n_signals);
	errno = saved;
}

static void *run(void *nothing)
{
	static struct syc_tasks tasks;
	struct syscap_sampler_options options;
	uint32_t done = 0;

	(void)nothing;
	prctl(PR_SET_NAME, SYC_THREAD_TOGGLE);
	for (;;) {
		const uint32_t n =
			__atomic_load_n(&n_signals, __ATOMIC_ACQUIRE);

		if (n == done) {
			syc_state_wait(&n_signals, n, LOOK_NS);
			if (!syc_task_others_live(&tasks))
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
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;

	if (signal == SIGKILL || signal == SIGSTOP ||
	    sigaction(signal, NULL, &now) != 0)
		return "SYSCAP_TOGGLE_SIGNAL: no handler can have that signal";
	if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL)
		return "SYSCAP_TOGGLE_SIGNAL: the program uses that signal";
	wanted = *options;
	if (pthread_attr_init(&attr) != 0)
		return "no memory";
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	const int r = pthread_create(&thread, &attr, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (r != 0)
		return "no thread could be made to wait for it";
	memset(&action, 0, sizeof(action));
	action.sa_handler = count;
	action.sa_flags = SA_RESTART | SA_ONSTACK;
	sigaction(signal, &action, NULL);
	return NULL;
}
