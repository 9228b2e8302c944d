/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counting.c - counters of the kernel, which the thread of spill.h
 * reads.
 *
 * A linker takes this file if the program refers to it
 * (<syscap/system_counters.h>).  Only then does SYSCAP_COUNTERS have an effect.
 * The library itself never refers to this file.
 *
 * Frames go directly into the sink.  Frames that can't be written are counted
 * as lost.  An id without a definition has no name.  So if a definition or a
 * file is lost, the thread defines all counters again, with new ids.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <syscap.h>
#include <syscap/system_counters.h>

#include "collect/counters.h"
#include "emit/event.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "os/env.h"
#include "os/signals.h"
#include "ring/clock.h"
#include "session/process_frames.h"
#include "session/session.h"
#include "session/spill.h"

#define SECOND  INT64_C(1000000000)
#define WAIT_NS (SECOND / 4) /* longest wait for the sink */

#define METADATA_ID "syscap.counters"

/* Groups and, above them, the rate; 0: read no counter. */
static uint32_t chosen;

static uint32_t pack_asked(const struct syc_asked *asked)
{
	return asked->groups | asked->hz << SYC_COUNTERS_GROUPS;
}

static struct syc_asked unpack_asked(uint32_t packed)
{
	return (struct syc_asked){ .groups = packed & SYC_COUNTERS_ALL,
		                   .hz = packed >> SYC_COUNTERS_GROUPS };
}

/* ------------------------------------------------------------ the frames */

/* Frames on their way into the sink. */
struct frames {
	struct syc_side *side;
	uint32_t n;
	unsigned char bytes[16384];
};

static int64_t wait_until(void)
{
	return syc_clock_kernel() + WAIT_NS;
}

static void lose(struct syc_side *side, const unsigned char *bytes, uint32_t n)
{
	struct syc_ring_losses *const lost =
		&syc_arena_head(&side->session->arena)->lost;

	for (uint32_t at = 0; at < n;) {
		struct syscap_wire_frame head;

		memcpy(&head, bytes + at, sizeof(head));
		syc_loss_totals_add(lost, head.type, head.len, head.time);
		if (head.type != SYSCAP_FRAME_CTRSET)
			side->is_torn = true;
		at += head.len;
	}
}

static void write_frames(struct syc_side *side, const unsigned char *bytes,
                         uint32_t n)
{
	if (n != 0 &&
	    syc_spill_frames(side->session, bytes, n, wait_until()) != 0)
		lose(side, bytes, n);
}

static void flush(struct frames *frames)
{
	write_frames(frames->side, frames->bytes, frames->n);
	frames->n = 0;
}

static bool add_frame(void *of, const void *frame, uint32_t len)
{
	struct frames *const frames = of;

	if (len > sizeof(frames->bytes) - frames->n)
		flush(frames);
	if (len > sizeof(frames->bytes)) {
		write_frames(frames->side, frame, len);
	} else {
		memcpy(frames->bytes + frames->n, frame, len);
		frames->n += len;
	}
	return true;
}

static uint32_t give_id(void *frames)
{
	(void)frames;
	return syc_counter_id_request(1);
}

static void add_text(struct syc_session *s, const char *text)
{
	unsigned char frame[SYC_METADATA_TEXT_MAX + 128];
	const uint32_t n = syc_describe_metadata(
		frame, s->pid, syc_clock_kernel(), METADATA_ID, text);

	syc_spill_frames(s, frame, n, wait_until());
}

/* ---------------------------------------------------- calls of the thread */

static void begin(struct frames *frames, uint32_t wanted, int64_t now)
{
	struct syc_side *const side = frames->side;
	struct syc_session *const s = side->session;
	const struct syc_asked asked = unpack_asked(wanted);
	const struct syc_counters_options options = {
		.groups = asked.groups,
		.root = "",
		.keeps_files = false,
		.pid = s->pid,
		.process = "self",
		.emit = add_frame,
		.new_id = give_id,
		.context = frames,
	};
	char text[SYC_ASKED_TEXT];

	syc_counters_free(side->state);
	side->state = NULL;
	side->is_torn = false;
	if (wanted != side->chosen && wanted != 0) {
		syc_asked_write(&asked, text);
		add_text(s, text);
	}
	side->chosen = wanted;
	if (wanted == 0)
		return;
	side->state = syc_counters_new(&options);
	if (side->state == NULL)
		add_text(s, "none: there is no memory");
	else
		syc_counters_embed(side->state, now);
}

/* Report requested groups without a value.  A request for all groups means only
 * the available groups, so the function then reports nothing. */
static void report_empty(struct syc_side *side)
{
	static const char nothing[] = "nothing to read of ";
	const unsigned empty = syc_counters_empty(side->state);
	char text[sizeof(nothing) + SYC_ASKED_TEXT];

	_Static_assert(sizeof(text) <= SYC_METADATA_TEXT_MAX, "it fits");

	if (unpack_asked(side->chosen).groups == SYC_COUNTERS_ALL || empty == 0)
		return;
	memcpy(text, nothing, sizeof(nothing));
	syc_asked_names(empty, ", ", text + sizeof(nothing) - 1);
	add_text(side->session, text);
}

/* The time of the next reading.  Missed readings are skipped. */
static int64_t find_due(int64_t due, int64_t period, int64_t now)
{
	return now - due < period ? due + period : now + period;
}

static void work(struct syc_side *side, uint32_t wanted, bool is_end)
{
	struct frames frames;
	const unsigned hz = unpack_asked(wanted).hz;
	const int64_t now = syc_clock_kernel();

	frames.side = side;
	frames.n = 0;
	if (!is_end && now < side->due)
		return;
	/* At the end, also begin for counters that the program has just
	 * chosen */
	if (wanted != side->chosen || side->is_torn)
		begin(&frames, wanted, now);
	if (side->state != NULL)
		syc_counters_read(side->state, now);
	/* Without counters, the next call comes after a second */
	side->due = find_due(side->due, hz != 0 ? SECOND / hz : SECOND, now);
	if (is_end && side->state != NULL) {
		report_empty(side);
		syc_counters_free(side->state);
		side->state = NULL;
	}
	flush(&frames);
}

static void decline(struct syc_session *s)
{
	static const char why[] = "none: no thread reads counters";

	syc_spill_write_metadata(s, METADATA_ID, why, syc_clock_kernel());
	syc_diag_say("system counters", why);
}

/* Count nothing for SYSPROF_TRACE_FD, because several processes write into its
 * file, and Sysprof reads the counters itself. */
static void count(struct syc_side *side, enum syc_side_when when)
{
	const uint32_t wanted =
		side->session->plan->to.sink == SYC_SINK_OUTPUT
			? __atomic_load_n(&chosen, __ATOMIC_RELAXED)
			: 0;

	if (when != SYC_SIDE_NO_THREAD)
		work(side, wanted, when == SYC_SIDE_END);
	else if (wanted != 0)
		decline(side->session);
}

/* ------------------------------------------------------ calls of the
 * program */

/* Begin the session, so that even a process without events has a capture. */
static void begin_session(void)
{
	struct syc_session *s;
	struct syc_undisturbed before;

	if (!syscap_is_active() ||
	    syc_plan_current()->to.sink != SYC_SINK_OUTPUT)
		return;
	syc_undisturbed_begin(&before);
	s = syc_session_enter();
	if (s != NULL && !s->no_thread && s->parent == 0)
		syc_spill_thread_start(s);
	syc_session_leave();
	syc_undisturbed_end(&before);
}

int syscap_system_counters_choose(const char *what)
{
	struct syc_asked asked;
	size_t len;

	if (what == NULL) {
		__atomic_store_n(&chosen, 0, __ATOMIC_RELAXED);
		return 0;
	}
	/* "" means no group, like a missing text */
	if (syc_asked_read(*what != '\0' ? what : NULL, &asked, &len) != NULL)
		return -EINVAL;
	__atomic_store_n(&chosen, pack_asked(&asked), __ATOMIC_RELAXED);
	__atomic_store_n(&syc_side_job, count, __ATOMIC_RELEASE);
	syc_setup_run();
	begin_session();
	return 0;
}

__attribute__((constructor)) static void count_at_load(void)
{
	const char *const what = syc_env_get(SYC_ENV_COUNTERS);

	if (what != NULL && syscap_system_counters_choose(what) != 0)
		syc_diag_say(
			"system counters",
			"SYSCAP_COUNTERS must be [GROUP,...][,hz=1 to 100]");
}
