/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loops.h - the role "stalls" of the preloaded library (docs/collectors.md):
 * the times between two waits of a loop, and stacks of long times.
 *
 * A loop is identified by its waits.  A wait deeper in the stack, from another
 * caller, is part of an iteration: for example, a wait for a reply of the X
 * server.
 *
 * A one-shot timer is not armed for each iteration, but runs on over several
 * iterations.  A wait in which the timer may expire must not return EINTR, and
 * is made in parts (eintr_restart.h).  A wait in parts needs more system calls.
 * So a loop first waits by the plain call for half of the timer's remaining
 * time.
 *
 * Context of all functions: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_LOOPS_H
#define SYC_PRELOAD_LOOPS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "os/seccomp_state.h"
#include "preload/blocking_events.h"

struct syc_loop;

/** A wait in progress. */
struct syc_loops_wait {
	struct syc_loop *loop; /* the thread's loop, or NULL if it is not
	                        * watched */
	bool is_loops;         /* the wait is between iterations */
	int64_t timeout;       /* ns; below 0: no timeout */
	int64_t first;         /* duration of the first part */
	bool is_ticked;        /* the timer may expire in the wait */
	int64_t began;
	uint32_t n_ticks;
};

/** Shortest duration of a stall in ns, 0 (unknown yet), or SYC_LOOPS_OFF. */
#define SYC_LOOPS_OFF INT64_MAX
extern int64_t syc_loops_threshold;

/**
 * Read the environment.  Until the environment can be read, the role stays
 * undecided.
 */
void syc_loops_decide(void);

static inline bool syc_loops_is_on(void)
{
	int64_t threshold =
		__atomic_load_n(&syc_loops_threshold, __ATOMIC_RELAXED);

	if (__builtin_expect(threshold == 0, 0)) {
		syc_loops_decide();
		threshold =
			__atomic_load_n(&syc_loops_threshold, __ATOMIC_RELAXED);
	}
	return threshold != 0 && threshold != SYC_LOOPS_OFF &&
	       !syc_seccomp_is_closed();
}

/** Begin a call that may return EINTR, other than a loop's wait. */
void syc_loops_begin_other(struct syc_loops_wait *wait);

/** Begin a call that the kernel restarts, unless a socket has a timeout. */
void syc_loops_begin_call(struct syc_loops_wait *wait);

/**
 * Stop the timer during a call that waits for a signal, or can't be repeated.
 * If the thread blocks the timer's signal, the signal may be pending.  The
 * function keeps errno.
 */
void syc_loops_begin_rest(struct syc_loops_wait *wait);
void syc_loops_end_rest(const struct syc_loops_wait *wait);

/**
 * Begin a wait for @timeout ns in a function that @site called, and whose frame
 * is at @frame.  A wait with a mask has no first part, because a first part may
 * miss a signal whose handler blocks the timer's signal.
 */
void syc_loops_begin_wait(struct syc_loops_wait *wait, uintptr_t site,
                          uintptr_t frame, int64_t timeout, bool has_mask);

/**
 * Return whether the caller must wait for *ret_left, in which the timer may
 * expire, after the wait for wait->first returned @r.
 */
bool syc_loops_waits_on(struct syc_loops_wait *wait, int r, int64_t *ret_left);

/** Return whether the timer expired in a call that returned EINTR. */
bool syc_loops_ticked(const struct syc_loops_wait *wait);

static inline bool syc_loops_interrupted(const struct syc_loops_wait *wait)
{
	return errno == EINTR && syc_loops_ticked(wait);
}

/**
 * End the wait, and keep errno.  After a loop's wait, the next iteration
 * begins.
 */
void syc_loops_end_wait(const struct syc_loops_wait *wait);

/*
 * Timer of a loop's thread, by the sampler's signal, and the stacks at its
 * expiry.
 *
 * Context of all functions below: signal-safe; the loop's thread.
 */

/** Greatest number of threads whose loops are watched at a time. */
#define SYC_LOOPS_MAX 64u

/** State of one thread, written only by the thread and its handler. */
struct syc_loop {
	int32_t tid;         /* 0: unused */
	uintptr_t low, high; /* bounds of the thread's stack */

	uintptr_t site, depth;             /* place of the loop's own wait */
	uintptr_t other_site, other_depth; /* place of a deeper wait */
	uint32_t n_others;

	/* The last poll that was less deep than the known wait, or site 0.  If
	 * the next such poll comes from the same place, both polls are the
	 * loop's (is_busy_loop()). */
	uintptr_t look_site, look_frame;
	int64_t look_time;
	uint32_t look_stacks; /* n_stacks at look_time */

	int64_t threshold;   /* shortest duration of a stall */
	int64_t begin;       /* start of the iteration; 0: the loop waits */
	int64_t represented; /* end of the time that stacks represent */
	uint32_t n_stacks;

	int64_t armed_until; /* 0: not armed */
	uint32_t n_ticks;    /* ticks that made a call return EINTR */
	int32_t pid;         /* the timer's process; 0: no timer */
	int timer, signal;
	int64_t retry_at; /* time of the next attempt, set if arming failed */

	uint64_t addrs[SYC_BLOCKED_DEPTH];
};

extern struct syc_loop syc_loop_table[SYC_LOOPS_MAX];

/** Arm the timer for the end of the stall threshold of an iteration that begins
 * @now. */
void syc_loop_timer_start(struct syc_loop *loop, int64_t now);

/** Disarm the timer. */
void syc_loop_timer_stop(struct syc_loop *loop);

/** Delete the timer. */
void syc_loop_timer_drop(struct syc_loop *loop);

#endif
