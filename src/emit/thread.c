/* SPDX-License-Identifier: BSD-2-Clause */
/* thread.c - the state of a thread: its first event, its clock, and its end. */
#define _GNU_SOURCE
#include "emit/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "copies/copies.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"

/* First key for which glibc's pthread_setspecific() allocates.  A handler must
 * not allocate.  musl has 128 keys and never allocates. */
#define FIRST_ALLOCATING_KEY 32

/* Maximum number of lookups of one thread's stack bounds.  A lookup fails on
 * the stack of a fibre or a handler. */
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

	/* A second C library in the process may use the same key, and each
	 * thread has one slot for each key */
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

	if (syc_seccomp_is_closed()) /* the recorder notices the end */
		return;
	syc_undisturbed_begin(&before);
	/* A child that this thread forked, and that has not emitted yet, has
	 * another tid */
	if (ts->tid == gettid() && syc_thread_take_phase(ts, SYC_STATE_ALIVE)) {
		syc_thread_leave_ring(ts);
		/* All copies still point to this state, so epoch 0 sends their
		 * next event to syc_thread_first() */
		__atomic_store_n(&ts->hot.epoch, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&ts->phase, SYC_STATE_DEAD, __ATOMIC_RELEASE);
		note_thread_ends();
	}
	syc_undisturbed_end(&before);
	errno = saved;
}

/* Age after which an unfinished rebase counts as abandoned. */
#define REBASE_STALE_NS INT64_C(100000000)

/* Check whether the rings of a session are due for a transfer.  The end of this
 * event makes the transfer. */
static void look_at_spill_time(int64_t now)
{
	const int64_t at =
		__atomic_load_n(&syc_process->spill_at, __ATOMIC_RELAXED);

	if (SYC_UNLIKELY(at != 0 && now >= at))
		__atomic_store_n(&syc_look_due, 1, __ATOMIC_RELAXED);
}

static int64_t return_kernel(struct syc_thread *st, int64_t now)
{
	if (now > st->last_ns)
		st->last_ns = now;
	return st->last_ns;
}

SYC_COLD int64_t syc_clock_slow(struct syc_thread *st)
{
	/* getauxval(), which finds the vDSO, sets errno, and thread-local
	 * storage may not exist yet */
	if (__atomic_load_n(&syc_active, __ATOMIC_RELAXED) == SYC_NOT_LOOKED)
		return syc_kernel_clock_call(CLOCK_MONOTONIC);
	const int64_t now = syc_clock_kernel();
	struct syc_state *const ts = st != NULL ? syc_state_of(st) : NULL;

	if (ts == NULL)
		return now;
	look_at_spill_time(now);
	/* Every event calls this function.  A locked instruction would wait for
	 * the stores into the ring */
	if (!syc_clock_is_tsc())
		return return_kernel(st, now);
	const uint32_t call =
		__atomic_add_fetch(&ts->n_clock_calls, 1, __ATOMIC_RELAXED);
	/* Return the kernel's time if a handler interrupted a rebase of this
	 * thread */
	if (ts->rebasing_since != 0 &&
	    now - ts->rebasing_since < REBASE_STALE_NS)
		return return_kernel(st, now);
	ts->rebasing_since = now;
	const uint32_t error = syc_clock_error();
	SYC_SIGNAL_FENCE();
	int64_t time_ns = syc_clock_rebase(st);
	SYC_SIGNAL_FENCE();
	if (__atomic_load_n(&ts->n_clock_calls, __ATOMIC_RELAXED) != call) {
		/* The base may be older than a time that a handler returned.
		 * A window of 0 makes the next call compute a new base */
		st->window = 0;
		time_ns = syc_clock_kernel();
		if (time_ns < st->last_ns)
			time_ns = st->last_ns;
		st->last_ns = time_ns;
		SYC_SIGNAL_FENCE();
	}
	ts->rebasing_since = 0;
	/* The announcement is a nested emit, like an emit of a handler at this
	 * point */
	if (SYC_UNLIKELY(syc_clock_error() != error) && st->body != NULL)
		syc_announce_clock_error(st);
	return time_ns;
}

SYC_COLD struct syc_thread *syc_thread_first(uint8_t type)
{
	struct syc_thread *st = NULL;
	struct syc_undisturbed before;

	/* IFUNC resolvers and functions in .preinit_array run before there is
	 * an environment or thread-local storage */
	if (__atomic_load_n(&syc_active, __ATOMIC_RELAXED) == SYC_NOT_LOOKED &&
	    (environ == NULL || !syc_thread_pointer_is_set()))
		goto nowhere;
	const int saved = errno;
	/* The filter may forbid the system calls that set up a ring */
	if (syc_seccomp_has_filter())
		goto lost;
	if (!syc_process_is_there())
		syc_setup_run();
	if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) == SYC_INIT_DEFERRED)
		syc_setup_decide();
	if (!syc_process_is_there()) {
		if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) == 0)
			goto nowhere;
		syc_undisturbed_begin(&before);
		syc_setup_join();
		syc_undisturbed_end(&before);
	}
	if (syc_active_has_attention(
		    __atomic_load_n(&syc_active, __ATOMIC_RELAXED)))
		syc_setup_look_at_attach();
	/* Acquire makes all data visible that was set up before recording
	 * began */
	if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) == 0 ||
	    !syc_process_is_there())
		goto nowhere;
	if (__atomic_load_n(&syc_active, __ATOMIC_RELAXED) < 0)
		goto lost;
	syc_undisturbed_begin(&before);
	/* The thread ends, but a later destructor emits */
	if (syc_thread_has_ended())
		syc_self = NULL;
	if (syc_self == NULL || !syc_thread_is_begun(syc_state_of(syc_self)))
		syc_thread_claim();
	if (syc_self != NULL && syc_thread_is_begun(syc_state_of(syc_self))) {
		st = syc_self;
		syc_thread_leave_epoch(syc_state_of(st));
	}
	syc_undisturbed_end(&before);
lost:
	if (st == NULL)
		syc_loss_count_stray(type, 0, syc_clock_kernel());
	errno = saved;
	return st;
nowhere:
	if (__atomic_load_n(&syc_active, __ATOMIC_RELAXED) == SYC_NOT_LOOKED)
		__atomic_fetch_add(&syc_setup_n_early, 1, __ATOMIC_RELAXED);
	return NULL;
}
