/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spidermonkey_watch.c - a handler around the sampler's handler, and checks of
 * the frames that the provider pushes (spidermonkey_watch.h).
 *
 * The linker redirects calls of sigaction(), syscap_stack_push() and
 * syscap_stack_scratch() to this file (--wrap).  The engine's library also uses
 * the counting allocator and locks of tests/harness/pure.c.
 */
#define _GNU_SOURCE
#include "spidermonkey_watch.h"

#include <signal.h>
#include <stdio.h>

#include <syscap/runtime.h>

#include "harness/pure.h"
#include "sampler/tick_signal.h"

static unsigned long n_handled, n_walks, n_disorder;
static unsigned long deepest;
static struct sigaction wrapped[65];

/* ------------------------------------------------------------ the handler */

int __real_sigaction(int number, const struct sigaction *action,
                     struct sigaction *old);
int __wrap_sigaction(int number, const struct sigaction *action,
                     struct sigaction *old);

static void on_signal(int number, siginfo_t *info, void *context)
{
	pure_begin();
	__atomic_fetch_add(&n_handled, 1, __ATOMIC_RELAXED);
	wrapped[number].sa_sigaction(number, info, context);
	pure_end();
}

/* Callers get the handler that they have set. */
int __wrap_sigaction(int number, const struct sigaction *action,
                     struct sigaction *old)
{
	const struct sigaction before = wrapped[number];
	struct sigaction ours;

	if (number < SIGRTMIN && number != SYC_TICK_SIGNAL)
		return __real_sigaction(number, action, old);
	if (action != NULL) {
		ours = *action;
		if ((action->sa_flags & SA_SIGINFO) != 0) {
			wrapped[number] = *action;
			ours.sa_sigaction = on_signal;
		}
	}
	const int r =
		__real_sigaction(number, action != NULL ? &ours : NULL, old);
	if (r == 0 && old != NULL && old->sa_sigaction == on_signal)
		old->sa_sigaction = before.sa_sigaction;
	return r;
}

/* ---------------------------------------------------------------- the walk */

static unsigned long depth;
static uintptr_t last_sp;

int __real_syscap_stack_push(struct syscap_stack_sink *sink,
                             const struct syscap_stack_frame *frame);
int __wrap_syscap_stack_push(struct syscap_stack_sink *sink,
                             const struct syscap_stack_frame *frame);
void *__real_syscap_stack_scratch(struct syscap_stack_sink *sink, size_t *size);
void *__wrap_syscap_stack_scratch(struct syscap_stack_sink *sink, size_t *size);

/* A walk begins with this call. */
void *__wrap_syscap_stack_scratch(struct syscap_stack_sink *sink, size_t *size)
{
	depth = 0;
	last_sp = 0;
	return __real_syscap_stack_scratch(sink, size);
}

int __wrap_syscap_stack_push(struct syscap_stack_sink *sink,
                             const struct syscap_stack_frame *frame)
{
	n_walks += depth == 0;
	n_disorder += frame->sp < last_sp;
	last_sp = frame->sp;
	if (++depth > deepest)
		deepest = depth;
	return __real_syscap_stack_push(sink, frame);
}

void spidermonkey_watch_report(void)
{
	const struct pure_counts counts = pure_get();

	printf("handled %lu\nwalks %lu\ndisorder %lu\ndeepest %lu\n", n_handled,
	       n_walks, n_disorder, deepest);
	printf("allocations %lu\nlocks %lu\nwatched %d\n",
	       counts.n_allocated + counts.n_freed, counts.n_locked,
	       pure_can_count());
}
