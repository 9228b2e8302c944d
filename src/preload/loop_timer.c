/* SPDX-License-Identifier: BSD-2-Clause */
/* loop_timer.c - timer of a loop's thread, and its handler. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/sample.h"
#include "os/process.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "preload/eintr_restart.h"
#include "preload/loops.h"
#include "preload/tick_stack.h"
#include "sampler/compose.h"
#include "sampler/interposed.h"
#include "sampler/state.h"
#include "sampler/tick.h"
#include "sampler/tick_signal.h"
#include "unwind/unwind.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define SECOND INT64_C(1000000000)
#define SOON   INT64_C(100000) /* a timer may expire this early */
#define SHARE  8 /* at most 1/SHARE of a long stall has no stack */

struct syc_loop syc_loop_table[SYC_LOOPS_MAX];

static bool is_loop(const struct syc_loop *loop)
{
	const uintptr_t at = (uintptr_t)loop - (uintptr_t)syc_loop_table;

	return at < sizeof(syc_loop_table) && at % sizeof(*loop) == 0;
}

/*
 * Return whether this process owns the timer, by the pid.  A child has its
 * parent's memory, but not its parent's timers.
 */
static bool owns_timer(const struct syc_loop *loop)
{
	return loop->pid != 0 &&
	       loop->pid ==
	               (int32_t)syc_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static bool set_timer(struct syc_loop *loop, int64_t delay)
{
	const struct itimerspec when = {
		.it_value = { .tv_sec = delay / SECOND,
		              .tv_nsec = delay % SECOND },
	};

	return syc_raw_syscall(SYS_timer_settime, loop->timer, 0,
	                       (long)(intptr_t)&when, 0, 0, 0) == 0;
}

static void arm_loop_timer(struct syc_loop *loop, int64_t now, int64_t delay)
{
	__atomic_store_n(&loop->armed_until, now + delay, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!set_timer(loop, delay))
		__atomic_store_n(&loop->armed_until, 0, __ATOMIC_RELAXED);
}

void syc_loop_timer_drop(struct syc_loop *loop)
{
	if (owns_timer(loop))
		syc_raw_syscall(SYS_timer_delete, loop->timer, 0, 0, 0, 0, 0);
	loop->pid = 0;
	loop->armed_until = 0;
}

void syc_loop_timer_stop(struct syc_loop *loop)
{
	if (!syc_seccomp_has_filter() && owns_timer(loop))
		set_timer(loop, 0);
	__atomic_store_n(&loop->armed_until, 0, __ATOMIC_RELAXED);
}

/*
 * Write the stack of an iteration that takes too long.  @wait is the
 * iteration's current wait, or NULL.
 */
static void take_stall(struct syc_loop *loop, int64_t now,
                       const ucontext_t *context,
                       const struct syc_library_wait *wait)
{
	struct syc_unwind unwind = { .addrs = loop->addrs,
		                     .max = SYC_BLOCKED_DEPTH,
		                     .low = loop->low,
		                     .high = loop->high };

	syc_unwind_from(&unwind, context);
	syc_library_wait_drop_frames(&unwind, wait);
	unwind.n = syc_own_code_remove(loop->addrs, unwind.n);
	syc_sample_emit_tagged(now, loop->addrs, unwind.n, unwind.flags,
	                       syc_sample_wait_tag(SYSCAP_STALLED_TAG,
	                                           now - loop->represented),
	                       0);
	loop->represented = now;
	loop->n_stacks++;
}

/*
 * Return whether only the timer makes a call return EINTR: the timer did not
 * expire in another signal's handler, and no other signal is pending.  All
 * signals are blocked here (sampler/tick_signal.c).
 */
static bool is_interruption(const struct syc_loop *loop,
                            const ucontext_t *context)
{
	uint64_t pending, blocked;

	if (syc_seccomp_has_filter() || !syc_registers_interrupt_call(context))
		return false;
	if (syc_raw_syscall(SYS_rt_sigpending, (long)(intptr_t)&pending,
	                    sizeof(pending), 0, 0, 0, 0) != 0)
		return true;
	memcpy(&blocked, &context->uc_sigmask, sizeof(blocked));
	blocked |= syc_signal_bit(loop->signal);
	return (pending & ~blocked) == 0;
}

static bool take_expiry(const siginfo_t *info, const void *context)
{
	struct syc_loop *const loop = info->si_value.sival_ptr;
	const int32_t tid =
		(int32_t)syc_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);

	if (!is_loop(loop) ||
	    __atomic_load_n(&loop->tid, __ATOMIC_RELAXED) != tid)
		return false;
	const int saved = errno;
	const int64_t begin = __atomic_load_n(&loop->begin, __ATOMIC_RELAXED);
	const int64_t now = syscap_clock();
	const struct syc_library_wait *const wait =
		syc_restart_note(loop->signal, context);
	struct syc_tick_cancel cancel;

	syc_tick_hold_cancel(&cancel);

	__atomic_store_n(&loop->armed_until, 0, __ATOMIC_RELAXED);
	if (wait == NULL && is_interruption(loop, context))
		__atomic_store_n(&loop->n_ticks, loop->n_ticks + 1,
		                 __ATOMIC_RELAXED);
	if (begin != 0 && !syc_seccomp_has_filter()) {
		const int64_t due = begin + loop->threshold;

		if (now < due - SOON) {
			arm_loop_timer(loop, now, due - now);
		} else {
			if (syc_tick_has_room(
				    context,
				    (uintptr_t)__builtin_frame_address(0),
				    SYC_TICK_ROOM))
				take_stall(loop, now, context, wait);
			arm_loop_timer(loop, now,
			               now - begin > SHARE * loop->threshold
			                       ? (now - begin) / SHARE
			                       : loop->threshold);
		}
	}
	errno = saved;
	syc_tick_release_cancel(&cancel, loop->signal, context);
	return true;
}

/*
 * Give @signal to the program, after pending ticks.  If @signal is 0, stop
 * all timers, because a new filter may forbid system calls of ticks.
 */
static void leave_signal(int signal)
{
	const int32_t tid =
		(int32_t)syc_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	const int saved = errno;

	if (syc_seccomp_has_filter())
		return;
	if (signal != 0 && signal == syc_interposed_signal) {
		syc_signals_give_up(syc_signal_bit(signal));
		syc_interposed_signal = 0;
	}
	for (unsigned i = 0; i < SYC_LOOPS_MAX; i++) {
		struct syc_loop *const loop = &syc_loop_table[i];

		if (!owns_timer(loop) ||
		    (signal != 0 && loop->signal != signal))
			continue;
		if (loop->tid == tid)
			syc_loop_timer_drop(loop);
		else /* disarm only: the timer's thread may be arming it, and
		      * later creates another timer */
			set_timer(loop, 0);
	}
	if (signal == 0 && syc_interposed_signal != 0) {
		syc_signals_uninstall(syc_interposed_signal);
		syc_interposed_signal = 0;
	}
	errno = saved;
}

static int find_signal(void)
{
	struct syc_thread_list tasks;
	const struct syc_sampler *const s =
		__atomic_load_n(&syc_sampler, __ATOMIC_ACQUIRE);

	if (s != NULL && __atomic_load_n(&s->is_on, __ATOMIC_RELAXED) != 0)
		return __atomic_load_n(&s->signal, __ATOMIC_RELAXED);
	if (syc_interposed_signal == 0 ||
	    !syc_signals_is_installed(syc_interposed_signal)) {
		tasks.starter_tid = 0;
		const int signal = syc_signals_choose(
			SYSCAP_SAMPLER_CPU, 0, SYC_SIGNALS_HARMLESS, &tasks);

		syc_interposed_signal =
			signal > 0 && syc_signals_install(signal,
		                                          syc_tick_handle) == 0
				? signal
				: 0;
		syc_tick_mask_update(syc_interposed_signal);
	}
	return syc_interposed_signal;
}

/*
 * Return whether the timer may interrupt the thread.  A thread that blocks the
 * signal would get it much later, and an alternate stack may be too small.
 */
static bool may_be_interrupted(int signal)
{
	stack_t stack;

	return (syc_signal_mask(SIG_BLOCK, 0) & syc_signal_bit(signal)) == 0 &&
	       sigaltstack(NULL, &stack) == 0 &&
	       !syc_stack_size_is_small(&stack);
}

static bool make_timer(struct syc_loop *loop, int signal)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = signal;
	event.sigev_value.sival_ptr = loop;
	event.sigev_notify_thread_id = loop->tid;
	if (syc_raw_syscall(SYS_timer_create, CLOCK_MONOTONIC,
	                    (long)(intptr_t)&event,
	                    (long)(intptr_t)&loop->timer, 0, 0, 0) != 0)
		return false;
	loop->signal = signal;
	loop->pid = (int32_t)syc_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
	return true;
}

void syc_loop_timer_start(struct syc_loop *loop, int64_t now)
{
	const int saved = errno;
	uint64_t before;
	int signal;

	if (syc_seccomp_has_filter() || now < loop->retry_at)
		return;
	/* Set the tid here, because a forked child's thread has the loop of its
	 * parent's thread, but another tid */
	loop->tid = (int32_t)syc_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	syc_tick_others = take_expiry;
	syc_interposed_others = leave_signal;
	signal = find_signal();
	if (owns_timer(loop) && loop->signal != signal)
		syc_loop_timer_drop(loop);
	if (signal > 0 && may_be_interrupted(signal) &&
	    (owns_timer(loop) || make_timer(loop, signal))) {
		syc_all_signals_block(&before);
		arm_loop_timer(loop, now, loop->threshold);
		syc_all_signals_restore(&before);
	} else {
		loop->retry_at = now + SECOND;
	}
	errno = saved;
}
