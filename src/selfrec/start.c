/* SPDX-License-Identifier: BSD-2-Clause */
/* start.c - begin and end a recording: by a call, and when the process ends. */
#define _GNU_SOURCE
#include "selfrec/start.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/process.h"
#include "emit/share.h"
#include "emit/thread.h"
#include "os/diag.h"
#include "ring/clock.h"
#include "selfrec/drain.h"
#include "selfrec/drain_thread.h"
#include "selfrec/session.h"
#include "share/loaded_copies.h"

#define MS INT64_C(1000000)
/* How long exit() waits for a start or stop that is under way. */
#define LIFE_WAIT_NS (250 * MS)
/* syscap_stop() is a call that may take its time, but not for ever. */
#define STOP_NS (5000 * MS)

/* Emits that began before syc_active changed end within moments; the frames
 * that they publish belong into the capture. */
static void wait_for_emits(void)
{
	const uint32_t n =
		__atomic_load_n(&syc_process->high_water, __ATOMIC_RELAXED);

	for (int i = 0; i < 20; i++) {
		bool is_busy = false;

		for (uint32_t k = 0; k < n; k++) {
			const struct syc_state *const ts = syc_state_at(k);

			is_busy |=
				syc_self != &ts->hot &&
				__atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
					SYC_STATE_ALIVE &&
				__atomic_load_n(&ts->hot.owner,
			                        __ATOMIC_ACQUIRE) != 0;
		}
		if (!is_busy)
			return;
		poll(NULL, 0, 1);
	}
}

/* Nobody looks into a session any more that was taken away. */
static bool wait_for_users(int64_t deadline)
{
	while (__atomic_load_n(&syc_process->users, __ATOMIC_SEQ_CST) != 0) {
		if (syc_clock_kernel() >= deadline)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

/*
 * By who has `life`; syc_process->session is another's or nobody's by now.
 * Memory that somebody may still look into is left behind.
 */
static int end(struct syc_session *s, int64_t flush_ns)
{
	const int64_t deadline = syc_clock_kernel() + flush_ns;
	int r;

	wait_for_emits();
	if (__atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) != 0)
		r = syc_drain_thread_stop(s, deadline);
	else
		r = syc_drain_finish(s, deadline);
	if (r == -ETIMEDOUT || r == -EBUSY ||
	    !wait_for_users(deadline + SYC_DRAIN_GRACE_NS))
		return r == 0 ? 0 : r;
	syc_session_free(s, r == 0 || r == -EFBIG);
	return r;
}

/* What start, stop and exit do with signals blocked: a handler on top of
 * them would wait for itself. */
static void block_signals(sigset_t *ret_before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, ret_before);
}

static int fail_start(struct syscap_options *options, const char *why, int r)
{
	syc_text_field(options->message, sizeof(options->message), why);
	syc_diag_say("syscap_start()", why);
	return r;
}

/* By who has `life`, signals blocked. */
static int start(struct syscap_options *options)
{
	struct syc_session *before = syc_process->session;
	const int epoch = syc_process_next_epoch();
	const char *why;

	if (syc_destination_is_started() && syc_block->active != 0)
		return fail_start(options, "a recording is running already",
		                  -EALREADY);
	if (before != NULL && before->is_started) {
		/* it failed, or met its limit, and was not stopped */
		__atomic_store_n(&syc_process->session, NULL, __ATOMIC_SEQ_CST);
		end(before, STOP_NS);
		before = NULL;
	}
	why = syc_plan_from_options(options);
	if (why != NULL)
		return fail_start(options, why, -EINVAL);
	struct syc_session *const s =
		syc_session_make(syc_plan_of_options(), epoch, &why);
	if (s == NULL)
		return fail_start(options, why, -EIO);
	if (syc_share_works())
		syc_loaded_copies_enter(syc_block);
	__atomic_store_n(&syc_process->session, s, __ATOMIC_SEQ_CST);
	syc_plan_use_options();
	syc_process_set_reason("syscap_start() was called");
	syc_copies_set_active(epoch);
	syc_text_field(options->message, sizeof(options->message),
	               s->output.path);
	if (before != NULL)
		end(before, STOP_NS);
	return 0;
}

int syscap_start(struct syscap_options *given)
{
	struct syscap_options options = { .size = sizeof(options) };
	const size_t size =
		given->size < sizeof(options) ? given->size : sizeof(options);
	sigset_t before;
	int r;

	if (size < offsetof(struct syscap_options, message) + 64)
		return -EINVAL;
	memcpy(&options, given, size);
	options.size = sizeof(options);
	r = syc_process_prepare();
	if (r != 0) {
		r = fail_start(&options, "no memory for thread states", r);
	} else if (syc_process_current() != getpid()) {
		r = fail_start(&options, "not in a vfork() child", -EPERM);
	} else {
		block_signals(&before);
		if (!syc_session_take_life(syc_clock_kernel() + STOP_NS)) {
			r = fail_start(&options,
			               "another start or stop takes too long",
			               -EBUSY);
		} else {
			r = start(&options);
			syc_session_give_life();
		}
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	struct syc_session *const s = r == 0 ? syc_session_look() : NULL;
	if (s != NULL && !s->no_thread)
		syc_drain_thread_start(s); /* else the next event tries again */
	if (r == 0)
		syc_session_leave();
	memcpy(given->message, options.message,
	       size - offsetof(struct syscap_options, message));
	return r;
}

int syscap_stop(void)
{
	struct syc_session *s;
	sigset_t before;
	int r = -ENOENT;

	syc_process_join();
	if (!syc_process_is_there() || !syc_destination_is_started())
		return -ENOENT;
	block_signals(&before);
	if (!syc_session_take_life(syc_clock_kernel() + STOP_NS)) {
		r = -EBUSY;
		goto out;
	}
	if (syc_destination_is_started()) {
		s = syc_process->session;
		__atomic_store_n(&syc_process->session, NULL, __ATOMIC_SEQ_CST);
		syc_plan_use_environment();
		const enum syc_sink sink = syc_destination_sink();
		syc_process_set_reason(sink == SYC_SINK_NONE
		                               ? "syscap_stop() was called"
		                               : "the environment's recording "
		                                 "goes on");
		syc_copies_set_active(
			sink == SYC_SINK_NONE ? 0 : syc_process_next_epoch());
		r = s != NULL ? end(s, STOP_NS) : 0;
	}
	syc_session_give_life();
out:
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

int syscap_drain(void)
{
	struct syc_session *s;
	sigset_t before;
	uint64_t moved;
	int r = 0;

	syc_process_join();
	if (!syc_process_is_there() || !syc_process->session)
		return 0;
	block_signals(&before);
	s = syc_session_look();
	if (s != NULL) {
		const int64_t deadline = syc_clock_kernel() + s->interval_ns;

		if (__atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) != 0)
			r = syc_drain_thread_flush(s, deadline + LIFE_WAIT_NS);
		else
			do {
				r = syc_drain_pass_alone(s, deadline, false,
				                         &moved);
			} while (r == 0 && moved != 0 &&
			         syc_clock_kernel() < deadline);
		/* one was made meanwhile */
		if (r == -EBUSY &&
		    __atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) != 0)
			r = syc_drain_thread_flush(s, deadline + LIFE_WAIT_NS);
	}
	syc_session_leave();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

void syc_start_end(void)
{
	sigset_t before;

	block_signals(&before);
	if (syc_session_take_life(syc_clock_kernel() + LIFE_WAIT_NS)) {
		struct syc_session *const s = syc_process->session;

		if (s != NULL) {
			syc_process_set_reason("the process exits");
			syc_copies_set_active(0);
			__atomic_store_n(&syc_process->session, NULL,
			                 __ATOMIC_SEQ_CST);
			end(s, s->exit_flush_ns);
		}
		syc_session_give_life();
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
