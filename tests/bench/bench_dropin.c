/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_dropin.c - the same source (dropin_ops.c) with syscap's drop-in and
 * with the reference: events with and without a recording, writing a file,
 * reading a file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/format.h>

#include "bench/dropin_ops.h"
#include "bench/dropin_pairs.h"
#include "bench/dropin_read.h"
#include "bench/fail.h"
#include "bench/report.h"

#define N(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))

static const struct dropin_ops *const ours = &dropin_ops_ours;
#if BENCH_HAVE_REFERENCE
static const struct dropin_ops *const theirs = &dropin_ops_reference;
#else
static const struct dropin_ops *const theirs = NULL;
#endif

static struct dropin_pair pair_of(const char *what, size_t event, uint8_t type,
                                  double bound)
{
	struct dropin_pair pair = { .what = what,
		                    .type = type,
		                    .bound = bound };

	memcpy(&pair.sides[BENCH_OURS].event, (const char *)ours + event,
	       sizeof(struct bench_event));
	if (theirs != NULL)
		memcpy(&pair.sides[BENCH_REFERENCE].event,
		       (const char *)theirs + event,
		       sizeof(struct bench_event));
	return pair;
}

/* @event names a member of struct dropin_ops. */
#define PAIR(what, event, type, bound)                                      \
	pair_of("drop-in: " what, offsetof(struct dropin_ops, event), type, \
	        bound)

static int emit(bool is_near)
{
	const struct dropin_run run = { .lead = 16,
		                        /* a burst fits into a ring even with
		                         * the largest events */
		                        .burst = 300,
		                        .rounds = 4000,
		                        .single_each = 10,
		                        .has_targets = is_near };
	struct dropin_pair pairs[] = {
		PAIR("mark", mark, SYSCAP_FRAME_MARK, 0.4),
		PAIR("mark, 2 clocks", mark_clocks, SYSCAP_FRAME_MARK, 0.5),
		PAIR("set_counters", counter, SYSCAP_FRAME_CTRSET, 0.55),
		PAIR("set_counters, undefined", undefined, SYSCAP_FRAME_CTRSET,
		     0.6),
		PAIR("set_counters, 18", counters, SYSCAP_FRAME_CTRSET, 0.6),
		PAIR("log", log, SYSCAP_FRAME_LOG, 0.6),
		PAIR("mark_printf", mark_printf, SYSCAP_FRAME_MARK, 0.7),
		PAIR("mark, texts not literals", mark_dynamic,
		     SYSCAP_FRAME_MARK, 0),
	};

	if (!bench_pin(is_near ? 0 : 1)) {
		bench_report_note("only one processor: nothing to measure");
		return 0;
	}
	bench_ns_per_tick();
	ours->begin();
	if (theirs != NULL)
		theirs->begin();
	if (!ours->is_active() || (theirs != NULL && !theirs->is_active()))
		bench_fail("a library records nothing");
	/* The clocks need some time to measure their rates */
	for (int64_t end = bench_now_ns() + 100000000; bench_now_ns() < end;) {
		ours->now();
		if (theirs != NULL)
			theirs->now();
	}
	dropin_pairs_measure(pairs, N(pairs), &run);
	return dropin_pairs_report(pairs, N(pairs), &run);
}

static int off(void)
{
	const struct dropin_run run = { .burst = 20000,
		                        .rounds = 2000,
		                        .has_targets = true };
	struct dropin_pair pairs[] = {
		PAIR("off, mark", mark, DROPIN_NO_FRAME, 0.25),
		PAIR("off, mark by pointer", mark_by_pointer, DROPIN_NO_FRAME,
		     1.0),
	};

	if (ours->is_active() || (theirs != NULL && theirs->is_active()))
		bench_fail("SYSPROF_CONTROL_FD is set: recording is on");
	dropin_pairs_measure(pairs, N(pairs), &run);
	return dropin_pairs_report(pairs, N(pairs), &run);
}

static void open_writers(void)
{
	if (!ours->open("/dev/null") ||
	    (theirs != NULL && !theirs->open("/dev/null")))
		bench_fail("no writer to /dev/null: %s", strerror(errno));
}

static void close_writers(void)
{
	ours->close();
	if (theirs != NULL)
		theirs->close();
}

/* The least cost of a sample of 24 addresses: copying its bytes. */
static void copy_sample(unsigned i)
{
	static uint64_t sheet[32 * 1024]; /* as large as a buffer */
	static uint64_t stack[24];
	static size_t at;
	size_t size = sizeof(stack);

	__asm__("" : "+r"(size)); /* libc's memcpy(), as gcc's is slower */
	if (at + 4 + 24 > sizeof(sheet) / sizeof(sheet[0]))
		at = 0;
	sheet[at] = 32 + size;
	sheet[at + 1] = 1000 + i;
	sheet[at + 2] = SYSCAP_FRAME_SAMPLE;
	sheet[at + 3] = size / 8;
	memcpy(&sheet[at + 4], stack, size);
	at += 4 + size / 8;
	BENCH_BARRIER();
}

BENCH_EVENT(copied_sample, copy_sample(i))

/* Each event has its own writers; a burst fills several buffers. */
static int write_files(void)
{
	const struct dropin_run run = { .burst = 10000,
		                        .rounds = 500,
		                        .has_targets = true };
	struct dropin_pair pairs[] = {
		PAIR("add_jitmap, 20 names", jitmap_few, DROPIN_NO_FRAME, 1.0),
		PAIR("add_jitmap, 5,000 names", jitmap_many, DROPIN_NO_FRAME,
		     0.5),
		PAIR("writer_add_mark, /dev/null", write_mark, DROPIN_NO_FRAME,
		     0.6),
		PAIR("writer_add_log, /dev/null", write_log, DROPIN_NO_FRAME,
		     0.6),
		PAIR("writer_add_sample, 24", write_sample, DROPIN_NO_FRAME,
		     0.6),
		PAIR("... a copy of the same bytes", write_sample,
		     DROPIN_NO_FRAME, 0),
		PAIR("writer_set_counters, 18", write_counters, DROPIN_NO_FRAME,
		     0.6),
	};
	int failed = 0;

	pairs[5].sides[BENCH_OURS].event =
		(struct bench_event)BENCH_EVENT_OF(copied_sample);
	for (unsigned i = 0; i < N(pairs); i++) {
		open_writers();
		dropin_pairs_measure(&pairs[i], 1, &run);
		failed |= dropin_pairs_report(&pairs[i], 1, &run);
		close_writers();
	}
	return failed;
}

int main(void)
{
	const char *const near[] = { "near", NULL };
	const char *const far[] = { "far", NULL };
	const char *const role = bench_role();
	int failed = 0;

	if (role != NULL)
		return emit(strcmp(role, "near") == 0);
	bench_ns_per_tick();
	bench_report_note("the same source with our drop-in and with the "
	                  "reference; recorder on the emitting processor:");
	failed |= bench_record(BENCH_RING_SIZE, near, 0);
	bench_report_note("recorder on another processor:");
	failed |= bench_record(BENCH_RING_SIZE, far, 0);
	bench_report_note("nothing is recorded:");
	failed |= off();
	bench_report_note("files:");
	failed |= write_files();
	failed |= dropin_read(ours, theirs);
	return failed;
}
