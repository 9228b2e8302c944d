/* SPDX-License-Identifier: BSD-2-Clause */
/* interposed.c - what the sampler is told of by who stands in between. */
#define _GNU_SOURCE
#include "sample/interposed.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sample/signals.h"
#include "sample/state.h"
#include "sample/unwatched.h"
#include "sample/watcher.h"

#define WAIT_NS (INT64_C(10) * 1000000) /* for another thread's look */

static bool is_on;

void syc_interposed_begin(void)
{
	is_on = true;
}

bool syc_interposed_is_on(void)
{
	return is_on;
}

/* Not in a vfork() child, whose actions are its own and whose memory is not. */
static bool is_sampled_by(const struct syc_sampler *s, int signal)
{
	return s != NULL &&
	       __atomic_load_n(&s->signal, __ATOMIC_RELAXED) == signal &&
	       __atomic_load_n(&s->is_on, __ATOMIC_RELAXED) != 0 &&
	       __atomic_load_n(&s->pid, __ATOMIC_RELAXED) == getpid();
}

void syc_interposed_on_thread(void)
{
	struct syc_sampler *const s = syc_sampler;
	const int saved = errno;
	sigset_t before;

	if (s == NULL ||
	    __atomic_load_n(&s->pid, __ATOMIC_RELAXED) != getpid() ||
	    __atomic_load_n(&s->watcher, __ATOMIC_RELAXED) != SYC_WATCHER_LATER)
		return;
	syc_signals_block(&before);
	if (!syc_unwatched_hand_over() &&
	    syc_state_take(&syc_sampler->life, WAIT_NS)) {
		if (s->watcher == SYC_WATCHER_LATER && !syc_watcher_is_boxed())
			syc_watcher_start(false);
		syc_state_give(&syc_sampler->life);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
}

void syc_interposed_on_handler(int signal)
{
	struct syc_sampler *const s = syc_sampler;
	const int saved = errno;
	sigset_t before;

	if (is_sampled_by(s, signal) &&
	    __atomic_load_n(&s->watcher, __ATOMIC_RELAXED) ==
	            SYC_WATCHER_LATER) {
		syc_signals_block(&before);
		if (syc_state_take(&syc_sampler->life, WAIT_NS)) {
			if (s->watcher == SYC_WATCHER_LATER)
				syc_unwatched_change_signal();
			syc_state_give(&syc_sampler->life);
		}
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	errno = saved;
}

void syc_interposed_on_reset(int signal)
{
	const int saved = errno;

	if (signal == SIGURG && is_sampled_by(syc_sampler, signal))
		syc_signals_install_again(signal);
	errno = saved;
}

void syc_interposed_on_query(int signal, struct sigaction *action)
{
	if (signal == SIGURG)
		syc_signals_unveil(signal, action);
}

const sigset_t *syc_interposed_on_wait(const sigset_t *set, sigset_t *copy)
{
	const struct syc_sampler *const s = syc_sampler;
	uint64_t mask;

	if (s == NULL || set == NULL)
		return set;
	const int signal = __atomic_load_n(&s->signal, __ATOMIC_RELAXED);
	memcpy(&mask, set, sizeof(mask));
	if (signal == 0 || (mask >> (signal - 1) & 1) == 0 ||
	    !is_sampled_by(s, signal))
		return set;
	if (!syc_signals_are_all(mask)) {
		syc_interposed_on_handler(signal);
		return set;
	}
	mask &= ~(UINT64_C(1) << (signal - 1));
	*copy = *set;
	memcpy(copy, &mask, sizeof(mask));
	return copy;
}
