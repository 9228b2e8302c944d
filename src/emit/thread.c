/* SPDX-License-Identifier: BSD-2-Clause */
/* thread.c - which state a thread has, and how its end is noticed. */
#define _GNU_SOURCE
#include "emit/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include "emit/ring_source.h"
#include "emit/thread_leave.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/threads.h"

/* pthread_setspecific() allocates for keys from here on (glibc, musl: 128
 * keys and never): a handler must not. */
#define FIRST_ALLOCATING_KEY 32

/* How often the bounds of one thread's stack are looked for.  They are not
 * found from another stack, that of a fibre or of a handler. */
#define STACK_LOOKS 8

struct syc_state *syc_states;
__thread struct syc_thread *syc_self
	__attribute__((tls_model(SYSCAP_TLS_MODEL)));

static bool have_exit_key(pthread_key_t *ret_key)
{
	const uint32_t key = syc_block->exit_key;

	*ret_key = (pthread_key_t)(key - 1);
	return key != 0 && key - 1 < FIRST_ALLOCATING_KEY;
}

bool syc_thread_watch(struct syc_state *ts)
{
	pthread_key_t key;

	return have_exit_key(&key) && pthread_setspecific(key, ts) == 0;
}

struct syc_state *syc_thread_watched(void)
{
	pthread_key_t key;

	void *const state =
		have_exit_key(&key) ? pthread_getspecific(key) : NULL;
	const uintptr_t offset = (uintptr_t)state - (uintptr_t)syc_states;

	/* A second C library in the process counts its keys as ours does, and
	 * threads have one place for a number */
	return offset < SYC_THREADS_MAX * sizeof(struct syc_state) ? state
	                                                           : NULL;
}

struct syc_state *syc_thread_of_self(void)
{
	struct syc_state *const watched = syc_thread_watched();

	if (watched != NULL)
		return watched;
	return syc_self != NULL ? syc_state_of(syc_self) : NULL;
}

bool syc_thread_has_ended(void)
{
	return syc_self != NULL &&
	       __atomic_load_n(&syc_state_of(syc_self)->phase,
	                       __ATOMIC_ACQUIRE) == SYC_STATE_DEAD;
}

SYC_COLD void syc_thread_look_for_stack(struct syc_state *ts, uintptr_t addr)
{
	uintptr_t low, high;

	if (ts->n_stack_looks == STACK_LOOKS)
		return;
	ts->n_stack_looks++;
	if (syc_stack_bounds_around(addr, &low, &high)) {
		ts->stack_low = low;
		SYC_SIGNAL_FENCE();
		ts->stack_high = high;
	}
}

bool syc_thread_take_phase(struct syc_state *ts, uint32_t from)
{
	return __atomic_compare_exchange_n(&ts->phase, &from, SYC_STATE_BUSY,
	                                   false, __ATOMIC_ACQUIRE,
	                                   __ATOMIC_RELAXED);
}

int32_t syc_cpu_slow(void)
{
	return sched_getcpu();
}

static void note_thread_ends(void)
{
	for (int i = 0; i < SYC_N_SOURCES; i++)
		if (syc_ring_sources[i] != NULL &&
		    syc_ring_sources[i]->poke != NULL)
			syc_ring_sources[i]->poke(false);
}

void syc_thread_leave_for_good(void *state)
{
	struct syc_state *const ts = state;
	const int saved = errno;
	struct syc_undisturbed before;

	if (syc_seccomp_is_closed()) /* the recorder sees that it is gone */
		return;
	syc_undisturbed_begin(&before);
	/* A child that was forked here and has not emitted since has another
	 * tid */
	if (ts->tid == gettid() && syc_thread_take_phase(ts, SYC_STATE_ALIVE)) {
		syc_thread_leave_ring(ts);
		/* All copies still point here: their next event comes by */
		__atomic_store_n(&ts->hot.epoch, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&ts->phase, SYC_STATE_DEAD, __ATOMIC_RELEASE);
		note_thread_ends();
	}
	syc_undisturbed_end(&before);
	errno = saved;
}
