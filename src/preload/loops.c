/* SPDX-License-Identifier: BSD-2-Clause */
/* loops.c - iterations of loops, and stalls. */
#define _GNU_SOURCE
#include "preload/loops.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/process.h"
#include "os/env.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "preload/blocking_events.h"
#include "preload/real_call.h"
#include "preload/tick_stack.h"
#include "unwind/unwind.h"

#define MS INT64_C(1000000)

/* An iteration is reported if it takes at least 1 / PART of a stall */
#define PART 10

/*
 * After this number of deeper waits in a row, without a wait of the loop, the
 * deeper wait becomes the loop's wait
 */
#define OFTEN 16u

/* Minimum number of frames of a walk */
#define FRAMES 32

/* A shorter first part of a wait is not worth a call */
#define CLOSE (2 * MS)

int64_t syc_loops_threshold;
static bool has_all_threads;

/* The calling thread's loop */
static _Thread_local struct syc_loop *own
	__attribute__((tls_model("initial-exec")));
/* The process in which this thread is not watched.  In a child process the
 * thread may be watched */
static _Thread_local int32_t left_out_of
	__attribute__((tls_model("initial-exec")));

/* Parse "MS[,all]". */
static int64_t parse_iteration(const char *text)
{
	uint64_t ms = 0;
	const char *rest;

	if (text[0] < '0' || text[0] > '9')
		return SYC_LOOPS_OFF;
	rest = syc_text_take(text, 10, &ms);
	has_all_threads = strcmp(rest, ",all") == 0;
	if ((rest[0] != '\0' && !has_all_threads) || ms < 1 || ms > 3600000)
		return SYC_LOOPS_OFF;
	return (int64_t)ms * MS;
}

void syc_loops_decide(void)
{
	if (environ == NULL)
		return;
	const int saved = errno;
	const char *const text = syc_env_get(SYC_ENV_STALLS);
	int64_t threshold = SYC_LOOPS_OFF;

	__atomic_store_n(&syc_loops_threshold, SYC_LOOPS_OFF, __ATOMIC_RELAXED);
	if (text != NULL && syc_libc_is_foreign()) {
		syc_diag_say("stalls are not recorded",
		             "the C library is not glibc");
	} else if (text != NULL) {
		threshold = parse_iteration(text);
		if (threshold == SYC_LOOPS_OFF)
			syc_diag_say("stalls are not recorded",
			             "SYSCAP_STALLS must be a number of "
			             "milliseconds");
	}
	if (threshold != SYC_LOOPS_OFF && syc_unwind_prepare() == 0) {
		syc_stack_size_is_raised = true;
		syc_setup_run();
		__atomic_store_n(&syc_loops_threshold, threshold,
		                 __ATOMIC_RELAXED);
	}
	errno = saved;
}

static bool is_gone(int32_t tid)
{
	return syc_raw_syscall(SYS_tgkill, getpid(), tid, 0, 0, 0, 0) == -ESRCH;
}

/*
 * Claim an unused place, or the place of a dead thread, for the calling thread.
 */
static struct syc_loop *claim_loop(void)
{
	const int32_t tid = gettid();

	for (unsigned i = 0; i < SYC_LOOPS_MAX; i++) {
		struct syc_loop *const loop = &syc_loop_table[i];
		int32_t before = __atomic_load_n(&loop->tid, __ATOMIC_RELAXED);

		if ((before != 0 && !is_gone(before)) ||
		    !__atomic_compare_exchange_n(&loop->tid, &before, tid,
		                                 false, __ATOMIC_ACQUIRE,
		                                 __ATOMIC_RELAXED))
			continue;
		syc_loop_timer_drop(loop);
		loop->site = loop->depth = loop->other_site = 0;
		loop->look_site = 0;
		loop->begin = loop->armed_until = loop->retry_at = 0;
		loop->threshold = syc_loops_threshold;
		if (!syc_stack_bounds(&loop->low, &loop->high))
			loop->low = loop->high = 1;
		return loop;
	}
	return NULL;
}

/* Return the calling thread's loop, or NULL if the thread is not watched. */
static struct syc_loop *own_loop(void)
{
	/* Under a filter no new thread is recorded */
	if (own != NULL || syc_seccomp_has_filter())
		return own;
	const int32_t pid = getpid();
	if (left_out_of == pid)
		return NULL;
	const int saved = errno;
	if (has_all_threads || syc_own_thread_is_main())
		own = claim_loop();
	left_out_of = own == NULL ? pid : 0;
	errno = saved;
	return own;
}

/*
 * Return the stack position of the caller's caller of the wrapper, whose frame
 * is at @frame.  The caller's own position is unsuitable, because the caller
 * may be a function only for waits, with stack space for a thousand events.
 */
static __attribute__((noinline)) uintptr_t depth_of(const struct syc_loop *loop,
                                                    uintptr_t frame)
{
	uintptr_t sps[FRAMES];
	uint64_t addrs[FRAMES];
	struct syc_unwind unwind = { .addrs = addrs,
		                     .sps = sps,
		                     .max = FRAMES,
		                     .innermost = true,
		                     .low = loop->low,
		                     .high = loop->high };
	unsigned i = 0;

	syc_unwind_here(&unwind, 0);
	while (i < unwind.n && sps[i] <= frame)
		i++;
	return i + 1 < unwind.n ? sps[i + 1] : frame;
}

static bool is_loops_wait(struct syc_loop *loop, uintptr_t site,
                          uintptr_t frame)
{
	if (site != loop->site) {
		const uintptr_t depth = depth_of(loop, frame);

		if (depth < loop->depth) {
			loop->n_others =
				site == loop->other_site &&
						depth == loop->other_depth
					? loop->n_others + 1
					: 1;
			loop->other_site = site;
			loop->other_depth = depth;
			if (loop->n_others < OFTEN)
				return false;
		}
		loop->site = site;
		loop->depth = depth;
	}
	loop->n_others = 0;
	return true;
}

static void write_iteration(int64_t begin, int64_t end, uint32_t n_stacks)
{
	const int64_t duration = end - begin;
	const bool is_stall = duration >= syc_loops_threshold;
	char message[48];
	struct syc_text text = syc_text_begin(message, sizeof(message));

	if (begin == 0 || duration < syc_loops_threshold / PART)
		return;
	const int saved = errno;
	if (is_stall) {
		syc_text_add_u64(&text, n_stacks);
		syc_text_add(&text, n_stacks == 1 ? " stack" : " stacks");
	}
	syscap_mark("loop", is_stall ? "stall" : "iteration", begin, duration,
	            is_stall ? message : "");
	errno = saved;
}

static void end_iteration(struct syc_loop *loop, int64_t now)
{
	const int64_t begin = loop->begin;

	__atomic_store_n(&loop->begin, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	write_iteration(begin, now, loop->n_stacks);
}

/*
 * A busy loop only polls, and does not wait.  One poll that is less deep than
 * the known wait may come from any code.  Two polls in a row from the same
 * place, without a wait of the loop in between, are polls of the loop.  The
 * time between the two polls is an iteration.
 */
static bool is_busy_loop(struct syc_loop *loop, uintptr_t site, uintptr_t frame,
                         int64_t now)
{
	if (loop->site == 0 || frame <= loop->depth)
		return false;
	if (site == loop->look_site && frame == loop->look_frame) {
		write_iteration(loop->begin, loop->look_time,
		                loop->look_stacks);
		loop->n_stacks -= loop->look_stacks;
		__atomic_store_n(&loop->begin, loop->look_time,
		                 __ATOMIC_RELAXED);
		return true;
	}
	loop->look_site = site;
	loop->look_frame = frame;
	loop->look_time = now;
	loop->look_stacks = loop->n_stacks;
	return false;
}

static int64_t time_armed(const struct syc_loop *loop)
{
	return __atomic_load_n(&loop->armed_until, __ATOMIC_RELAXED);
}

/* If the timer may expire in the wait, choose a first part in which the timer
 * can't expire. */
static void set_first_part(struct syc_loops_wait *wait)
{
	const int64_t left = (time_armed(wait->loop) - wait->began) / 2;

	if (wait->timeout >= 0 && wait->timeout < left)
		wait->is_ticked = false;
	else if (left > CLOSE) {
		wait->is_ticked = false;
		wait->first = left;
	}
}

/* Begin a call of the thread's loop, if any, because a thread without a loop
 * has no timer. */
void syc_loops_begin_call(struct syc_loops_wait *wait)
{
	struct syc_loop *const loop = own;

	wait->loop = loop;
	if (loop != NULL)
		wait->n_ticks =
			__atomic_load_n(&loop->n_ticks, __ATOMIC_RELAXED);
}

void syc_loops_begin_other(struct syc_loops_wait *wait)
{
	own_loop();
	syc_loops_begin_call(wait);
	wait->is_ticked = wait->loop != NULL && time_armed(wait->loop) != 0;
}

void syc_loops_begin_rest(struct syc_loops_wait *wait)
{
	syc_loops_begin_other(wait);
	if (wait->is_ticked)
		syc_loop_timer_stop(wait->loop);
}

void syc_loops_end_rest(const struct syc_loops_wait *wait)
{
	struct syc_loop *const loop = wait->loop;

	if (loop == NULL || loop->begin == 0)
		return;
	/* No stack represents the time of the call */
	loop->represented = syscap_clock();
	syc_loop_timer_start(loop, loop->represented);
}

void syc_loops_begin_wait(struct syc_loops_wait *wait, uintptr_t site,
                          uintptr_t frame, int64_t timeout, bool has_mask)
{
	struct syc_loop *loop;

	wait->timeout = wait->first = timeout;
	syc_loops_begin_other(wait);
	loop = wait->loop;
	if (loop == NULL)
		return;
	wait->began = syscap_clock();
	wait->is_loops = (timeout != 0 || site == loop->site ||
	                  is_busy_loop(loop, site, frame, wait->began)) &&
	                 is_loops_wait(loop, site, frame);
	if (!wait->is_loops)
		return;
	end_iteration(loop, wait->began);
	if (timeout != 0 && wait->is_ticked && !has_mask)
		set_first_part(wait);
}

bool syc_loops_ticked(const struct syc_loops_wait *wait)
{
	return wait->loop != NULL &&
	       __atomic_load_n(&wait->loop->n_ticks, __ATOMIC_RELAXED) !=
	               wait->n_ticks;
}

bool syc_loops_waits_on(struct syc_loops_wait *wait, int r, int64_t *ret_left)
{
	int64_t waited;

	if (wait->loop == NULL ||
	    !(r < 0 ? syc_loops_interrupted(wait)
	            : r == 0 && wait->first != wait->timeout))
		return false;
	waited = syscap_clock() - wait->began;
	*ret_left = wait->timeout < 0        ? -1
	            : wait->timeout > waited ? wait->timeout - waited
	                                     : 0;
	wait->first = wait->timeout;
	wait->is_ticked = true;
	wait->n_ticks = __atomic_load_n(&wait->loop->n_ticks, __ATOMIC_RELAXED);
	return true;
}

void syc_loops_end_wait(const struct syc_loops_wait *wait)
{
	struct syc_loop *const loop = wait->loop;

	if (loop == NULL || !wait->is_loops)
		return;
	const int64_t now = syscap_clock();
	loop->n_stacks = 0;
	loop->look_site = 0;
	loop->represented = now;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&loop->begin, now, __ATOMIC_RELAXED);
	/* A timer that should have expired long ago is the parent's timer.  The
	 * timer of a long stall expires late */
	if (loop->armed_until == 0 || now > loop->armed_until + MS ||
	    loop->armed_until > now + loop->threshold)
		syc_loop_timer_start(loop, now);
}
