/* SPDX-License-Identifier: BSD-2-Clause */
/* ask.c - when a thread asks the recorder for a ring, and whether it waits. */
#define _GNU_SOURCE
#include "emit/ask.h"

#include <errno.h>
#include <stdint.h>
#include <sys/un.h>

#include "emit/connection.h"
#include "emit/control.h"
#include "emit/process.h"
#include "os/env.h"
#include "ring/clock.h"

#define MS INT64_C(1000000)

/* A silence of up to this may be a hiccup: threads wait for it to pass. */
#define HICCUP_NS (1000 * MS)
/* Between two looks of one thread for an answer that is late. */
#define LOOK_MIN_NS (10 * MS)
#define LOOK_MAX_NS (1000 * MS)
/* Between two requests that are repeated, of the whole process. */
#define REPEAT_MIN_NS (1000 * MS)
#define REPEAT_MAX_NS (10000 * MS)

static const char silence[] = "the recorder gives no rings just now";

/*
 * This copy's.  They count while syc_process->n_failures is not 0, and whoever
 * makes it so sets them first: what a child inherits does no harm.
 */
static int64_t silent_since; /* ns */
static int64_t repeat_at;    /* ns */

/*
 * How many answers are still to come for threads that ended before they got
 * theirs: other threads may take them.  In the upper half stands the pid, for a
 * child must not take what was meant for its parent.
 */
static uint64_t left;

static bool has_failed(void)
{
	return __atomic_load_n(&syc_process->n_failures, __ATOMIC_RELAXED) != 0;
}

bool syc_ask_is_by_name(void)
{
	return syc_block->recorder->sun_family != 0 &&
	       !syc_control_is_same(&syc_block->control);
}

static int64_t clamp_ns(int64_t low, int64_t ns, int64_t high)
{
	return ns < low ? low : ns > high ? high : ns;
}

static int64_t silence_ns(int64_t now)
{
	return now - __atomic_load_n(&silent_since, __ATOMIC_RELAXED);
}

/* One thread may ask again after 1 s, 2 s, 4 s … of silence. */
static bool may_repeat(int64_t now)
{
	int64_t at = __atomic_load_n(&repeat_at, __ATOMIC_RELAXED);
	const int64_t next =
		now + clamp_ns(REPEAT_MIN_NS, silence_ns(now), REPEAT_MAX_NS);

	return now >= at &&
	       __atomic_compare_exchange_n(&repeat_at, &at, next, false,
	                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static uint64_t none_left_word(void)
{
	return (uint64_t)(uint32_t)syc_process->pid << 32;
}

/* One more, or one less; not less than none. */
static void change_left(int by)
{
	const uint64_t none = none_left_word();
	uint64_t was = __atomic_load_n(&left, __ATOMIC_RELAXED);
	uint64_t now;

	do {
		now = was >> 32 == none >> 32 ? was : none;
		if (by < 0 && now == none)
			return;
		now = by < 0 ? now - 1 : now + 1;
	} while (!__atomic_compare_exchange_n(
		&left, &was, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* An answer that nobody waits for any more, or -ETIMEDOUT. */
static int take_left(void)
{
	const uint64_t none = none_left_word();
	const uint64_t now = __atomic_load_n(&left, __ATOMIC_RELAXED);

	if (now >> 32 != none >> 32 || now == none)
		return -ETIMEDOUT;
	const int r = syc_control_receive_ring(&syc_block->control, 0);
	if (r >= 0 || r == -EBADMSG)
		change_left(-1);
	return r;
}

void syc_ask_leave(struct syc_state *ts)
{
	if (ts->has_asked)
		change_left(1);
	ts->has_asked = false;
}

/* 0: there is nothing to wait for. */
static int64_t deadline_if(bool waits)
{
	return waits ? syc_clock_kernel() + SYC_CONTROL_TIMEOUT_MS * MS : 0;
}

static int ask_over_inherited(struct syc_state *ts)
{
	int r = ts->has_asked ? -ETIMEDOUT : take_left();

	if (r >= 0)
		return r;
	const int64_t now = syc_clock_kernel();
	const bool is_first = ts->retry_at == 0;
	const bool asks = is_first || (!ts->has_asked && !has_failed()) ||
	                  may_repeat(now);
	/* A request that was answered, if with no ring, lets it wait again */
	const bool waits =
		asks && (is_first ? !has_failed() || silence_ns(now) < HICCUP_NS
	                          : !ts->has_asked);

	r = asks ? syc_control_send_request(&syc_block->control,
	                                    deadline_if(waits))
	         : 0;
	if (asks && r == 0)
		ts->has_asked = true;
	/* Also where there was no room for a request.  The recorder's time
	 * begins when it is asked, which may be late on a busy machine */
	if (r == 0 || r == -ETIMEDOUT)
		r = syc_control_receive_ring(&syc_block->control,
		                             deadline_if(waits));
	if (r >= 0 || r == -EBADMSG)
		ts->has_asked = false;
	return r;
}

/* One request that nobody waits for any more is kept, for whoever looks next;
 * others are given up, and made again once the recorder answers. */
static int ask_by_name(const struct syc_state *ts)
{
	const int r = syc_connection_look();
	const bool waits =
		!has_failed() || (ts->retry_at == 0 &&
	                          silence_ns(syc_clock_kernel()) < HICCUP_NS);

	if (r == -ENOENT || (r == -ETIMEDOUT && waits))
		return syc_connection_ask(
			&syc_block->mapped[ts - syc_states].connection,
			deadline_if(waits));
	return r;
}

int syc_ask_for_ring(struct syc_state *ts)
{
	return syc_ask_is_by_name() ? ask_by_name(ts) : ask_over_inherited(ts);
}

int syc_ask_at_exit(int64_t deadline)
{
	struct syc_control_socket connection;

	if (syc_ask_is_by_name())
		return syc_connection_ask(&connection, deadline);
	const int r = syc_control_send_request(&syc_block->control, deadline);
	if (r != 0)
		return r;
	return syc_control_receive_ring(&syc_block->control, deadline);
}

void syc_ask_note_ring(void)
{
	if (has_failed()) {
		__atomic_store_n(&syc_process->n_failures, 0, __ATOMIC_RELAXED);
		syc_process_set_reason(
			syc_ask_is_by_name()
				? "SYSCAP_RECORDER leads to a recorder"
				: "SYSPROF_CONTROL_FD leads to a recorder");
		syc_diag_say("the recorder", "gives rings again");
	}
}

/* Waits that overlap are one failure: the first that ends counts. */
static void fall_silent(int64_t now)
{
	uint32_t none = 0;

	if (has_failed())
		return;
	__atomic_store_n(&silent_since, now, __ATOMIC_RELAXED);
	__atomic_store_n(&repeat_at, now + REPEAT_MIN_NS, __ATOMIC_RELAXED);
	if (!__atomic_compare_exchange_n(&syc_process->n_failures, &none, 1,
	                                 false, __ATOMIC_RELAXED,
	                                 __ATOMIC_RELAXED))
		return;
	if (__atomic_load_n(&syc_process->n_rings, __ATOMIC_RELAXED) == 0)
		syc_process_set_reason(silence);
}

void syc_ask_note_failure(struct syc_state *ts, int r)
{
	const int64_t now = syc_clock_kernel();

	/* By name, a closed connection only says that there was no room for
	 * it, and not that the recorder has ended */
	if ((r == -ESTALE || r == -EPIPE) && !syc_ask_is_by_name()) {
		const char *const why =
			r == -ESTALE ? "SYSPROF_CONTROL_FD was closed or reused"
				     : "the recorder is gone";
		ts->retry_at = INT64_MAX;
		/* Threads that have a ring go on while it is there */
		if (__atomic_load_n(&syc_process->n_rings, __ATOMIC_RELAXED) !=
		    0)
			syc_process_set_reason(why);
		else
			syc_process_turn_off(why);
		return;
	}
	fall_silent(now);
	ts->retry_at =
		now + clamp_ns(LOOK_MIN_NS, silence_ns(now) / 4, LOOK_MAX_NS);
	syc_diag_say("no ring for a thread", r == -ETIMEDOUT ? "no answer yet"
	                                     : r == -EBADMSG
	                                             ? "the answer was no ring"
	                                             : "a system call failed");
}
