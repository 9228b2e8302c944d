/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - what the sampler's files share.
 *
 * It lives in memory that a forked child finds zeroed: there nothing is
 * sampled, no thread of ours runs, and no lock is held, also after _Fork()
 * and a raw clone.  What a child does inherit, signal handlers above all, is
 * remembered in static memory (signals.c).
 *
 * Who writes: whoever has `life`, and the watcher, which has what is below
 * it to itself until it has ended.  The handler only reads, but for what is
 * in its own thread's struct syc_target.
 */
#ifndef SYC_SAMPLE_STATE_H
#define SYC_SAMPLE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/sampler.h>

#include "os/thread_list.h"
#include "sample/workspace.h"

enum syc_watcher {
	SYC_WATCHER_NONE = 0,
	SYC_WATCHER_BEGINS, /* made, its first round is not over */
	SYC_WATCHER_RUNS,
	SYC_WATCHER_ENDED, /* by itself, or as it was asked to */
	SYC_WATCHER_LATER, /* none: who is told of threads; a forked child */
};

struct syc_sampler {
	int32_t pid; /* whose state it is; 0: nobody's yet */
	/* tids of the holders, or 0 */
	uint32_t life;       /* a start or a stop is under way */
	uint32_t refreshing; /* the loader's lock may be held; or a fork */
	uint32_t is_on;      /* ticks are samples */
	uint32_t is_untold;  /* nobody was told yet: tell.h */
	uint32_t clock;      /* enum syscap_sampler_clock, never AUTO */
	uint32_t hz;
	int32_t signal;
	int64_t period_ns;
	uint32_t max_share; /* percent of a thread's time */
	struct syc_sample_options take;

	uint32_t watcher;  /* enum syc_watcher; a futex */
	uint32_t must_end; /* a futex */
	int result;        /* of the first round */
	const char *why;   /* a sentence, of result or of the end */

	uint64_t n_foreign;       /* signals passed on */
	uint32_t own_stack_taken; /* own_stack.c's stack is in use */

	/* Rounds: the watcher's, or whose tick has `life` */
	uint32_t round, n_threads, n_unsampled;
	/* Threads that began without a timer, by the reason; relaxed */
	uint32_t n_blocked, n_small, n_filtered, n_limited;
	int32_t watcher_tid;
	int64_t round_at;      /* ns; of those from ticks */
	int64_t carried_ns;    /* rest.c: of threads that have ended */
	int64_t looked_at;     /* ns; whether anybody reads, and how far: */
	const void *looked_in; /* a thread's ring */
	uint32_t read_to;
	int32_t scout;   /* 1 + unwatched.c's timer of the process; 0: none */
	bool owns_table; /* the watcher has descriptors of its own */
	bool may_change_signal;
	/* The program's waits for signals are seen: none of them takes a tick,
	 * so threads that block the signal have timers, too */
	bool sees_waits;
	bool is_child;      /* a forked one, which nobody has started */
	bool is_new_child;  /* its timer is not of its clock yet */
	bool is_waited_for; /* the signal, as the last round saw */
	/* A filter came: no call that may be forbidden is made any more, no
	 * thread gets a timer.  Relaxed: ticks of all threads ask; only set. */
	bool is_boxed;
	struct syc_thread_list tasks;
};

/** Whether a filter came. */
static inline bool syc_state_is_boxed(const struct syc_sampler *s)
{
	return __atomic_load_n(&s->is_boxed, __ATOMIC_RELAXED);
}

/** NULL until syc_state_map(). */
extern struct syc_sampler *syc_sampler;

/** 0 or -ENOMEM.  Context: setup. */
int syc_state_map(void);

/** `life` (with signals blocked) or `refreshing`, as tid locks (os/threads.h).
 * False: not in time. */
bool syc_state_take(uint32_t *lock, int64_t wait_ns);

#endif
