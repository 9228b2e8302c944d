/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - state that the sampler's files share, data that forked children
 * inherit, and the sampled threads.
 *
 * The state is in memory that is zero in a forked child, even after _Fork() or
 * a raw clone.  A child samples nothing, has no library thread, and holds no
 * lock.  The data that a child inherits, mainly signal handlers, is in static
 * memory (state.c, tick_signal.c).
 *
 * The holder of `life` writes the state.  The watcher writes the fields below
 * `watcher` until the watcher's end.  The handler writes only its thread's
 * struct syc_target.
 */
#ifndef SYC_SAMPLER_STATE_H
#define SYC_SAMPLER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/sampler.h>

#include "os/process.h"
#include "sampler/compose.h"

enum syc_watcher {
	SYC_WATCHER_NONE = 0,
	SYC_WATCHER_BEGINS, /* the first round is in progress */
	SYC_WATCHER_RUNS,
	SYC_WATCHER_ENDED, /* the watcher has ended, with or without a
	                    * request */
	SYC_WATCHER_LATER, /* ticks do the work of the watcher */
};

struct syc_sampler {
	int32_t pid; /* process of this state; 0: none yet */
	/* tids of the holders, or 0 */
	uint32_t life;          /* lock, held during a start or a stop */
	uint32_t refreshing;    /* lock, held by users of the loader's lock, and
	                         * during a fork */
	uint32_t is_on;         /* ticks are samples */
	uint32_t is_unreported; /* the event is delayed (sampler.h) */
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

	uint64_t n_foreign; /* number of foreign signals that were passed on */

	/* Written by rounds of the watcher, or of a tick that holds `life` */
	uint32_t round, n_threads, n_unsampled;
	/* Threads that began without a timer, by the reason; relaxed */
	uint32_t n_blocked, n_asleep, n_small, n_filtered, n_limited;
	int32_t watcher_tid;
	int64_t round_at;      /* ns; last round of a tick */
	int64_t carried_ns;    /* timer.c: ns of processor time of ended threads
	                        * that no sample represents yet; may be < 0 */
	int64_t looked_at;     /* ns; last check whether a ring is read: */
	const void *looked_in; /* ring of this check */
	uint32_t read_to;
	int32_t scout;   /* 1 + unwatched.c's timer of the process; 0: none */
	bool owns_table; /* the watcher has an fd table of its own */
	bool may_change_signal;
	/* An interposer reports the program's waits for signals.  No wait takes
	 * a tick, so threads that block the signal have timers, too */
	bool sees_waits;
	bool is_child;      /* sampling began at a fork, not by a call */
	bool is_new_child;  /* forked child whose timer lacks its final clock */
	bool is_waited_for; /* the last round found a wait for the signal */
	/* True if a filter was installed.  The sampler then makes no call that
	 * the filter may forbid, and no thread gets a timer.  Relaxed order:
	 * ticks of all threads read the flag. */
	bool is_boxed;
	struct syc_thread_list tasks;
};

/** Return whether a filter was installed. */
static inline bool syc_state_has_filter(const struct syc_sampler *s)
{
	return __atomic_load_n(&s->is_boxed, __ATOMIC_RELAXED);
}

/** The state of this process; NULL until syc_state_map(). */
extern struct syc_sampler *syc_sampler;

/** Map the state.  Returns 0 or -ENOMEM.  Context: setup. */
int syc_state_map(void);

/** Take `life` (with signals blocked) or `refreshing`, which are tid locks
 * (os/threads.h).  Returns false if the lock was not free in time. */
bool syc_state_take(uint32_t *lock, int64_t wait_ns);

/** Sample children like this process if @are_wanted.  The caller holds
 * `life`. */
void syc_children_remember(bool are_wanted);

/** Store the ticks' new signal for children.  The caller has changed the
 * signal. */
void syc_children_note_signal(void);

/** Store whether a filter was installed: children inherit the filter, and make
 * no timer. */
void syc_children_note_filter(bool is_there);

/** Do not sample children. */
void syc_children_forget(void);

/**
 * Take over the remembered settings and the claim, in a child, whose sampler's
 * state is zero.  Returns false if the child is not to be sampled, or can't be
 * sampled.
 */
bool syc_children_take_over(void);

/*
 * A thread that is sampled.
 *
 * The memory of targets is never unmapped, so a handler may read any target,
 * for any signal value.  A target is given to another thread only after the
 * deletion of its timer.  In addition, its thread must have ended, or must be
 * outside of the handler.  In a forked child all targets are zero, which means
 * free.
 *
 * A timer's signal carries the target's cookie.  The cookie contains a random
 * word of this copy of the library, the target's number, and the count of the
 * target's uses.  No cookie is an address that a program could have sent, and
 * an old cookie matches no target.
 */

/** Threads that can be sampled at one time. */
#if UINTPTR_MAX > UINT32_MAX
#define SYC_TARGETS_MAX 8192u
#else
#define SYC_TARGETS_MAX 1024u
#endif

enum syc_target_tls {
	SYC_TLS_UNKNOWN = 0,
	SYC_TLS_OWN,
	SYC_TLS_NONE, /* no thread of the C library, and not sampled */
};

#define SYC_TLS_STATE 3u

/* Compute the word in `tls`.  The word contains the thread's id, so a late
 * handler of the target's previous thread does not use the present thread's
 * state. */
static inline uint32_t syc_target_tls(int32_t tid, enum syc_target_tls state)
{
	return (uint32_t)tid << 2 | state;
}

/* State for throttle.c, written in handlers.  The maker of a timer also writes
 * is_slow. */
struct syc_idle_backoff {
	uintptr_t pc, sp;           /* code position at the last tick */
	int64_t cpu_ns, worked_ns;  /* processor time: last value, and
	                             * unaccounted time */
	uint64_t taken_ns;          /* the target's taken_ns at the last
	                             * check */
	uint32_t n_awake, n_asleep; /* unsampled periods of time awake, and
	                             * asleep */
	uint8_t n_found; /* ticks in a row at this place, at full rate */
	bool is_slow;
};

struct syc_target {
	uint64_t cookie; /* 0: free.  Stored last, cleared first */
	int32_t tid;     /* relaxed; handlers compare */
	uint32_t tls;    /* syc_target_tls(), stored by the target's thread */
	uintptr_t busy;  /* address of the handler's frame, or 0 */

	/* Written by the target's thread, in handlers; never decreased */
	uint64_t n_samples, n_due, n_cut, n_stopped, n_refused, n_skipped;
	uint64_t n_cramped;  /* ticks skipped on too small alternate stacks */
	uint64_t taken_ns;   /* processor time of the ticks */
	int64_t cpu_seen;    /* ns of processor time that samples represent */
	int32_t n_owed;      /* correction of the next tick's weight; may be <
	                      * 0 */
	uint32_t n_measured; /* throttle.c: ticks still to be measured */
	int64_t rest_until;  /* ns of its clock: no tick before this time */
	struct syc_idle_backoff sleeper;

	/* Written by the thread that scans */
	uint32_t number, next; /* next: 1 + number of another target with this
	                        * hash */
	uint32_t generation;
	uint32_t seen;       /* the last round that found its thread */
	uint64_t inode;      /* inode of the thread's directory in /proc */
	uint64_t start;      /* start of the thread, clock ticks */
	int64_t due_from;    /* ns of its clock, n_due periods earlier */
	uint64_t blocked_at; /* 1 + ticks before the signal was blocked; or 0 */
	uint32_t n_tries;    /* attempts to start the timer */
	int32_t timer;       /* the kernel's number, or -1 */
	int32_t perf_fd;     /* the former fd of the perf event, or -1 */
	void *perf_page;     /* mapping that keeps the perf event alive */
	bool is_silent;      /* the thread blocked the signal at its start, and
	                      * has had no tick */
	bool is_unticked;    /* the thread has had no tick */
	bool is_cramped;     /* a stack of the thread is too small for a tick */
	bool was_stopped;    /* syc_scan_stop_all() stopped the timer, which
	                      * continues later */
};

/** Return the workspace of the target's samples. */
static inline struct syc_workspace *
syc_target_workspace(struct syc_target *target)
{
	return (struct syc_workspace *)(void *)((char *)target + 256);
}

_Static_assert(sizeof(struct syc_target) <= 256,
               "struct syc_workspace follows");

/** Choose the random word of this copy.  Context: setup. */
void syc_target_init(void);

/** Clear the parent's targets in a child whose memory was not wiped. */
void syc_target_wipe(void);

/** Return whether this copy gave @cookie to a target at any time.
 * signal-safe. */
bool syc_target_is_cookie(uint64_t cookie);

/** Return the cookie of the scout, the timer that ticks in threads without a
 * target.  signal-safe. */
uint64_t syc_target_scout_cookie(void);

/**
 * Return the target that has @cookie now, or NULL.
 *
 * Context: any-thread, signal-safe.
 */
struct syc_target *syc_target_by_cookie(uint64_t cookie);

/** Return the number of targets that were ever in use, or a target.  Only these
 * targets are mapped.  Both functions are signal-safe. */
uint32_t syc_target_count(void);
struct syc_target *syc_target_at(uint32_t number);

/**
 * Return the target of @tid, or NULL.  A caller that does not hold the lock of
 * the scan round (`life`) may get NULL although @tid has a target.
 *
 * Context: any-thread, signal-safe.
 */
struct syc_target *syc_target_find(int32_t tid);

/** Give @tid a target.  Returns NULL if no target is free.  The caller holds
 * `life`. */
struct syc_target *syc_target_give(int32_t tid);

/** Free @target, whose timer is deleted.  The caller holds `life`. */
void syc_target_free(struct syc_target *target);

#endif
