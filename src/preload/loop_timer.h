/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loop_timer.h - timer of a loop's thread, by the sampler's signal, and the
 * stacks at its expiry.
 *
 * Context of everything: signal-safe; the loop's thread.
 */
#ifndef SYC_PRELOAD_LOOP_TIMER_H
#define SYC_PRELOAD_LOOP_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/blocking_events.h"

/** Greatest number of threads whose loops are watched at a time. */
#define SYC_LOOPS_MAX 64u

/** State of one thread, written by this thread and its handler only. */
struct syc_loop {
	int32_t tid;         /* 0: unused */
	uintptr_t low, high; /* bounds of the thread's stack */

	uintptr_t site, depth;             /* place of the loop's own wait */
	uintptr_t other_site, other_depth; /* place of a deeper wait */
	uint32_t n_others;

	/* The last poll without a wait, less deep than the known wait.  If the
	 * next such poll comes from the same place, both polls are the loop's:
	 * see is_busy_loop().  Site 0: no such poll. */
	uintptr_t look_site, look_frame;
	int64_t look_time;
	uint32_t look_stacks; /* n_stacks at look_time */

	int64_t threshold;   /* shortest duration of a stall */
	int64_t begin;       /* begin of the iteration; 0: the loop waits */
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

/** Arm the timer for an iteration that begins @now and becomes a stall. */
void syc_loop_timer_start(struct syc_loop *loop, int64_t now);

/** Disarm the timer. */
void syc_loop_timer_stop(struct syc_loop *loop);

/** Delete the timer. */
void syc_loop_timer_drop(struct syc_loop *loop);

#endif
