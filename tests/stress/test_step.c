/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_step.c - a signal at every instruction of every emitting call.
 *
 * The handler emits too, or leaves by siglongjmp(), or is itself interrupted at
 * every instruction.  The peer checks every frame byte by byte; a file has one
 * record for each attempt of the child.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"

/* Frames are numbered by their time if the caller sets the time, else by their
 * message. */
static int64_t sequence;

SYSCAP_COUNTER(stepped, "step", "stepped", "", SYSCAP_INT64);
SYSCAP_COUNTER(second, "step", "second", "", SYSCAP_INT64);

static void call_mark(void)
{
	SYSCAP_MARK("step", "outer", sequence, 1, "message");
}

static void call_dynamic(void)
{
	syscap_mark("step", "outer", sequence, 1, "a message of some length");
}

static char long_text[3000];

static void call_long(void)
{
	SYSCAP_MARK("step", "outer", sequence, 1, long_text);
}

static void call_printf(void)
{
	SYSCAP_MARK_PRINTF("step", "outer", sequence, 1, "%d %s", 1, "text");
}

static void call_scope(void)
{
	SYSCAP_SCOPE("step", "scope");
}

static void call_counter(void)
{
	syscap_counter_set_int64(&stepped, sequence);
}

static void call_counters(void)
{
	struct syscap_counter *const both[2] = { &stepped, &second };
	const union syscap_value values[2] = { { .i64 = sequence },
		                               { .i64 = 2 } };

	syscap_counters_set(both, values, 2);
}

static char sequence_text[24];

static void call_log(void)
{
	syscap_log(SYSCAP_INFO, "step", sequence_text);
}

static void next_number(void)
{
	snprintf(sequence_text, sizeof(sequence_text), "%lld",
	         (long long)++sequence);
}

static void call_metadata(void)
{
	syscap_metadata("step", "value");
}

static const struct {
	const char *name;
	void (*call)(void);
	int stride; /* a copy with `rep movsb` traps at every byte */
} calls[] = {
	{ "mark", call_mark, 1 },         { "dynamic", call_dynamic, 1 },
	{ "long", call_long, 61 },        { "printf", call_printf, 37 },
	{ "scope", call_scope, 1 },       { "counter", call_counter, 1 },
	{ "counters", call_counters, 1 }, { "log", call_log, 1 },
	{ "metadata", call_metadata, 1 },
};
#define N_CALLS (sizeof(calls) / sizeof(*calls))

/* The record of one attempt; the test reads all records from a file. */
struct attempt {
	int32_t call;
	int32_t k;
	int64_t sequence;    /* number of stepped event */
	int32_t n_inner;     /* events that handlers emitted during a step */
	int32_t n_abandoned; /* abandoned since, by the library's count */
};

static int attempts_fd;

static void note(int call, long k, int n_inner, int n_abandoned)
{
	const struct attempt attempt = { call, (int32_t)k, sequence, n_inner,
		                         n_abandoned };

	CHECK_EQ(write(attempts_fd, &attempt, sizeof(attempt)),
	         sizeof(attempt));
}

static int abandoned_so_far(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return (int)stats.n_abandoned;
}

/*
 * Number of instructions from one test to the next in call @i.  @n is the
 * number without --whole.
 */
static long stride_of(size_t i, long n)
{
	return stepper_stride(n) * calls[i].stride;
}

/* Warm up: ring, definitions, clock; then open the file of attempts. */
static void begin_child(bool on_altstack)
{
	memset(long_text, 'x', sizeof(long_text) - 1);
	stepper_install(on_altstack);
	for (size_t i = 0; i < N_CALLS; i++)
		calls[i].call();
	attempts_fd = open(peer_arg(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	CHECK(attempts_fd >= 0);
}

/* -------------------------------------------- a handler that also emits */

static void emit_inner(void)
{
	errno = 5;
	SYSCAP_MARK("step", "inner", sequence, 1, NULL);
	CHECK_EQ(errno, 5);
}

static void emit_every_kind(void)
{
	SYSCAP_MARK("step", "inner", sequence, 1, NULL);
	syscap_counter_set_int64(&second, -1);
	syscap_log(SYSCAP_INFO, "inner", "x");
}

/* A returned outermost emit has also published the handlers' events. */
static bool is_published(void)
{
	return syc_self->disturbed == 0 &&
	       (uint32_t)syc_self->next == *syc_self->tail;
}

static void step_all_calls(long n, void (*action)(void))
{
	struct stepper stepper;

	for (size_t i = 0; i < N_CALLS; i++)
		for (long k = stepper_first(stride_of(i, n));;
		     k += stride_of(i, n)) {
			next_number();
			errno = 123;
			const bool reached =
				stepper_run(&stepper, k, calls[i].call, action);
			CHECK(action == emit_inner || errno == 123);
			CHECK(is_published());
			note((int)i, k, reached, 0);
			if (!reached)
				break;
		}
}

CHILD(inner_marks)
{
	begin_child(false);
	step_all_calls(3, emit_inner);
}

CHILD(inner_marks_on_altstack)
{
	begin_child(true);
	step_all_calls(11, emit_inner);
}

CHILD(inner_events)
{
	begin_child(false);
	step_all_calls(7, emit_every_kind);
}

/* ----------------------------------- a handler that leaves by siglongjmp */

static sigjmp_buf out;

static void jump_out(void)
{
	siglongjmp(out, 1);
}

CHILD(jumps)
{
	struct stepper stepper;

	begin_child(false);
	for (size_t i = 0; i < N_CALLS; i++)
		for (volatile long k = stepper_first(stride_of(i, 7));;
		     k += stride_of(i, 7)) {
			const int before = abandoned_so_far();
			volatile bool reached = true;

			next_number();
			if (sigsetjmp(out, 1) == 0)
				reached = stepper_run(&stepper, k,
				                      calls[i].call, jump_out);
			else
				stepper_abandon(&stepper);
			/* finds and repairs the abandoned emit */
			SYSCAP_MARK("step", "inner", sequence, 1, NULL);
			note((int)i, k, 1, abandoned_so_far() - before);
			if (!reached)
				break;
		}
}

/* Emits from a deeper stack frame: only its token shows a dead emit. */
static __attribute__((noinline)) void call_deep(void)
{
	volatile char room[512];

	memset((void *)room, 0x5A, sizeof(room));
	call_mark();
}

/* After each jump, emits from deeper in the stack, or from the same depth with
 * the token at the dead emit's place. Then emits from a shallower frame. */
static void jump_and_call(void (*call)(void), bool is_deeper)
{
	struct stepper stepper;

	begin_child(false);
	const long stride = stepper_stride(is_deeper ? 1 : 11);
	for (volatile long k = stepper_first(stride);; k += stride) {
		const int before = abandoned_so_far();
		volatile bool reached = true;

		next_number();
		if (sigsetjmp(out, 1) == 0)
			reached = stepper_run(&stepper, k, call, jump_out);
		else
			stepper_abandon(&stepper);
		const int64_t stepped_one = sequence;
		sequence = -1;
		if (is_deeper)
			call_deep();
		else
			stepper_run(&stepper, LONG_MAX, call, jump_out);
		sequence = stepped_one;
		SYSCAP_MARK("step", "inner", sequence, 1, NULL);
		note(0, k, 1, abandoned_so_far() - before);
		if (!reached)
			break;
	}
}

CHILD(jumps_from_above)
{
	jump_and_call(call_mark, true);
}

CHILD(jumps_from_there)
{
	jump_and_call(call_dynamic, false);
}

/* ------------------------------------ a handler interrupted by a handler */

static struct stepper level2;
static long level2_target;
static bool level2_reached;
static bool level2_jumps;
static sigjmp_buf out2;

static void second_action(void)
{
	/* if it jumps, emits first every other time */
	if (!level2_jumps || sequence % 2 != 0)
		SYSCAP_MARK("step", "innermost", sequence, 1, NULL);
	if (level2_jumps)
		siglongjmp(out2, 1);
}

static void first_action(void)
{
	if (sigsetjmp(out2, 1) == 0) {
		level2_reached = stepper_run(&level2, level2_target, emit_inner,
		                             second_action);
	} else {
		level2_reached = true;
		stepper_abandon(&level2);
	}
}

/* Stops the outer emit at each @n-th instruction, and the inner emit at each
 * sixth. A whole test stops at each instruction, and at each third. The first
 * instruction of the inner emit varies. */
static void step_two_levels(long n)
{
	struct stepper stepper;
	const long stride = stepper_stride(n);
	const long inner_stride = 3 * stepper_stride(2);

	begin_child(false);
	for (long k = stepper_first(stride);; k += stride) {
		bool reached = true;

		for (level2_target = 1 + k % inner_stride;;
		     level2_target += inner_stride) {
			const int before = abandoned_so_far();

			next_number();
			level2_reached = false;
			reached = stepper_run(&stepper, k, call_mark,
			                      first_action);
			if (!reached)
				break;
			SYSCAP_MARK("step", "after", sequence, 1, NULL);
			note(0, k, level2_reached, abandoned_so_far() - before);
			if (!level2_reached)
				break;
		}
		if (!reached)
			break;
	}
}

CHILD(two_levels)
{
	step_two_levels(17);
}

CHILD(two_levels_with_jumps)
{
	level2_jumps = true;
	step_two_levels(29);
}

/* ------------------------------------------------ refill and loss records */

static void burst(int n)
{
	for (int i = 0; i < n; i++)
		SYSCAP_MARK("step", "burst", 1, 1, NULL);
}

/* More than the reserved space, so a limit that is too high shows */
#define N_INNER 10

static void emit_ten(void)
{
	for (int i = 0; i < N_INNER; i++)
		emit_inner();
}

static void step_slow_paths(int n, void (*action)(void), bool jumps)
{
	struct stepper stepper;

	begin_child(false);
	/* The path depends on the peer's progress: there is no last instruction
	 */
	const long stride = stepper_stride(12);

	for (volatile long k = stepper_first(stride); k < 1500; k += stride) {
		volatile bool reached = true;
		const int before = abandoned_so_far();

		burst(n);
		usleep(1500); /* the peer makes room */
		syc_self->room_end = 0;
		next_number();
		if (sigsetjmp(out, 1) == 0)
			reached = stepper_run(&stepper, k, call_mark, action);
		else
			stepper_abandon(&stepper);
		SYSCAP_MARK("step", "after", sequence, 1, NULL);
		note(reached, k, reached && !jumps ? N_INNER : 0,
		     abandoned_so_far() - before);
	}
	usleep(20000);
	SYSCAP_MARK("step", "last", 1, 1, NULL);
	pthread_exit(NULL);
}

CHILD(refill)
{
	step_slow_paths(60, emit_ten, false);
}

CHILD(losing)
{
	step_slow_paths(200, emit_ten, false);
}

CHILD(losing_and_jumping)
{
	step_slow_paths(200, jump_out, true);
}

/* ------------------------------------------------------------------ tests */

/* The minimum, if a whole run has at least @n */
static unsigned few(unsigned n)
{
	return test_is_whole() && !test_is_sanitized() ? n : n / 20;
}

struct result {
	struct attempt *attempts;
	size_t n_attempts;
	struct peer peer;
};

static void run(struct result *result, const char *child, uint32_t ring)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/syscap-step-%d", (int)getpid());
	peer_start_arg(&result->peer, child, path, ring, PEER_OURS);
	CHECK_EQ(peer_finish(&result->peer), 0);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	unlink(path);
	const off_t size = lseek(fd, 0, SEEK_END);
	result->attempts = malloc((size_t)size);
	result->n_attempts = (size_t)size / sizeof(struct attempt);
	CHECK_EQ(pread(fd, result->attempts, (size_t)size, 0), size);
	close(fd);
	CHECK_EQ(result->peer.n_rings, 1);
}

static void done(struct result *result)
{
	free(result->attempts);
	peer_free(&result->peer);
}

/* Per number, how often the event @name with that number arrived. */
static unsigned *count_numbers(const struct peer *peer, const char *name,
                               size_t n_numbers)
{
	unsigned *const counts = calloc(n_numbers + 1, sizeof(*counts));
	struct peer_frame f;
	size_t at = 0;

	while (peer_next(&peer->rings[0], &at, &f)) {
		if (f.type == 10 && strcmp(peer_mark_group(&f), "step") == 0 &&
		    strcmp(peer_mark_name(&f), name) == 0 && f.time > 0 &&
		    (uint64_t)f.time <= n_numbers)
			counts[f.time]++;
	}
	return counts;
}

/* Counts the stepped events by number, in every kind of frame. */
static unsigned *count_stepped(const struct peer *peer, size_t n_numbers)
{
	unsigned *const counts = count_numbers(peer, "outer", n_numbers);
	struct peer_frame f;
	size_t at = 0;

	while (peer_next(&peer->rings[0], &at, &f)) {
		int64_t number = 0;

		if (f.type == 9)
			memcpy(&number, f.bytes + 64, 8);
		else if (f.type == 12 &&
		         strcmp((const char *)f.bytes + 32, "step") == 0)
			number = atoll((const char *)f.bytes + 64);
		if (number > 0 && (uint64_t)number <= n_numbers)
			counts[number]++;
	}
	return counts;
}

/* Scopes and metadata are not numbered, so they are not searched one by one */
static bool is_numbered(const struct attempt *attempt)
{
	return calls[attempt->call].call != call_scope &&
	       calls[attempt->call].call != call_metadata;
}

static bool is_straight(const struct attempt *attempt)
{
	return attempt->call <= 3;
}

static void check_everything_arrived(const char *child)
{
	struct result r;

	run(&r, child, 1u << 26);
	const size_t n = (size_t)r.attempts[r.n_attempts - 1].sequence;
	CHECK(n > 100);
	unsigned *const outer = count_stepped(&r.peer, n);
	unsigned *const inner = count_numbers(&r.peer, "inner", n);
	unsigned n_unnumbered = 0;
	for (size_t i = 0; i < r.n_attempts; i++) {
		const struct attempt *const a = &r.attempts[i];

		CHECK_EQ(inner[a->sequence], a->n_inner);
		if (is_numbered(a)) {
			if (strcmp(child, "inner_events") != 0 ||
			    calls[a->call].call != call_counters)
				CHECK_EQ(outer[a->sequence], 1);
		} else {
			n_unnumbered++;
		}
	}
	/* + 2: the warm-up */
	CHECK_EQ(peer_count_marks(&r.peer, "step", "scope") +
	                 peer_count_metadata(&r.peer),
	         n_unnumbered + 2);
	CHECK_EQ(peer_lost_total(&r.peer.rings[0]), 0);
	free(outer);
	free(inner);
	done(&r);
}

TEST(a_handler_may_emit_at_every_instruction_of_every_call)
{
	check_everything_arrived("inner_marks");
}

TEST(a_handler_may_emit_on_an_alternate_stack)
{
	check_everything_arrived("inner_marks_on_altstack");
}

TEST(a_handler_may_emit_every_kind_of_event)
{
	check_everything_arrived("inner_events");
}

/*
 * Checks that an event whose call was left by siglongjmp() had not begun, is
 * counted as abandoned, or is there.  Later jumps never go back in this order.
 */
static void check_jumps(const char *child)
{
	struct result r;
	unsigned n_state[3] = { 0 };

	run(&r, child, 1u << 26);
	const size_t n = (size_t)r.attempts[r.n_attempts - 1].sequence;
	unsigned *const outer = count_stepped(&r.peer, n);
	unsigned *const inner = count_numbers(&r.peer, "inner", n);
	int state = 0, call = -1;
	uint64_t n_abandoned = 0;
	for (size_t i = 0; i < r.n_attempts; i++) {
		const struct attempt *const a = &r.attempts[i];
		const bool is_there = outer[a->sequence] == 1;

		CHECK_EQ(inner[a->sequence], 1); /* the thread continues */
		n_abandoned += (uint64_t)a->n_abandoned;
		if (!is_numbered(a))
			continue;
		/* A path that reads the clock has two lengths */
		if (a->call != call || !is_straight(a))
			state = 0;
		call = a->call;
		CHECK(outer[a->sequence] <= 1);
		CHECK(a->n_abandoned + is_there <= 1);
		const int now = is_there ? 2 : a->n_abandoned;
		if (now < state)
			test_fail(__FILE__, __LINE__,
			          "%s, instruction %d: %d after %d",
			          calls[a->call].name, a->k, now, state);
		state = now;
		n_state[now]++;
	}
	const unsigned least = few(40);
	CHECK(n_state[0] > least && n_state[1] > least && n_state[2] > least);
	CHECK_EQ(peer_lost_told(&r.peer.rings[0]), n_abandoned);
	free(outer);
	free(inner);
	done(&r);
}

TEST(a_handler_may_leave_by_siglongjmp_at_every_instruction)
{
	check_jumps("jumps");
}

static void check_found(const char *child)
{
	struct result r;

	run(&r, child, 1u << 26);
	const size_t n = (size_t)r.attempts[r.n_attempts - 1].sequence;
	unsigned *const outer = count_stepped(&r.peer, n);
	unsigned *const inner = count_numbers(&r.peer, "inner", n);
	for (size_t i = 0; i < r.n_attempts; i++) {
		const struct attempt *const a = &r.attempts[i];

		CHECK_EQ(inner[a->sequence], 1);
		CHECK(outer[a->sequence] + (unsigned)a->n_abandoned <= 1);
	}
	free(outer);
	free(inner);
	done(&r);
}

TEST(a_dead_emit_is_found_from_deeper_in_the_stack)
{
	check_found("jumps_from_above");
}

TEST(a_dead_emit_is_found_by_its_stack_position)
{
	check_found("jumps_from_there");
}

TEST(a_handler_may_interrupt_a_handler_at_every_instruction)
{
	struct result r;

	run(&r, "two_levels", 1u << 26);
	const size_t n = (size_t)r.attempts[r.n_attempts - 1].sequence;
	CHECK(r.n_attempts > few(1000));
	unsigned *const outer = count_numbers(&r.peer, "outer", n);
	unsigned *const inner = count_numbers(&r.peer, "inner", n);
	unsigned *const innermost = count_numbers(&r.peer, "innermost", n);
	for (size_t i = 0; i < r.n_attempts; i++) {
		const struct attempt *const a = &r.attempts[i];

		CHECK_EQ(outer[a->sequence], 1);
		CHECK_EQ(inner[a->sequence], 1);
		CHECK_EQ(innermost[a->sequence], a->n_inner);
	}
	CHECK_EQ(peer_lost_total(&r.peer.rings[0]), 0);
	free(outer);
	free(inner);
	free(innermost);
	done(&r);
}

TEST(a_handlers_emit_may_die_inside_a_live_one)
{
	struct result r;
	uint64_t n_abandoned = 0;

	run(&r, "two_levels_with_jumps", 1u << 26);
	const size_t n = (size_t)r.attempts[r.n_attempts - 1].sequence;
	unsigned *const outer = count_numbers(&r.peer, "outer", n);
	unsigned *const inner = count_numbers(&r.peer, "inner", n);
	unsigned *const after = count_numbers(&r.peer, "after", n);
	unsigned *const innermost = count_numbers(&r.peer, "innermost", n);
	for (size_t i = 0; i < r.n_attempts; i++) {
		const struct attempt *const a = &r.attempts[i];

		CHECK_EQ(outer[a->sequence], 1);
		CHECK_EQ(after[a->sequence], 1);
		CHECK_EQ(innermost[a->sequence],
		         a->n_inner && a->sequence % 2 != 0);
		CHECK(inner[a->sequence] + (unsigned)a->n_abandoned <= 1);
		n_abandoned += (uint64_t)a->n_abandoned;
	}
	CHECK(n_abandoned > few(100));
	CHECK_EQ(peer_lost_told(&r.peer.rings[0]), n_abandoned);
	free(outer);
	free(inner);
	free(after);
	free(innermost);
	done(&r);
}

static void check_slow_paths(const char *child, bool must_lose)
{
	struct result r;
	uint64_t n_sent_all = N_CALLS + 1, n_begun = 0, n_deep = 0;

	run(&r, child, 8192);
	const struct peer_ring *const ring = &r.peer.rings[0];
	const unsigned n_burst = must_lose ? 200 : 60;
	for (size_t i = 0; i < r.n_attempts; i++) {
		n_sent_all += n_burst + 1 + (uint64_t)r.attempts[i].n_inner;
		n_begun++;
		n_deep += r.attempts[i].call && r.attempts[i].k > 90;
	}
	/* the long path was taken */
	CHECK(n_deep > few(100));
	struct peer_frame f;
	uint64_t n_arrived = 0, n;
	size_t at = 0;
	while (peer_next(ring, &at, &f)) {
		if (f.type == 1 || f.type == 255 || f.type == 8 ||
		    peer_is_loss(&f, &n))
			continue;
		if (f.type == 11 &&
		    strcmp((const char *)f.bytes + 24, "syscap.clock") == 0)
			continue;
		n_arrived++;
	}
	const uint64_t n_lost = peer_lost_told(ring);
	CHECK(n_lost <= peer_lost_total(ring));
	CHECK(!must_lose || n_lost > few(1000));
	if (strcmp(child, "losing_and_jumping") == 0) {
		/* the stepped emit may not have begun */
		CHECK(n_arrived + n_lost >= n_sent_all);
		CHECK(n_arrived + n_lost <= n_sent_all + n_begun);
	} else {
		CHECK_EQ(n_lost, peer_lost_total(ring));
		CHECK_EQ(n_arrived + n_lost, n_sent_all + n_begun);
	}
	done(&r);
}

TEST(a_handler_may_emit_at_every_instruction_of_refill)
{
	check_slow_paths("refill", false);
}

TEST(losses_are_reported_once_under_handlers_at_every_instruction)
{
	check_slow_paths("losing", true);
}

TEST(losses_are_reported_once_if_emits_die_at_every_instruction)
{
	check_slow_paths("losing_and_jumping", true);
}
