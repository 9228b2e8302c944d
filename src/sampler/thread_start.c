/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_start.c - start and end of threads that make their own timers. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/thread.h"
#include "os/signals.h"
#include "os/threads.h"
#include "sampler/compose.h"
#include "sampler/interposed.h"
#include "sampler/machine.h"
#include "sampler/state.h"
#include "sampler/timer.h"

/* Greatest number of threads that were made and have not run yet */
#define N_SLOTS 512u

/* Greatest wait for another thread's scan (thread_scan.c), or for many
 * simultaneous new threads.  At high load the thread that holds the lock of the
 * scan round waits for a processor. */
#define WAIT_NS (INT64_C(1) * 1000000000)

/* glibc has space for the values of this many keys in each thread, and
 * allocates space for more keys */
#define KEYS_AT_HAND 32u

/* Children inherit their parent's slots without the threads.  So each slot has
 * the pid of its process. */
struct slot {
	int32_t pid; /* changed by compare-exchange; free if another pid */
	bool is_cramped;
	struct syc_thread_start birth;
};

static struct slot slots[N_SLOTS];
static uint32_t next_slot;
static pthread_key_t end_key;
static bool has_end_key;

/* First function of a new thread, called with a slot. */
void *syc_thread_start_run(void *slot);
struct syc_thread_start syc_thread_start_take(struct slot *slot);

#ifdef SYC_THREAD_START_CODE
__asm__(SYC_THREAD_START_CODE);
#else
void *syc_thread_start_run(void *slot)
{
	const struct syc_thread_start birth = syc_thread_start_take(slot);

	return birth.run(birth.arg);
}
#endif

static bool is_sampling(void)
{
	const struct syc_sampler *const s =
		__atomic_load_n(&syc_sampler, __ATOMIC_ACQUIRE);

	/* Under a filter the library makes no calls of its own */
	return s != NULL && !syc_state_has_filter(s) &&
	       __atomic_load_n(&s->is_on, __ATOMIC_RELAXED) != 0 &&
	       __atomic_load_n(&s->watcher, __ATOMIC_RELAXED) ==
	               SYC_WATCHER_LATER &&
	       __atomic_load_n(&s->pid, __ATOMIC_RELAXED) == getpid();
}

/* Store the start function as the stack of a thread without any tick
 * (syc_final_sample_emit()).  A return address is after the function's start.
 */
static void note_routine(void *(*routine)(void *))
{
	static const char text[] = "no tick came";
	struct syc_target *const t = syc_target_find(gettid());

	if (t == NULL)
		return;
	struct syc_workspace *const take = syc_target_workspace(t);
	take->addrs[0] = syscap_jit_intern(text, sizeof(text) - 1);
	take->addrs[1] = (uintptr_t)routine + 1;
	take->n_last = 2;
	take->last_flags = 0;
	__atomic_store_n(&take->last_at, syscap_clock(), __ATOMIC_RELAXED);
}

/* Run @deed while holding the lock of the scan round (`life`).  @routine is the
 * thread's start function, or NULL at the thread's end. */
static void run_in_round(void (*deed)(uint64_t blocked),
                         void *(*routine)(void *))
{
	const int saved = errno;
	struct syc_undisturbed before;

	syc_undisturbed_begin(&before);
	if (syc_state_take(&syc_sampler->life, WAIT_NS)) {
		if (syc_sampler->watcher == SYC_WATCHER_LATER &&
		    !syc_state_has_filter(syc_sampler)) {
			deed(before.mask);
			if (routine != NULL)
				note_routine(routine);
		}
		syc_tid_lock_give(&syc_sampler->life);
	}
	syc_undisturbed_end(&before);
	errno = saved;
}

__attribute__((visibility("hidden"), used)) struct syc_thread_start
syc_thread_start_take(struct slot *slot)
{
	const struct syc_thread_start birth = slot->birth;
	const bool is_cramped = slot->is_cramped;

	__atomic_store_n(&slot->pid, 0, __ATOMIC_RELEASE);
	if (is_sampling()) {
		run_in_round(is_cramped ? syc_thread_timer_begin_cramped
		                        : syc_thread_timer_begin,
		             birth.run);
		if (has_end_key)
			pthread_setspecific(end_key, slots);
	}
	return birth;
}

/*
 * Destructors of the application run in the first rounds, in which ticks come,
 * too.  So the thread's state ends in the last round of destructors.  The key's
 * value, @place, must not be NULL.  In round n, from 0 on, the value is
 * &slots[n].
 */
static void end_thread(void *place)
{
	struct slot *const next = (struct slot *)place + 1;

	if (is_sampling()) {
		if (next < slots + PTHREAD_DESTRUCTOR_ITERATIONS - 1 &&
		    pthread_setspecific(end_key, next) == 0) {
			syc_thread_watch(NULL);
			return;
		}
		run_in_round(syc_thread_timer_end, NULL);
	}
	if (place != slots && syc_self != NULL && syc_thread_watched() == NULL)
		syc_thread_watch(syc_state_of(syc_self));
}

void syc_thread_start_begin(void)
{
	if (pthread_key_create(&end_key, end_thread) != 0)
		return;
	has_end_key = end_key < KEYS_AT_HAND;
	if (!has_end_key)
		pthread_key_delete(end_key);
	else /* the main thread may call pthread_exit() */
		pthread_setspecific(end_key, slots);
}

bool syc_thread_start_prepare(struct syc_thread_start *birth, bool is_cramped)
{
	struct syc_sampler *const s = syc_sampler;

	if (!is_sampling()) {
		if (s != NULL && syc_state_has_filter(s))
			__atomic_add_fetch(&s->n_filtered, 1, __ATOMIC_RELAXED);
		return false;
	}
	const int32_t pid = getpid();
	for (uint32_t i = 0; i < N_SLOTS; i++) {
		struct slot *const slot =
			&slots[__atomic_fetch_add(&next_slot, 1,
		                                  __ATOMIC_RELAXED) %
		               N_SLOTS];
		int32_t owner = __atomic_load_n(&slot->pid, __ATOMIC_RELAXED);

		if (owner == pid || !__atomic_compare_exchange_n(
					    &slot->pid, &owner, pid, false,
					    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		slot->birth = *birth;
		slot->is_cramped = is_cramped;
		*birth =
			(struct syc_thread_start){ syc_thread_start_run, slot };
		return true;
	}
	return false;
}

void syc_thread_start_cancel(const struct syc_thread_start *birth)
{
	struct slot *const slot = birth->arg;

	__atomic_store_n(&slot->pid, 0, __ATOMIC_RELEASE);
}
