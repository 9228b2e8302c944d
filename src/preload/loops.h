/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loops.h - the role "stalls" of the preloaded library: how long it is from one
 * wait of a loop to the next, and what the thread does when that is long
 * (docs/collectors.md).
 *
 * A loop is known by its waits.  What waits deeper in the stack, called from
 * elsewhere, is part of an iteration: a reply of the X server, say.
 *
 * A one-shot timer runs while iterations begin and end; nothing is armed and
 * disarmed for each.  It may not expire in a wait, which would return EINTR
 * then: a wait that is longer than the timer has left is made in two parts,
 * and the timer stopped in between.
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_LOOPS_H
#define SYC_PRELOAD_LOOPS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "os/seccomp_state.h"

struct syc_loop;

/** A wait under way. */
struct syc_loops_wait {
	struct syc_loop *loop; /* of the thread; NULL: it is not watched */
	bool is_loops;         /* one between iterations */
	int64_t timeout;       /* ns; below 0: none */
	int64_t first;         /* how much of it may be waited now */
	int64_t began;
	uint32_t n_ticks;
};

/** ns from which on an iteration is a stall; 0: not known yet; or OFF. */
#define SYC_LOOPS_OFF INT64_MAX
extern int64_t syc_loops_threshold;

/** Look what the environment asks for.  Too early: it stays undecided. */
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

/** Something else than a loop's wait begins, that may return EINTR. */
void syc_loops_begin_other(struct syc_loops_wait *wait);

/** A call begins that the kernel restarts, but where a socket has a time. */
void syc_loops_begin_call(struct syc_loops_wait *wait);

/** What begins waits for a signal, or can't be made again: until its end the
 * timer is stopped.  errno is kept. */
void syc_loops_begin_rest(struct syc_loops_wait *wait);
void syc_loops_end_rest(const struct syc_loops_wait *wait);

/** A function that @site called, whose frame is at @frame, is about to wait for
 * @timeout ns. */
void syc_loops_begin_wait(struct syc_loops_wait *wait, uintptr_t site,
                          uintptr_t frame, int64_t timeout);

/** It waited for wait->first, and returned @r: whether it has to wait for the
 * rest, which is *ret_left. */
bool syc_loops_waits_on(const struct syc_loops_wait *wait, int r,
                        int64_t *ret_left);

/** Whether the timer expired in a call that returned EINTR. */
bool syc_loops_ticked(const struct syc_loops_wait *wait);

static inline bool syc_loops_interrupted(const struct syc_loops_wait *wait)
{
	return errno == EINTR && syc_loops_ticked(wait);
}

/** It waits for the rest. */
void syc_loops_wait_again(struct syc_loops_wait *wait);

/** It is over; if it is a loop's, the next iteration begins.  errno is kept. */
void syc_loops_end_wait(const struct syc_loops_wait *wait);

#endif
