/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_flight_step.c - a signal at every instruction of an event that gives up
 * frames of its ring, in flight mode.
 *
 * The handler emits, leaves by siglongjmp(), forks, takes a snapshot, or kills
 * the process.  Captures have the last events without a gap, and every
 * definition.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "base/frame.h"
#include "capture/recover.h"
#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"
#include "harness/written.h"
#include "os/signals.h"

/* Few frames are given up at once, so an event has few instructions */
#define LONG         3000u
#define COUNTERS_MAX 4000u
#define MARKS_MAX    400000u

static unsigned n_outer, n_inner, n_counters;
static struct syscap_counter counters[COUNTERS_MAX];
static sigjmp_buf out;
static struct stepper stepper;

/*
 * A step in blocked code would kill the process.  So the test only counts the
 * calls that block signals, and acts at their end, as a pending signal would.
 */
static void (*action)(void);
static int n_blocked;
static bool is_due;

void __wrap_syc_all_signals_block(uint64_t *before);
void __wrap_syc_all_signals_restore(const uint64_t *before);

void __wrap_syc_all_signals_block(uint64_t *before)
{
	(void)before;
	n_blocked++;
}

void __wrap_syc_all_signals_restore(const uint64_t *before)
{
	(void)before;
	if (--n_blocked == 0 && is_due) {
		is_due = false;
		action();
	}
}

static void emit(const char *group, unsigned n)
{
	char text[LONG];

	memset(text, 'x', sizeof(text));
	text[snprintf(text, sizeof(text), "%u", n)] = ' ';
	text[sizeof(text) - 1] = '\0';
	syscap_mark(group, "m", syscap_clock(), 0, text);
}

static char outer_text[LONG];

static void call_mark(void)
{
	syscap_mark("outer", "m", 1, 0, outer_text);
}

static void act_emit(void)
{
	syscap_mark("inner", "m", 1, 0, "");
	n_inner++;
}

static void act_jump(void)
{
	syscap_mark("inner", "m", 1, 0, "");
	siglongjmp(out, 1);
}

static pid_t forked = -1;

/* The child returns from the handler into the event. */
static void act_fork(void)
{
	int status;

	forked = fork();
	if (forked == 0)
		return;
	CHECK(forked > 0);
	CHECK_EQ(waitpid(forked, &status, 0), forked);
	CHECK_EQ(status, 0);
}

static unsigned check_capture(const char *path, unsigned gaps_allowed,
                              uint64_t *ret_lost);

static void act_snapshot(void)
{
	uint64_t lost;

	errno = ENOTTY;
	CHECK_EQ(syscap_snapshot(peer_arg()), 0);
	CHECK_EQ(errno, ENOTTY);
	CHECK_EQ(check_capture(peer_arg(), 0, &lost), n_counters);
	CHECK_EQ(lost, 0);
	CHECK_EQ(unlink(peer_arg()), 0);
}

static void act_kill(void)
{
	raise(SIGKILL);
}

static void act(void)
{
	/* SIGKILL is never blocked */
	if (n_blocked != 0 && action != act_kill)
		is_due = true;
	else
		action();
}

/* Check that the ring has whole frames between the thread's position and the
 * end. */
static void check_ring(void)
{
	const struct syc_state *const ts = syc_state_of(syc_self);
	uint32_t at = (uint32_t)ts->ring->passed;

	/* An abandoned event may have stored only the thread's position */
	if (ts->ring->head != at && action == act_jump) {
		uint16_t len;

		memcpy(&len, ts->hot.body + ts->ring->head, sizeof(len));
		CHECK_EQ((ts->ring->head + len) % ts->hot.size, at);
	} else {
		CHECK_EQ(ts->ring->head, at);
	}
	while (at != ts->ring->tail) {
		uint16_t len;

		memcpy(&len, ts->hot.body + at, sizeof(len));
		CHECK(len >= SYC_HEAD_SIZE && len % 8 == 0);
		at += len;
		if (at >= ts->hot.size)
			at -= ts->hot.size;
	}
}

/* Emit a counter's definition, and events until the next event gives up
 * frames. */
static void prepare(void)
{
	struct syscap_counter *const counter = &counters[n_counters];

	snprintf(counter->name, sizeof(counter->name), "c%u", n_counters);
	strcpy(counter->category, "flight");
	counter->type = SYSCAP_INT64;
	syscap_counter_set_int64(counter, n_counters++);
	do
		emit("outer", n_outer++);
	while (syc_self->next +
	               syc_text_frame_len(sizeof(struct syscap_wire_mark),
	                                  LONG - 1) <=
	       syc_self->room_end);
	memset(outer_text, 'x', sizeof(outer_text) - 1);
	const int n = snprintf(outer_text, sizeof(outer_text), "%u", n_outer);
	outer_text[n] = ' ';
}

/* Fill the ring. */
static void begin(void)
{
	n_outer = 0;
	stepper_install(false);
	for (unsigned i = 0; i < 400; i++)
		emit("outer", n_outer++);
}

static void step_all(void (*new_action)(void), long stride)
{
	volatile unsigned n_moves = 0;

	action = new_action;

	for (long k = stepper_first(stride); n_counters < COUNTERS_MAX;
	     k += stride) {
		volatile bool is_in = true;

		prepare();
		const uint64_t passed = syc_state_of(syc_self)->ring->passed;
		if (sigsetjmp(out, 1) == 0) {
			is_in = stepper_run(&stepper, k, call_mark, act);
			if (forked == 0)
				exit(0); /* removes the child's rings */
			n_outer++;
			n_moves +=
				syc_state_of(syc_self)->ring->passed != passed;
		} else {
			stepper_abandon(&stepper);
			n_outer++;
			syscap_mark("inner", "m", 1, 0, "");
		}
		check_ring();
		if (!is_in)
			break;
	}
	/* The definitions leave the ring */
	for (unsigned i = 0; i < 400; i++)
		emit("outer", n_outer++);
	check_ring();
	fprintf(stderr, "%u stops, %u moves\n", n_counters, n_moves);
	CHECK(action == act_jump || n_moves > n_counters / 2);
}

CHILD(nests)
{
	begin();
	step_all(act_emit, stepper_stride(97));
}

CHILD(jumps)
{
	begin();
	step_all(act_jump, stepper_stride(97));
}

CHILD(forks)
{
	begin();
	step_all(act_fork, 7 * stepper_stride(14));
}

CHILD(takes_snapshots)
{
	begin();
	step_all(act_snapshot, 21 * stepper_stride(14));
}

CHILD(is_killed)
{
	begin();
	for (unsigned i = 0; i < 30; i++)
		prepare();
	action = act_kill;
	stepper_run(&stepper, atol(peer_arg()), call_mark, act);
}

/* Check the capture at @path.  Returns the number of counters that it
 * defines. */
static unsigned check_capture(const char *path, unsigned gaps_allowed,
                              uint64_t *ret_lost)
{
	static bool is_defined[COUNTERS_MAX];
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syscap_counter_info info;
	unsigned last = UINT_MAX, n_gaps = 0, n_defined = 0, n, n_marks = 0;
	unsigned long long frames;
	int r;

	memset(is_defined, 0, sizeof(is_defined));
	*ret_lost = 0;
	CHECK_EQ(syscap_reader_open(path, &reader, NULL), 0);
	while ((r = syscap_reader_next(reader, &frame, NULL)) > 0) {
		if (frame.type == SYSCAP_FRAME_CTRDEF) {
			CHECK_EQ(frame.ctrdef.n_counters, 1);
			CHECK(syscap_frame_counter(reader, &frame, 0, &info));
			CHECK_EQ(sscanf(info.name, "c%u", &n), 1);
			n_defined += !is_defined[n];
			is_defined[n] = true;
		}
		if (frame.type != SYSCAP_FRAME_MARK)
			continue;
		if (strcmp(frame.mark.name, "lost") == 0 &&
		    sscanf(frame.mark.message, "frames=%llu", &frames) == 1)
			*ret_lost += frames;
		if (strcmp(frame.mark.group, "outer") != 0 ||
		    sscanf(frame.mark.message, "%u", &n) != 1)
			continue;
		CHECK(last == UINT_MAX || n > last);
		n_gaps += last != UINT_MAX && n != last + 1;
		last = n;
		n_marks++;
	}
	syscap_reader_close(reader);
	CHECK_EQ(r, 0);
	CHECK(n_marks >= 100);
	CHECK(n_gaps <= gaps_allowed);
	return n_defined;
}

static int run(const char *child, const char *arg, const char *path)
{
	char variable[400];
	const char *const env[] = { variable, "SYSCAP_MODE=flight", NULL };

	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	return written_wait(written_start(child, arg, env, -1));
}

TEST(nested_event_loses_nothing_while_frames_are_given_up)
{
	char *const dir = written_make_dir();
	char path[300];
	uint64_t lost;

	snprintf(path, sizeof(path), "%s/out", dir);
	CHECK_EQ(run("nests", "", path), 0);
	CHECK(check_capture(path, 0, &lost) >= 20);
	CHECK_EQ(lost, 0);
	CHECK_EQ(written_count_files(dir, ""), 1);
	written_remove_dir(dir);
}

TEST(jump_keeps_definitions_while_frames_are_given_up)
{
	char *const dir = written_make_dir();
	char path[300];
	uint64_t lost;

	snprintf(path, sizeof(path), "%s/out", dir);
	CHECK_EQ(run("jumps", "", path), 0);
	CHECK(check_capture(path, UINT_MAX, &lost) >= 20);
	CHECK_EQ(written_count_files(dir, ""), 1);
	written_remove_dir(dir);
}

TEST(a_child_continues_while_frames_are_given_up)
{
	char *const dir = written_make_dir();
	char path[300];
	uint64_t lost;

	snprintf(path, sizeof(path), "%s/out", dir);
	CHECK_EQ(run("forks", "", path), 0);
	CHECK(check_capture(path, 0, &lost) >= 20);
	CHECK_EQ(lost, 0);
	written_remove_dir(dir);
}

TEST(snapshot_has_no_gap_while_frames_are_given_up)
{
	char *const dir = written_make_dir();
	char path[300], snapshot[300];
	uint64_t lost;

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(snapshot, sizeof(snapshot), "%s/snapshot", dir);
	CHECK_EQ(run("takes_snapshots", snapshot, path), 0);
	CHECK(check_capture(path, 0, &lost) >= 7);
	CHECK_EQ(written_count_files(dir, ""), 1);
	written_remove_dir(dir);
}

TEST(kill_loses_nothing_while_frames_are_given_up)
{
	const long stride = stepper_stride(397);
	bool goes_on = true;

	for (long k = stepper_first(stride); goes_on; k += stride) {
		char *const dir = written_make_dir();
		char path[300], arg[32];
		struct syc_recovered recovered;
		uint64_t lost;

		snprintf(path, sizeof(path), "%s/out", dir);
		snprintf(arg, sizeof(arg), "%ld", k);
		const int status = run("is_killed", arg, path);
		goes_on = WIFSIGNALED(status);
		if (goes_on) {
			CHECK_EQ(WTERMSIG(status), SIGKILL);
			CHECK_EQ(syc_recover(path, false, &recovered, NULL), 0);
			CHECK_EQ(recovered.bad, 0);
		}
		CHECK_EQ(check_capture(path, 0, &lost), 30);
		CHECK_EQ(lost, 0);
		written_remove_dir(dir);
	}
}
