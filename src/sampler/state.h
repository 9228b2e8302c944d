/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - state that the sampler's files share, and what forked children
 * inherit.
 *
 * It lives in memory that is zero in a forked child, also after _Fork() and a
 * raw clone.  There nothing is sampled, no library thread runs, and no lock is
 * held.  The data that a child inherits, above all signal handlers, are in
 * static memory (state.c, signals.c).
 *
 * The holder of `life` writes it, and the watcher, which owns the fields below
 * it until it has ended.  The handler only reads, except in its thread's struct
 * syc_target.
 */
#ifndef SYC_SAMPLER_STATE_H
#define SYC_SAMPLER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/sampler.h>

#include "os/thread_list.h"
#include "sampler/workspace.h"

enum syc_watcher {
	SYC_WATCHER_NONE = 0,
	SYC_WATCHER_BEGINS, /* made, its first round is not over */
	SYC_WATCHER_RUNS,
	SYC_WATCHER_ENDED, /* by itself, or as it was asked to */
	SYC_WATCHER_LATER, /* none: under an interposer; a forked child */
};

struct syc_sampler {
	int32_t pid; /* whose state it is; 0: nobody's yet */
	/* tids of the holders, or 0 */
	uint32_t life;          /* a start or a stop is under way */
	uint32_t refreshing;    /* the loader's lock may be held; or a fork */
	uint32_t is_on;         /* ticks are samples */
	uint32_t is_unreported; /* no event yet: sampler_metadata.h */
	uint32_t clock;         /* enum syscap_sampler_clock, never AUTO */
	uint32_t hz;
	int32_t signal;
	int64_t period_ns;
	uint32_t max_share; /* percent of a thread's time */
	struct syc_sample_options take;

	uint32_t watcher;  /* enum syc_watcher; a futex */
	uint32_t must_end; /* a futex */
	int result;        /* of the first round */
	const char *why;   /* a sentence, of result or of the end */

	uint64_t n_foreign;           /* signals passed on */
	uint32_t handler_stack_taken; /* own_stack.c's stack is in use */

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
static inline bool syc_state_has_filter(const struct syc_sampler *s)
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

/** Children are sampled as this process is, if @are_wanted.  The caller holds
 * `life`. */
void syc_children_remember(bool are_wanted);

/** The signal is another one now, for them too.  The caller changed it. */
void syc_children_note_signal(void);

/** Whether a filter came, which they inherit: they make no timer. */
void syc_children_note_filter(bool is_there);

/** Children are not sampled. */
void syc_children_forget(void);

/**
 * In a child, whose sampler's state is zero: take over what was remembered, and
 * the claim.  False: it is not to be sampled, or can't be.
 */
bool syc_children_take_over(void);

#endif
