/* SPDX-License-Identifier: BSD-2-Clause */
/* ring_request.c - requests for rings, and a thread's wait for the answer. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <sys/un.h>

#include "emit/process.h"
#include "emit/recorder.h"
#include "os/env.h"
#include "ring/clock.h"

#define MS INT64_C(1000000)

/* Longest silence during which new threads still wait. */
#define HICCUP_NS (1000 * MS)
/* Time between two checks of one thread for a late answer. */
#define LOOK_MIN_NS (10 * MS)
#define LOOK_MAX_NS (1000 * MS)
/* Time between two repeated requests of the process. */
#define REPEAT_MIN_NS (1000 * MS)
#define REPEAT_MAX_NS (10000 * MS)

static const char silence[] = "the recorder gives no rings at present";

/*
 * Times of the recorder's silence, for this copy. These times are valid only
 * while syc_process->n_failures is not 0, and are set before n_failures.  So
 * inherited values are harmless in a child.
 */
static int64_t silent_since; /* ns */
static int64_t repeat_at;    /* ns */

/*
 * Number of answers that ended threads requested and did not receive.  Other
 * threads may take these answers.  The upper half is the pid, because a child
 * must not take its parent's answers.
 */
static uint64_t unclaimed;

static bool has_failed(void)
{
	return __atomic_load_n(&syc_process->n_failures, __ATOMIC_RELAXED) != 0;
}

bool syc_ring_request_is_by_name(void)
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

/* One thread may repeat a request after 1 s, 2 s, 4 s … of silence. */
static bool may_repeat(int64_t now)
{
	int64_t at = __atomic_load_n(&repeat_at, __ATOMIC_RELAXED);
	const int64_t next =
		now + clamp_ns(REPEAT_MIN_NS, silence_ns(now), REPEAT_MAX_NS);

	return now >= at &&
	       __atomic_compare_exchange_n(&repeat_at, &at, next, false,
	                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static uint64_t none_unclaimed_word(void)
{
	return (uint64_t)(uint32_t)syc_process->pid << 32;
}

/* Add @by, 1 or -1, to the number, which does not fall below 0. */
static void change_unclaimed(int by)
{
	const uint64_t none = none_unclaimed_word();
	uint64_t was = __atomic_load_n(&unclaimed, __ATOMIC_RELAXED);
	uint64_t now;

	do {
		now = was >> 32 == none >> 32 ? was : none;
		if (by < 0 && now == none)
			return;
		now = by < 0 ? now - 1 : now + 1;
	} while (!__atomic_compare_exchange_n(&unclaimed, &was, now, true,
	                                      __ATOMIC_RELAXED,
	                                      __ATOMIC_RELAXED));
}

/* Take an answer that an ended thread requested, or -ETIMEDOUT. */
static int take_unclaimed(void)
{
	const uint64_t none = none_unclaimed_word();
	const uint64_t now = __atomic_load_n(&unclaimed, __ATOMIC_RELAXED);

	if (now >> 32 != none >> 32 || now == none)
		return -ETIMEDOUT;
	const int r = syc_control_receive_ring(&syc_block->control, 0);
	if (r >= 0 || r == -EBADMSG)
		change_unclaimed(-1);
	return r;
}

void syc_ring_request_leave(struct syc_state *ts)
{
	if (ts->has_asked)
		change_unclaimed(1);
	ts->has_asked = false;
}

/* Returns 0 if the thread must not wait. */
static int64_t deadline_if(bool waits)
{
	return waits ? syc_clock_kernel() + SYC_CONTROL_TIMEOUT_MS * MS : 0;
}

static int request_over_inherited(struct syc_state *ts)
{
	int r = ts->has_asked ? -ETIMEDOUT : take_unclaimed();

	if (r >= 0)
		return r;
	const int64_t now = syc_clock_kernel();
	const bool is_first = ts->retry_at == 0;
	const bool asks = is_first || (!ts->has_asked && !has_failed()) ||
	                  may_repeat(now);
	/* After an answer, even without a ring, the thread may wait again */
	const bool waits =
		asks && (is_first ? !has_failed() || silence_ns(now) < HICCUP_NS
	                          : !ts->has_asked);

	r = asks ? syc_control_send_request(&syc_block->control,
	                                    deadline_if(waits))
	         : 0;
	if (asks && r == 0)
		ts->has_asked = true;
	/* Receive also if the socket had no space for a request.  The time
	 * limit begins after the request, which may be late on a busy
	 * machine */
	if (r == 0 || r == -ETIMEDOUT)
		r = syc_control_receive_ring(&syc_block->control,
		                             deadline_if(waits));
	if (r >= 0 || r == -EBADMSG)
		ts->has_asked = false;
	return r;
}

/* The process parks one late connection, for the next thread that checks.  The
 * process drops other late requests, and repeats these requests after the
 * recorder answers. */
static int request_by_name(const struct syc_state *ts)
{
	const int r = syc_connection_look();
	const bool waits =
		!has_failed() || (ts->retry_at == 0 &&
	                          silence_ns(syc_clock_kernel()) < HICCUP_NS);

	if (r == -ENOENT || (r == -ETIMEDOUT && waits))
		return syc_connection_request(
			&syc_block->mapped[ts - syc_states].connection,
			deadline_if(waits));
	return r;
}

int syc_ring_request(struct syc_state *ts)
{
	return syc_ring_request_is_by_name() ? request_by_name(ts)
	                                     : request_over_inherited(ts);
}

int syc_ring_request_at_exit(int64_t deadline)
{
	struct syc_control_socket connection;

	if (syc_ring_request_is_by_name())
		return syc_connection_request(&connection, deadline);
	const int r = syc_control_send_request(&syc_block->control, deadline);
	if (r != 0)
		return r;
	return syc_control_receive_ring(&syc_block->control, deadline);
}

void syc_ring_request_note_ring(void)
{
	if (has_failed()) {
		__atomic_store_n(&syc_process->n_failures, 0, __ATOMIC_RELAXED);
		syc_process_set_reason(
			syc_ring_request_is_by_name()
				? "SYSCAP_RECORDER leads to a recorder"
				: "SYSPROF_CONTROL_FD leads to a recorder");
		syc_diag_say("the recorder", "gives rings again");
	}
}

/* Count a failure.  Overlapping waits count as one failure, at the end of the
 * first wait. */
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

void syc_ring_request_note_failure(struct syc_state *ts, int r)
{
	const int64_t now = syc_clock_kernel();

	/* If a connection to the name is closed, the recorder may have had no
	 * space for the connection.  The recorder has not necessarily ended */
	if ((r == -ESTALE || r == -EPIPE) && !syc_ring_request_is_by_name()) {
		const char *const why =
			r == -ESTALE ? "SYSPROF_CONTROL_FD was closed or reused"
				     : "the recorder has ended";
		ts->retry_at = INT64_MAX;
		/* Threads with a ring continue */
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
	syc_diag_say("no ring for a thread",
	             r == -ETIMEDOUT ? "no answer yet"
	             : r == -EBADMSG ? "the answer was not a ring"
	                             : "a system call failed");
}
