/* SPDX-License-Identifier: BSD-2-Clause */
/* deferred.c - handlers of the program's during which ticks wait. */
#define _GNU_SOURCE
#include "preload/deferred.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/seccomp_state.h"
#include "sample/state.h"

#define N_SIGNALS 65

/* Inherited by children, as handlers are. */
static uint8_t added_to[N_SIGNALS];
static int ours; /* 0: not known yet */

static bool is_signal(int number)
{
	return number > 0 && number < N_SIGNALS;
}

/* Before anything ticks it is taken for the one that is tried first. */
static int tick_signal(void)
{
	const struct syc_sampler *const s =
		__atomic_load_n(&syc_sampler, __ATOMIC_ACQUIRE);

	if (s != NULL && __atomic_load_n(&s->is_on, __ATOMIC_RELAXED) != 0)
		return __atomic_load_n(&s->signal, __ATOMIC_RELAXED);
	return ours != 0 ? ours : SIGURG;
}

int syc_deferred_of(int number)
{
	return is_signal(number)
	               ? __atomic_load_n(&added_to[number], __ATOMIC_RELAXED)
	               : 0;
}

const struct sigaction *syc_deferred_put(const struct sigaction *action,
                                         struct sigaction *copy, int *ret_added)
{
	const int signal = tick_signal();

	*ret_added = 0;
	if (action == NULL || (action->sa_flags & SA_ONSTACK) == 0 ||
	    action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN ||
	    sigismember(&action->sa_mask, signal) != 0)
		return action;
	*copy = *action;
	sigaddset(&copy->sa_mask, signal);
	*ret_added = signal;
	return copy;
}

void syc_deferred_note(int number, int added)
{
	if (is_signal(number))
		__atomic_store_n(&added_to[number], (uint8_t)added,
		                 __ATOMIC_RELAXED);
}

void syc_deferred_hide(struct sigaction *action, int added)
{
	if (added != 0)
		sigdelset(&action->sa_mask, added);
}

void syc_deferred_follow(int signal)
{
	struct sigaction action;
	int added;

	if (signal == 0)
		signal = tick_signal();
	if (signal == ours || syc_seccomp_has_filter())
		return;
	ours = signal;
	for (int number = 1; number < N_SIGNALS; number++) {
		const int before = syc_deferred_of(number);

		if (before == 0 || before == signal ||
		    sigaction(number, NULL, &action) != 0)
			continue;
		syc_deferred_hide(&action, before);
		const struct sigaction *const with =
			syc_deferred_put(&action, &action, &added);
		if (sigaction(number, with, NULL) == 0)
			syc_deferred_note(number, added);
	}
}
