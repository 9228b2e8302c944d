/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - state that the sampler's files share, and data that forked children
 * inherit.
 *
 * The state is in memory that is zero in a forked child, also after _Fork() and
 * a raw clone.  In such a child nothing is sampled, no library thread runs, and
 * no lock is held.  The data that a child inherits, mainly signal handlers, is
 * in static memory (state.c, signals.c).
 *
 * The holder of `life` writes the state; until its end the watcher writes the
 * fields below `watcher`. The handler only reads, except in its thread's struct
 * syc_target.
 */
#ifndef SYC_SAMPLER_STATE_H
#define SYC_SAMPLER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/sampler.h>

#include "os/process.h"
#include "sampler/workspace.h"

enum syc_watcher {
	SYC_WATCHER_NONE = 0,
	SYC_WATCHER_BEGINS, /* thread made; the first round is not over */
	SYC_WATCHER_RUNS,
	SYC_WATCHER_ENDED, /* ended by itself, or on request */
	SYC_WATCHER_LATER, /* no watcher: ticks do its work */
};

struct syc_sampler {
	int32_t pid; /* process of this state; 0: none yet */
	/* tids of the holders, or 0 */
	uint32_t life;          /* lock, held during a start or a stop */
	uint32_t refreshing;    /* lock, held by users of the loader's lock, and
	                         * in a fork */
	uint32_t is_on;         /* ticks are samples */
	uint32_t is_unreported; /* delayed event: sampler_metadata.h */
	uint32_t clock;         /* enum syscap_sampler_clock, never AUTO */
	uint32_t hz;
	int32_t signal;
	int64_t period_ns;
	uint32_t max_share; /* percent of a thread's time */
	struct syc_sample_options take;

	uint32_t watcher;  /* enum syc_watcher; a futex */
	uint32_t must_end; /* a futex */
	int result;        /* error of the first round */
	const char *why;   /* sentence: reason of result, or of the end */

	uint64_t n_foreign;           /* signals passed on */
	uint32_t handler_stack_taken; /* handler_stack.c's stack is in use */

	/* Written by rounds: of the watcher, or of a tick that holds `life` */
	uint32_t round, n_threads, n_unsampled;
	/* Threads that began without a timer, by the reason; relaxed */
	uint32_t n_blocked, n_small, n_filtered, n_limited;
	int32_t watcher_tid;
	int64_t round_at;      /* ns; last round of a tick */
	int64_t carried_ns;    /* final_sample.c: ns owed by ended threads */
	int64_t looked_at;     /* ns; last check whether a ring is read: */
	const void *looked_in; /* ring of this check */
	uint32_t read_to;
	int32_t scout;   /* 1 + unwatched.c's timer of the process; 0: none */
	bool owns_table; /* the watcher has an fd table of its own */
	bool may_change_signal;
	/* The program's waits for signals are reported: no wait takes a tick,
	 * so threads that block the signal have timers, too */
	bool sees_waits;
	bool is_child;      /* sampling began at a fork, not by a call */
	bool is_new_child;  /* forked child whose timer lacks its final clock */
	bool is_waited_for; /* the last round saw a wait for the signal */
	/* A filter was installed: the sampler makes no call that the filter may
	 * forbid, and no thread gets a timer.  Relaxed: ticks of all threads
	 * read this flag. */
	bool is_boxed;
	struct syc_thread_list tasks;
};

/** Whether a filter was installed. */
static inline bool syc_state_has_filter(const struct syc_sampler *s)
{
	return __atomic_load_n(&s->is_boxed, __ATOMIC_RELAXED);
}

/** NULL until syc_state_map(). */
extern struct syc_sampler *syc_sampler;

/** Map the state.  Returns 0 or -ENOMEM.  Context: setup. */
int syc_state_map(void);

/** Take `life` (with signals blocked) or `refreshing`, which are tid locks
 * (os/threads.h).  False: the lock was not free in time. */
bool syc_state_take(uint32_t *lock, int64_t wait_ns);

/** Sample children like this process, if @are_wanted.  The caller holds
 * `life`. */
void syc_children_remember(bool are_wanted);

/** Remember the ticks' new signal for children.  The caller has changed the
 * signal. */
void syc_children_note_signal(void);

/** Remember whether a filter was installed: children inherit the filter, and
 * make no timer. */
void syc_children_note_filter(bool is_there);

/** Do not sample children. */
void syc_children_forget(void);

/**
 * In a child, whose sampler's state is zero: take over the remembered settings,
 * and the claim.  False: the child is not to be sampled, or can't be sampled.
 */
bool syc_children_take_over(void);

#endif
