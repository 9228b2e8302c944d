/* SPDX-License-Identifier: BSD-2-Clause */
/* drain_thread.c - the thread that drains a session's rings. */
#define _GNU_SOURCE
#include "session/drain_thread.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "session/drain.h"
#include "session/session.h"

#define MS           INT64_C(1000000)
#define CHILD_AGE_NS (100 * MS)
#define READY_NS     (1000 * MS)
#define HOLD_NS      (500 * MS)
#define BLIND_NS     (100 * MS) /* asleep without membarrier() */
#define RETRY_NS     (500 * MS) /* sleep while the sink has no space */
#define TRY_AGAIN_NS (1 * MS)

enum {
	THREAD_NONE = 0,
	THREAD_BEING_MADE,
	THREAD_RUNS,
	THREAD_ENDED,
};

/* No job, unless a linked file sets a job. */
void (*syc_side_job)(struct syc_side *side, enum syc_side_when when);

/* Wait until *@word is not @value.  False: the deadline has passed. */
static bool wait_until(uint32_t *word, uint32_t value, int64_t deadline)
{
	for (;;) {
		const int64_t left = deadline - syc_clock_kernel();

		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
			return true;
		if (left <= 0)
			return false;
		syc_futex_wait(word, value, left);
	}
}

/* ------------------------------------------------------------------ fds */

/* Take the fds while no other thread uses them.  The rest of a frame must be
 * written from the fd table that has the lock: see session/trace.h. */
static void take_descriptors(struct syc_session *s)
{
	const bool is_output = s->plan->to.sink == SYC_SINK_OUTPUT;

	if (!syc_drain_hold(s, syc_clock_kernel() + HOLD_NS))
		return;
	s->copies[0] = is_output ? s->output.fd : s->trace.fd;
	s->copies[1] = s->output.ring_fd;
	s->copies[2] = is_output || s->trace.shared == s->trace.fd
	                       ? -1
	                       : s->trace.shared;
	if (!syc_trace_has_rest(&s->trace))
		__atomic_store_n(&s->owns_table,
		                 syc_private_fds_make(s->copies, 3),
		                 __ATOMIC_RELEASE);
	/* Take the lock before the process closes its copies, which drops its
	 * locks */
	if (s->owns_table && is_output)
		syc_output_hold(&s->output);
	else if (s->owns_table)
		syc_trace_hold(&s->trace);
	__atomic_store_n(&s->has_copies, s->owns_table, __ATOMIC_RELEASE);
	syc_drain_release(s);
}

static void close_copy(int fd, dev_t dev, ino_t ino)
{
	if (syc_fd_is_file(fd, dev, ino))
		syc_fd_close(fd);
}

/*
 * Called by the thread's maker, whose fd table still has the copies.  If the
 * thread began late, this function is called at the session's end, when the
 * program may have closed the copies and reused their numbers.
 */
static void close_copies(struct syc_session *s)
{
	if (!__atomic_exchange_n(&s->has_copies, false, __ATOMIC_ACQ_REL))
		return;
	const bool is_output = s->plan->to.sink == SYC_SINK_OUTPUT;
	const dev_t dev = is_output ? s->output.dev : s->trace.target.dev;
	const ino_t ino = is_output ? s->output.ino : s->trace.target.ino;

	close_copy(s->copies[0], dev, ino);
	close_copy(s->copies[2], dev, ino);
	close_copy(s->copies[1], s->output.ring_dev, s->output.ring_ino);
}

/* ------------------------------------------------------------ the thread */

static bool have_membarrier(void)
{
	return syscall(SYS_membarrier,
	               MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

struct drainer {
	struct syc_session *session;
	bool has_barrier;
	bool has_rested; /* no event since the last turn */
	int64_t nap_ns;
	struct syc_last_thread last_check;
	struct syc_side side;
};

/* @ns, or the shorter time until a side job is due. */
static int64_t until_side_job(const struct drainer *d, int64_t ns)
{
	const int64_t left = d->side.due - syc_clock_kernel();

	return d->side.due != 0 && left < ns ? left : ns;
}

static void wait_a_while(const struct drainer *d, int64_t ns)
{
	struct syc_session *const s = d->session;
	const uint32_t seen = __atomic_load_n(s->wakes, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&s->asked, __ATOMIC_ACQUIRE) == 0 &&
	    __atomic_load_n(&syc_arena_head(&s->arena)->asks,
	                    __ATOMIC_RELAXED) == 0)
		syc_futex_wait(s->wakes, seen, until_side_job(d, ns));
}

/* Longest sleep if no work is expected. */
static int64_t longest_sleep(const struct drainer *d)
{
	int64_t most = syc_last_thread_longest_sleep(&d->last_check);

	/* No event or end of a child wakes this thread */
	if (d->session->relatives.n != 0 && most > SYC_RELATIVES_LOOK_NS)
		most = SYC_RELATIVES_LOOK_NS;

	if (d->session->retry_at != 0)
		return most < RETRY_NS ? most : RETRY_NS;
	return d->has_barrier || most < BLIND_NS ? most : BLIND_NS;
}

/* False: no wake-up, and no frames to drain. */
static bool sleep_until_woken(struct drainer *d)
{
	struct syc_session *const s = d->session;
	const uint32_t seen = __atomic_load_n(s->wakes, __ATOMIC_ACQUIRE);
	const int64_t longest = until_side_job(d, longest_sleep(d));

	syc_copies_set_sleeping(1);
	if (d->has_barrier)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	if ((s->retry_at != 0 || !syc_batch_has_work(s)) &&
	    __atomic_load_n(&s->asked, __ATOMIC_SEQ_CST) == 0)
		syc_last_thread_sleep(&d->last_check, s->wakes, seen, longest);
	syc_copies_set_sleeping(0);
	return s->retry_at != 0 || syc_batch_has_work(s) ||
	       syc_relatives_are_due(s, syc_clock_kernel()) ||
	       __atomic_load_n(s->wakes, __ATOMIC_ACQUIRE) != seen;
}

static void answer_requests(struct drainer *d, uint32_t asked, int result)
{
	struct syc_session *const s = d->session;

	if ((asked & SYC_ASK_ENDED) != 0)
		syc_last_thread_hurry(&d->last_check);
	if ((asked & SYC_ASK_FLUSH) != 0) {
		__atomic_store_n(&s->flush_result, result, __ATOMIC_RELAXED);
		__atomic_add_fetch(&s->flushed, 1, __ATOMIC_RELEASE);
		syc_futex_wake(&s->flushed);
	}
}

/*
 * Accept signals, because no thread of the program is left to do so.  This
 * thread must not run a handler of the program.
 */
static void take_signals(void)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	struct sigaction action;
	uint64_t ours = 0;

	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &action) == 0 &&
		    (action.sa_flags & SA_SIGINFO) == 0 &&
		    action.sa_handler == SIG_DFL)
			ours |= syc_signal_bit(signals[i]);
	syc_signal_mask(SIG_UNBLOCK, ours);
}

/* Whether a child reports that its ring fills up, or that few slots are
 * left. */
static bool take_request(struct syc_session *s)
{
	uint32_t *const asks = &syc_arena_head(&s->arena)->asks;

	if (__atomic_load_n(asks, __ATOMIC_RELAXED) == 0)
		return false;
	__atomic_store_n(asks, 0, __ATOMIC_RELAXED);
	s->must_look = true;
	return true;
}

/* True: the session is over. */
static bool take_turn(struct drainer *d)
{
	struct syc_session *const s = d->session;
	uint32_t asked = __atomic_exchange_n(&s->asked, 0, __ATOMIC_SEQ_CST);
	uint64_t moved = 0;

	if (take_request(s))
		asked |= SYC_ASK_ROOM;

	if ((asked & SYC_ASK_STOP) != 0)
		return true;
	int r = 0;
	if (asked != 0 || !d->has_rested)
		r = syc_drain_pass(s, SYC_DRAIN_THREAD,
		                   syc_clock_kernel() + s->plan->interval_ns,
		                   &moved);
	answer_requests(d, asked, r);
	if (syc_last_thread_check(&d->last_check))
		return true;
	d->has_rested = false;
	syc_side_job_do(&d->side, SYC_SIDE_TURN);
	if (moved != 0) {
		/* More frames come: let frames accumulate, unless a ring fills
		 * up.  If many frames come, look more often: a wake-up costs
		 * time of the emitting thread. */
		if (moved > s->arena.body / 8 || (asked & SYC_ASK_ROOM) != 0)
			d->nap_ns = d->nap_ns / 4 > MS ? d->nap_ns / 4 : MS;
		else if (d->nap_ns * 2 < s->plan->interval_ns)
			d->nap_ns *= 2;
		else
			d->nap_ns = s->plan->interval_ns;
		wait_a_while(d, d->nap_ns);
	} else if (r == -EAGAIN && s->retry_at == 0) {
		wait_a_while(d, MS); /* a slow reader, or another's lock */
	} else {
		d->has_rested = !sleep_until_woken(d);
		if (!d->has_rested && s->retry_at == 0)
			wait_a_while(d, s->plan->interval_ns);
	}
	return false;
}

static void *run_drainer(void *session)
{
	struct syc_session *const s = session;
	struct drainer d = { .session = s,
		             .has_barrier = have_membarrier(),
		             .nap_ns = s->plan->interval_ns,
		             .side.session = s };

	syc_last_thread_begin(&d.last_check, s->main_end);
	syc_library_thread_begin(SYC_THREAD_DRAIN);
	s->thread_tid = gettid();
	take_descriptors(s);
	syc_guest_invite(s);
	__atomic_store_n(&s->thread, THREAD_RUNS, __ATOMIC_RELEASE);
	__atomic_store_n(&s->is_ready, 1, __ATOMIC_RELEASE);
	syc_futex_wake(&s->is_ready);
	/* Do the side job even in a very short session */
	syc_side_job_do(&d.side, SYC_SIDE_TURN);
	while (!take_turn(&d))
		;
	if (d.last_check.is_alone) {
		take_signals();
		s->is_exiting = true;
	}
	syc_side_job_do(&d.side, SYC_SIDE_END);
	const int64_t given = __atomic_load_n(&s->deadline, __ATOMIC_ACQUIRE);
	s->result = syc_drain_finish(
		s, given != 0 ? given
			      : syc_clock_kernel() + s->plan->exit_flush_ns);
	syc_session_close(s, (s->result == 0 || s->result == -EFBIG) &&
	                             !s->is_needed);
	syc_guest_refuse(s, SYC_ARENA_CLOSED);
	/* From here on the owner may free the session, so do not use the
	 * session */
	uint32_t *const ended = &s->thread;
	__atomic_store_n(ended, THREAD_ENDED, __ATOMIC_RELEASE);
	syc_futex_wake(ended);
	/* If all threads have ended by pthread_exit(), the C library calls
	 * exit() */
	if (d.last_check.is_alone && d.last_check.status != 0)
		syc_last_thread_end(d.last_check.status);
	return NULL;
}

/* ---------------------------------------------------------- from outside */

int syc_drain_thread_start(struct syc_session *s)
{
	uint32_t none = THREAD_NONE;
	struct syc_undisturbed before;

	if (!__atomic_compare_exchange_n(&s->thread, &none, THREAD_BEING_MADE,
	                                 false, __ATOMIC_ACQ_REL,
	                                 __ATOMIC_RELAXED))
		return 0;
	syc_undisturbed_begin(&before);
	s->main_end = syc_last_thread_first_word();
	const int r = syc_library_thread_make(run_drainer, s);
	syc_undisturbed_end(&before);
	if (r != 0) {
		__atomic_store_n(&s->thread, THREAD_NONE, __ATOMIC_RELEASE);
		/* Wake a thread that stops the session: it continues without a
		 * drain thread */
		syc_futex_wake(&s->thread);
		syc_diag_say("no drain thread",
		             r == -EAGAIN ? "the limit of threads is reached"
		                          : "pthread_create() failed");
		return r;
	}
	if (wait_until(&s->is_ready, 0, syc_clock_kernel() + READY_NS))
		close_copies(s);
	return 0;
}

/* @ask: SYC_ASK_* */
static void ask_thread(struct syc_session *s, uint32_t ask)
{
	const uint32_t before =
		__atomic_fetch_or(&s->asked, ask, __ATOMIC_SEQ_CST);

	if ((before & ask) == ask && (ask & SYC_ASK_FLUSH) == 0)
		return;
	__atomic_add_fetch(s->wakes, 1, __ATOMIC_SEQ_CST);
	syc_futex_wake(s->wakes);
}

int syc_drain_thread_stop(struct syc_session *s, int64_t deadline)
{
	__atomic_store_n(&s->deadline, deadline, __ATOMIC_RELEASE);
	ask_thread(s, SYC_ASK_STOP);
	for (;;) {
		uint32_t thread = THREAD_NONE;

		/* A thread that saw the session before its removal may be about
		 * to make a drain thread, or may have failed to make one */
		if (__atomic_compare_exchange_n(
			    &s->thread, &thread, THREAD_ENDED, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return syc_drain_finish(s, deadline);
		if (thread == THREAD_ENDED) {
			close_copies(s);
			return s->result;
		}
		if (!wait_until(&s->thread, thread,
		                deadline + SYC_DRAIN_GRACE_NS))
			return -ETIMEDOUT;
	}
}

int syc_drain_thread_flush(struct syc_session *s, int64_t deadline)
{
	const uint32_t flushed = __atomic_load_n(&s->flushed, __ATOMIC_ACQUIRE);

	ask_thread(s, SYC_ASK_FLUSH);
	/* The first flush may have begun before our events; only the second
	 * flush surely includes our events */
	if (!wait_until(&s->flushed, flushed, deadline))
		return -EAGAIN;
	ask_thread(s, SYC_ASK_FLUSH);
	return wait_until(&s->flushed, flushed + 1, deadline)
	               ? __atomic_load_n(&s->flush_result, __ATOMIC_RELAXED)
	               : -EAGAIN;
}

/* Whether to make a thread: a child may be about to exec, so it gets no thread
 * at first. */
static bool may_have_thread(const struct syc_session *s, int64_t now)
{
	return !s->no_thread && !s->is_orphan && s->pid == getpid() &&
	       (!s->is_child || now - s->began >= CHILD_AGE_NS ||
	        __atomic_load_n(&s->is_crowded, __ATOMIC_RELAXED));
}

static bool in_handler(void)
{
	struct syc_state *const ts =
		syc_self != NULL ? syc_state_of(syc_self) : NULL;

	if (ts == NULL || ts->is_in_handler)
		return true;
	syc_thread_has_on_stack(ts, (uintptr_t)__builtin_frame_address(0));
	return syc_handler_may_run(ts->stack_low, ts->stack_high);
}

/* Make the thread outside of handlers only: then this thread holds no lock of
 * the C library. */
static bool try_to_make(struct syc_session *s)
{
	const int64_t now = syc_clock_kernel();

	if (!may_have_thread(s, now) ||
	    now - __atomic_load_n(&s->tried_at, __ATOMIC_RELAXED) <
	            TRY_AGAIN_NS)
		return false;
	__atomic_store_n(&s->tried_at, now, __ATOMIC_RELAXED);
	return !in_handler() && syc_drain_thread_start(s) == 0;
}

bool syc_drain_thread_wake(void)
{
	struct syc_session *const s = syc_session_look();

	if (s != NULL && !__atomic_load_n(&s->is_guest, __ATOMIC_ACQUIRE)) {
		if (__atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) !=
		    THREAD_NONE) {
			__atomic_add_fetch(s->wakes, 1, __ATOMIC_SEQ_CST);
			syc_futex_wake(s->wakes);
		} else if (!s->no_thread && !try_to_make(s)) {
			/* the next event tries again */
			__atomic_store_n(&syc_drain_sleeping, 1,
			                 __ATOMIC_RELAXED);
		}
	}
	syc_session_leave();
	return s != NULL;
}

static void poke_as_guest(struct syc_session *s)
{
	struct syc_undisturbed before;

	syc_undisturbed_begin(&before);
	syc_guest_wake_drainer(s);
	if (!syc_guest_check(s, false))
		syc_guest_leave(s);
	syc_undisturbed_end(&before);
}

void syc_drain_thread_poke(bool is_filling)
{
	struct syc_session *const s = syc_session_look();

	if (s == NULL)
		;
	else if (__atomic_load_n(&s->is_guest, __ATOMIC_ACQUIRE)) {
		if (is_filling)
			poke_as_guest(s);
	} else if (__atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) !=
	           THREAD_NONE) {
		ask_thread(s, is_filling ? SYC_ASK_ROOM : SYC_ASK_ENDED);
	} else if (is_filling) { /* the end of this event makes the thread */
		__atomic_store_n(&s->is_crowded, true, __ATOMIC_RELAXED);
	}
	syc_session_leave();
}
