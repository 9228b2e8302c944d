/* SPDX-License-Identifier: BSD-2-Clause */
/* told.c - what the sampler is told of by who stands in between. */
#define _GNU_SOURCE
#include "sampler/told.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sampler/signals.h"
#include "sampler/state.h"
#include "sampler/tick.h"
#include "sampler/watch.h"

#define WAIT_NS (INT64_C(10) * 1000000) /* for another thread's look */

static bool is_on;

void sc_told_begin(void)
{
	is_on = true;
}

bool sc_told_is_on(void)
{
	return is_on;
}

/* Not in a vfork() child, whose actions are its own and whose memory is not. */
static bool is_sampled_by(const struct sc_sampler *s, int signal)
{
	return s != NULL &&
	       __atomic_load_n(&s->signal, __ATOMIC_RELAXED) == signal &&
	       __atomic_load_n(&s->is_on, __ATOMIC_RELAXED) != 0 &&
	       __atomic_load_n(&s->pid, __ATOMIC_RELAXED) == getpid();
}

void sc_told_of_handler(int signal)
{
	struct sc_sampler *const s = sc_sampler;
	const int saved = errno;
	sigset_t all, before;

	if (is_sampled_by(s, signal) &&
	    __atomic_load_n(&s->watcher, __ATOMIC_RELAXED) ==
	            SC_WATCHER_LATER) {
		sc_signals_fill(&all);
		pthread_sigmask(SIG_BLOCK, &all, &before);
		if (sc_state_take(&sc_sampler->life, WAIT_NS)) {
			if (s->watcher == SC_WATCHER_LATER)
				sc_watch_change_signal();
			sc_state_give(&sc_sampler->life);
		}
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	errno = saved;
}

void sc_told_of_reset(int signal)
{
	const int saved = errno;

	if (signal == SIGURG && is_sampled_by(sc_sampler, signal))
		sc_signals_install(signal, sc_tick_handle);
	errno = saved;
}

void sc_told_of_look(int signal, struct sigaction *action)
{
	if (signal == SIGURG)
		sc_signals_unveil(signal, action);
}

const sigset_t *sc_told_of_wait(const sigset_t *set, sigset_t *copy)
{
	const struct sc_sampler *const s = sc_sampler;
	uint64_t mask;

	if (s == NULL || set == NULL)
		return set;
	const int signal = __atomic_load_n(&s->signal, __ATOMIC_RELAXED);
	memcpy(&mask, set, sizeof(mask));
	if (signal == 0 || (mask >> (signal - 1) & 1) == 0 ||
	    !is_sampled_by(s, signal))
		return set;
	if (!sc_signals_are_all(mask)) {
		sc_told_of_handler(signal);
		return set;
	}
	mask &= ~(UINT64_C(1) << (signal - 1));
	*copy = *set;
	memcpy(copy, &mask, sizeof(mask));
	return copy;
}
