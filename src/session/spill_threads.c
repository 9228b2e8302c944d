/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spill_threads.c - the threads that transfer frames.  Threads of the program
 * transfer frames after an event or at their end.  On request, a thread of the
 * library transfers frames.
 *
 * Threads of a real-time policy never transfer frames, nor do threads under a
 * seccomp filter that came after the plan of the recording.  A filter may kill
 * for the system calls of a transfer.  So the library compares the number of
 * the thread's filters with the number at the time of the plan.  Filters of a
 * container or a service manager are inherited, and count as harmless.  The
 * number is in /proc.  Most filters answer openat() with an error.  A check
 * that fails also shows the filter.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "copies/copies.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "session/session.h"
#include "session/spill.h"

#define MS INT64_C(1000000)
/* Time before another attempt at a transfer that was not possible.  A burst
 * fills a ring in less than 1 ms. */
#define AGAIN_NS (MS / 20)
/* Space that a transfer needs on the stack, at most. */
#define STACK_SIZE 3584u

/* ------------------------------------------- threads that never transfer */

/* Before Linux 5.9 the number is 0, or 2 for any number of filters. */
int32_t syc_spill_count_filters(void)
{
	static const char name[] = "\nSeccomp"; /* Seccomp:, Seccomp_filters: */
	char text[128]; /* small, for an alternate stack */
	unsigned n_same = 0;
	int32_t n = 0;
	ssize_t got;
	const int fd = syc_fd_open("/proc/thread-self/status", O_RDONLY, 0);

	if (fd < 0)
		return -1;
	while ((got = syc_fd_read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < got; i++) {
			const char c = text[i];

			if (n_same < sizeof(name) - 1 || c == '\n')
				n_same = c == name[n_same] ? n_same + 1
				                           : c == '\n';
			else if (c == '\t')
				n = 0;
			else if (c >= '0' && c <= '9')
				n = n * 10 + c - '0';
		}
	syc_fd_close(fd);
	return n;
}

/* @at_plan is the earlier number; -1: unknown, because /proc is missing.  If
 * the number is unknown, no filter is noticed. */
static bool has_new_filter(int32_t at_plan)
{
	const int32_t n = at_plan < 0 ? at_plan : syc_spill_count_filters();

	if (n >= 0 || at_plan < 0)
		return n > at_plan;
	if (errno == EACCES || errno == EPERM || errno == ENOSYS)
		return true;
	/* Other errors also occur without a filter: after chroot(), or without
	 * a free fd */
	return at_plan == 0 && syscall(SYS_prctl, PR_GET_SECCOMP) != 0;
}

static bool has_real_time_policy(void)
{
	const int policy =
		(int)syscall(SYS_sched_getscheduler, 0) & ~SCHED_RESET_ON_FORK;

	return policy == SCHED_FIFO || policy == SCHED_RR ||
	       policy == SCHED_DEADLINE;
}

bool syc_spill_is_filtered(const struct syc_plan *plan, int64_t now)
{
	struct syc_state *const ts =
		syc_self != NULL ? syc_state_of(syc_self) : NULL;

	if (ts == NULL)
		return has_new_filter(plan->n_filters);
	if (ts->looked_at == 0 || now - ts->looked_at >= SYC_SPILL_LOOK_NS) {
		ts->looked_at = now;
		ts->is_filtered =
			ts->is_filtered || has_new_filter(plan->n_filters);
		ts->is_real_time = !ts->is_filtered && has_real_time_policy();
		if (ts->is_filtered)
			syc_process_set_reason(
				"a seccomp filter may forbid writing");
	}
	return ts->is_filtered;
}

/* Return whether the event runs at the end of an alternate stack.  Other stacks
 * are not just above ss_sp. */
static bool has_small_stack(void)
{
	stack_t ss;

	ss.ss_sp = NULL; /* if a filter refuses the call */
	syscall(SYS_sigaltstack, NULL, &ss);
	return (uintptr_t)&ss - (uintptr_t)ss.ss_sp < STACK_SIZE;
}

/* Return whether the thread may transfer frames.  A real-time thread would wait
 * for a disk. */
static bool is_permitted(const struct syc_plan *plan, int64_t now)
{
	/* A filter may kill for sigaltstack() */
	return !syc_spill_is_filtered(plan, now) && !has_small_stack() &&
	       (syc_self == NULL || !syc_state_of(syc_self)->is_real_time);
}

/* ----------------------------------------------------------------- events */

/* Number of bytes in the ring of @ts. */
static uint32_t count_used(const struct syc_state *ts)
{
	const struct syc_ring_header *const ring = ts->ring;

	if (ring == NULL)
		return 0;
	const uint32_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	const uint32_t tail = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);

	return tail >= head ? tail - head : tail + ts->hot.size - head;
}

static bool is_due(const struct syc_session *s, const struct syc_state *ts,
                   int64_t now)
{
	const uint32_t used = count_used(ts), size = ts->hot.size;

	if (now < __atomic_load_n(&s->not_before, __ATOMIC_RELAXED) ||
	    ((ts->is_filtered || ts->is_real_time) &&
	     now - ts->looked_at < SYC_SPILL_LOOK_NS))
		return false;
	if (now < __atomic_load_n(&s->calm_until, __ATOMIC_RELAXED))
		return used >= size / 2;
	if (ts->is_in_handler)
		return used >= size / 4;
	return __atomic_load_n(&s->is_crowded, __ATOMIC_RELAXED) != 0 ||
	       now >= __atomic_load_n(&syc_process->spill_at, __ATOMIC_RELAXED);
}

/* Return whether the library has a thread for transfers, which may have only
 * begun. */
static bool has_thread(const struct syc_session *s)
{
	const uint32_t state = __atomic_load_n(&s->thread, __ATOMIC_ACQUIRE);

	return state == SYC_SPILLER_BEING_MADE || state == SYC_SPILLER_RUNS;
}

void syc_spill_set_time(const struct syc_session *s, int64_t now)
{
	const int64_t at =
		s->no_thread || has_thread(s) ? 0 : now + s->interval_ns;

	__atomic_store_n(&syc_process->spill_at, at, __ATOMIC_RELAXED);
}

static void wake_thread(struct syc_session *s)
{
	uint32_t *const wakes = &syc_arena_head(&s->arena)->wakes;

	__atomic_add_fetch(wakes, 1, __ATOMIC_RELEASE);
	syc_futex_wake(wakes);
}

/* Transfer frames with signals blocked, if the thread may do so.  Returns 0 or
 * -errno. */
static int transfer_undisturbed(struct syc_session *s, int64_t now)
{
	struct syc_undisturbed before;
	uint64_t moved;
	int r = -ECHILD;

	syc_undisturbed_begin(&before);
	/* A vfork() child uses its parent's memory and other fds */
	if (s->pid == getpid())
		r = is_permitted(s->plan, now) ? syc_spill_run(s, now, &moved)
		                               : 0;
	syc_undisturbed_end(&before);
	return r;
}

static void transfer_if_due(struct syc_session *s)
{
	struct syc_state *const ts =
		syc_self != NULL ? syc_state_of(syc_self) : NULL;

	/* A nested event leaves the transfer to a later event */
	if (ts == NULL || ts->hot.owner != 0 || !ts->has_session_ring ||
	    s->no_thread || syc_seccomp_has_filter())
		return;
	if (has_thread(s)) {
		if (__atomic_load_n(&s->is_crowded, __ATOMIC_RELAXED) != 0)
			wake_thread(s);
		return;
	}
	const int64_t now = syc_clock_kernel();
	if (is_due(s, ts, now) && transfer_undisturbed(s, now) != 0)
		__atomic_store_n(&s->not_before, now + AGAIN_NS,
		                 __ATOMIC_RELAXED);
}

/* Returns false if a related process has overwritten the word of this thread's
 * slot. */
static bool has_own_word(struct syc_thread *st)
{
	const struct syc_state *const ts = st != NULL ? syc_state_of(st) : NULL;

	return ts == NULL || ts->slot == NULL ||
	       syc_slot_pid(__atomic_load_n(ts->slot, __ATOMIC_RELAXED)) ==
	               ts->hot.pid;
}

void syc_spill_poke(bool is_filling)
{
	if (is_filling && syc_flight_pass())
		return;
	struct syc_session *const s = syc_session_look();

	if (s != NULL && is_filling) {
		if (!has_own_word(syc_self))
			__atomic_store_n(&s->is_damaged, true,
			                 __ATOMIC_RELAXED);
		__atomic_store_n(&s->is_crowded, 1, __ATOMIC_RELAXED);
		/* The end of this event transfers frames */
		__atomic_store_n(&syc_look_due, 1, __ATOMIC_RELAXED);
	} else if (s != NULL && has_thread(s)) {
		__atomic_store_n(&s->has_ended, 1, __ATOMIC_RELEASE);
		wake_thread(s);
	} else if (s != NULL && !s->no_thread && !syc_seccomp_has_filter()) {
		transfer_undisturbed(s, syc_clock_kernel());
	}
	syc_session_leave();
}

bool syc_spill_look(void)
{
	struct syc_session *const s = syc_session_look();

	if (s != NULL)
		transfer_if_due(s);
	syc_session_leave();
	return s != NULL;
}

/* --------------------------------------------------- the library's thread */

#define LONGEST_NS (1000 * MS) /* sleep while nothing is emitted */
#define SOON_NS    (10 * MS)   /* sleep after a thread's end */

/* A linked file may set this job; NULL: none. */
void (*syc_side_job)(struct syc_side *side, enum syc_side_when when);

/* End the recording.  @is_closed: no other thread can close the session. */
static void finish(struct syc_session *s, bool is_closed)
{
	bool is_last;
	const int r = syc_spill_finish(s, syc_clock_kernel() + s->exit_flush_ns,
	                               &is_last);

	if (is_closed)
		syc_session_close(s, (r == 0 || r == -EFBIG) && is_last);
}

/* End the process, which has no other threads. */
static void end_process(struct syc_session *s, int status)
{
	s->is_exiting = true;
	finish(s, status != 0); /* 0: the C library calls exit() */
	if (status != 0)
		syc_last_thread_end(status);
}

/* Sleep for @ns, or until the side job is @due.  Do not sleep if a ring
 * @may_fill up. */
static void sleep_for(struct syc_session *s, int64_t ns, int64_t due,
                      bool may_fill)
{
	uint32_t *const wakes = &syc_arena_head(&s->arena)->wakes;
	const uint32_t seen = __atomic_load_n(wakes, __ATOMIC_ACQUIRE);
	const int64_t left = due - syc_clock_kernel();

	if (__atomic_load_n(&s->must_stop, __ATOMIC_ACQUIRE) == 0 &&
	    __atomic_load_n(&s->has_ended, __ATOMIC_ACQUIRE) == 0 &&
	    !(may_fill &&
	      __atomic_load_n(&s->is_crowded, __ATOMIC_RELAXED) != 0))
		syc_futex_wait(wakes, seen, due != 0 && left < ns ? left : ns);
}

static void *run_thread(void *session)
{
	struct syc_session *const s = session;
	struct syc_side side = { .session = s };
	int64_t ns = s->interval_ns;
	uint64_t moved;
	bool is_alone = false;
	int status = 0;

	syc_library_thread_begin(SYC_THREAD_SPILL);
	__atomic_store_n(&s->thread, SYC_SPILLER_RUNS, __ATOMIC_RELEASE);
	syc_futex_wake(&s->thread);
	syc_spill_set_time(s, 0);
	/* Do the side job even in a very short session */
	syc_side_job_do(&side, SYC_SIDE_TURN);
	while (__atomic_load_n(&s->must_stop, __ATOMIC_ACQUIRE) == 0 &&
	       !is_alone) {
		const bool has_news =
			__atomic_exchange_n(&s->has_ended, 0, __ATOMIC_ACQUIRE);

		const int r = syc_spill_run(
			s, syc_clock_kernel() + s->interval_ns, &moved);
		ns = has_news              ? SOON_NS
		     : moved != 0          ? s->interval_ns
		     : 2 * ns < LONGEST_NS ? 2 * ns
		                           : LONGEST_NS;
		/* Do not immediately try a sink without space again */
		sleep_for(s, ns, side.due, r == 0);
		is_alone = syc_last_thread_is_caller(&status);
		syc_side_job_do(&side, SYC_SIDE_TURN);
	}
	syc_side_job_do(&side, SYC_SIDE_END);
	if (is_alone)
		end_process(s, status);
	else if (__atomic_load_n(&s->must_stop, __ATOMIC_RELAXED) == 2)
		finish(s, true);
	uint32_t *const state = &s->thread;
	__atomic_store_n(state, SYC_SPILLER_OVER, __ATOMIC_RELEASE);
	syc_futex_wake(state);
	return NULL;
}

int syc_spill_thread_start(struct syc_session *s)
{
	uint32_t none = SYC_SPILLER_NONE;
	struct syc_undisturbed before;

	if (!__atomic_compare_exchange_n(&s->thread, &none,
	                                 SYC_SPILLER_BEING_MADE, false,
	                                 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return 0;
	syc_undisturbed_begin(&before);
	const int r = syc_library_thread_make(run_thread, s);
	syc_undisturbed_end(&before);
	if (r == 0)
		return 0;
	/* The emitting threads transfer their frames */
	__atomic_store_n(&s->thread, SYC_SPILLER_NONE, __ATOMIC_RELEASE);
	syc_futex_wake(&s->thread);
	syc_diag_say("no thread for writing",
	             r == -EAGAIN ? "the limit of threads is reached"
	                          : "pthread_create() failed");
	return r;
}

bool syc_spill_thread_stop(struct syc_session *s, int64_t deadline)
{
	const bool is_filtered =
		syc_spill_is_filtered(s->plan, syc_clock_kernel());

	/* A filter of the calling thread may forbid the end of the session */
	__atomic_store_n(&s->must_stop, is_filtered ? 2 : 1, __ATOMIC_RELEASE);
	wake_thread(s);
	for (;;) {
		uint32_t is = SYC_SPILLER_NONE;
		const int64_t left = deadline - syc_clock_kernel();

		if (__atomic_compare_exchange_n(
			    &s->thread, &is, SYC_SPILLER_OVER, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    is == SYC_SPILLER_OVER)
			return true;
		if (left <= 0)
			return false;
		syc_futex_wait(&s->thread, is, left);
	}
}
