/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tick_watch.c - a library that tests preload.  The library counts forbidden
 * calls in handlers of ticks: allocate, free and lock.
 * At the end of the process, the library writes a line to stderr, or to the
 * file of TICK_WATCH_TO:
 *
 *	handled N allocated N freed N locked N
 *
 * With TICK_WATCH_BITES each handler allocates once, to test the counting.
 *
 * This library replaces sigaction() to wrap each handler.
 * The linked file tests/harness/pure.c counts the calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/pure.h"
#include "sampler/tick_signal.h"

static unsigned long n_handled;
static int bites;

/* ----------------------------------------------------------- the handlers */

typedef void handler_function(int signal, siginfo_t *info, void *context);
typedef int sigaction_function(int signal, const struct sigaction *action,
                               struct sigaction *before);

static handler_function *handlers[65];

static void on_signal(int signal, siginfo_t *info, void *context)
{
	pure_begin();
	__atomic_fetch_add(&n_handled, 1, __ATOMIC_RELAXED);
	if (bites) {
		/* Fails before any lock, as the handler may have interrupted an
		 * allocation */
		const volatile size_t impossible = SIZE_MAX;
		const int before = errno;
		void *volatile const memory = malloc(impossible);
		free(memory);
		errno = before;
	}
	handlers[signal](signal, info, context);
	pure_end();
}

/* Replaces the C library's function.  Callers get the handler that was set, not
 * the wrapper. */
__attribute__((visibility("default"))) int
sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
	static sigaction_function *real;
	struct sigaction ours;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "sigaction");
	handler_function *const old =
		signal > 0 && signal < 65 ? handlers[signal] : NULL;
	const bool may_be_ticks = signal == SYC_TICK_SIGNAL ||
	                          (signal >= SIGRTMIN && signal < 65);
	if (action != NULL && may_be_ticks &&
	    (action->sa_flags & SA_SIGINFO) != 0) {
		ours = *action;
		handlers[signal] = action->sa_sigaction;
		ours.sa_sigaction = on_signal;
		action = &ours;
	}
	const int r = real(signal, action, before);
	if (r == 0 && before != NULL && before->sa_sigaction == on_signal)
		before->sa_sigaction = old;
	return r;
}

/* ------------------------------------------------------- test of the counts */

__attribute__((constructor)) static void count_ourselves(void)
{
	if (!pure_can_count())
		_exit(99);
	bites = getenv("TICK_WATCH_BITES") != NULL;
}

__attribute__((destructor)) static void tell(void)
{
	const char *const to = getenv("TICK_WATCH_TO");
	const struct pure_counts counts = pure_get();
	char line[160];
	const int n = snprintf(
		line, sizeof(line),
		"handled %lu allocated %lu freed %lu locked %lu\n", n_handled,
		counts.n_allocated, counts.n_freed, counts.n_locked);
	int fd = 2;

	if (n_handled == 0)
		/* This library is also preloaded in the recorder, which handles
		 * no signal */
		return;
	if (to != NULL)
		fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (write(fd, line, (size_t)n) != n)
		_exit(98);
}
