/* SPDX-License-Identifier: BSD-2-Clause */
/* lookout.c - schedule of the drain thread's checks whether it is the last
 * thread. */
#define _GNU_SOURCE
#include "session/lookout.h"

#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "os/syscalls.h"
#include "ring/clock.h"
#include "session/alone.h"

#define MS      INT64_C(1000000)
#define LOOK_NS (500 * MS)
#define FAR_NS  (4000 * MS) /* check interval if a word shows the end */

void syc_lookout_begin(struct syc_lookout *l, uint32_t *main_end)
{
	*l = (struct syc_lookout){ .at = syc_clock_kernel() + LOOK_NS,
		                   .again_ns = LOOK_NS,
		                   .main_end = main_end };
}

static int64_t look_rarely(const struct syc_lookout *l)
{
	return l->main_end != NULL ? FAR_NS : LOOK_NS;
}

int64_t syc_lookout_longest_sleep(const struct syc_lookout *l)
{
	const int64_t left = l->at - syc_clock_kernel();
	const int64_t most = look_rarely(l);

	return left < most ? (left > MS ? left : MS) : most;
}

/*
 * Check whether the first thread has ended.  The kernel wakes one waiter of
 * main_end: pass the wake-up on, because it may have been meant for a
 * pthread_join().
 */
static void look_at_main(struct syc_lookout *l)
{
	if (l->main_end == NULL ||
	    __atomic_load_n(l->main_end, __ATOMIC_ACQUIRE) != 0)
		return;
	syc_futex_wake(l->main_end);
	l->main_end = NULL;
	l->is_main_ending = true;
	syc_lookout_hurry(l);
	/* Without /proc only threads that have emitted are known; other threads
	 * may still emit */
	if (!syc_alone_sees_all())
		l->at = syc_clock_kernel() + LOOK_NS;
}

/* A filter may kill the process for a system call that the filter does not
 * know. */
static bool may_wait_for_main(const struct syc_lookout *l)
{
	return l->main_end != NULL && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0;
}

void syc_lookout_sleep(struct syc_lookout *l, uint32_t *word, uint32_t value,
                       int64_t ns)
{
	if (may_wait_for_main(l) &&
	    syc_futex_wait_either(word, value, l->main_end, (uint32_t)getpid(),
	                          ns))
		return;
	if (ns < LOOK_NS / 2) {
		syc_futex_wait(word, value, ns);
		return;
	}
	prctl(PR_SET_TIMERSLACK, (unsigned long)LOOK_NS, 0, 0, 0);
	syc_futex_wait(word, value, ns < LOOK_NS ? ns : LOOK_NS);
	prctl(PR_SET_TIMERSLACK, 0ul, 0, 0, 0); /* the default */
}

bool syc_lookout_is_alone(struct syc_lookout *l)
{
	const int64_t now = syc_clock_kernel();

	look_at_main(l);
	if (now < l->at)
		return false;
	if (l->main_end != NULL ||
	    (!l->is_main_ending && syc_alone_main_lives()))
		l->again_ns = look_rarely(l);
	else
		l->is_alone = syc_alone_is(&l->status);
	l->at = now + l->again_ns;
	l->again_ns = 2 * l->again_ns < LOOK_NS ? 2 * l->again_ns : LOOK_NS;
	return l->is_alone;
}
