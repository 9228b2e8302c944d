/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_overflow.c - a recorder with one small ring per thread, as Sysprof's.
 * Events without room in the ring arrive later, in order, or are reported.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/overflow.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "harness/held_up.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"

#define RING  16384 /* 150 marks */
#define FIRST INT64_C(1000000)

static void burst(const char *name, int64_t from, int n)
{
	for (int64_t i = 0; i < n; i++) {
		syscap_mark("test", name, FIRST + from + i, 0, NULL);
		/* Events without a ring are not kept */
		if (i == 0)
			held_up_if(syc_state_of(syc_self)->ring == NULL);
	}
}

static bool is_overflowing(void)
{
	return syc_state_of(syc_self)->overflow != NULL;
}

/* The recorder reads some frames at a time, with pauses.  Returns the child's
 * status. */
static int record_slowly(struct peer *peer)
{
	int status;

	for (;;) {
		const pid_t pid = waitpid(peer->pid, &status, WNOHANG);

		CHECK(pid >= 0);
		peer_serve(peer);
		peer_drain(peer);
		if (pid == peer->pid)
			return status;
		usleep(2000);
	}
}

/* Number of the marks @name, which are numbered from 0 on and in order. */
static unsigned count_in_order(const struct peer *peer, const char *name)
{
	unsigned n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct peer_frame f;
		size_t at = 0;

		while (peer_next(&peer->rings[i], &at, &f))
			if (f.type == SYSCAP_FRAME_MARK &&
			    strcmp(peer_mark_name(&f), name) == 0)
				CHECK_EQ(f.time, FIRST + n++);
	}
	return n;
}

static uint64_t count_told(const struct peer *peer)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++)
		n += peer_lost_told(&peer->rings[i]);
	return n;
}

/* Run @child with a slow recorder. Repeat a run that is held up. */
static void run_once(struct peer *peer, const char *child, const char *arg)
{
	int status;

	do {
		peer_start_arg(peer, child, arg, RING, PEER_STOCK);
		status = record_slowly(peer);
	} while (status != 0 && is_held_up(peer, status));
	CHECK_EQ(status, 0);
}

/* The same check for a child without losses.  The child loses events only if
 * this recorder gets no processor for 250 ms during the exit.  Then losses are
 * reported. */
static void run(struct peer *peer, const char *child)
{
	for (int i = 0; i < 5; i++) {
		run_once(peer, child, "");
		if (count_told(peer) == 0)
			return;
		peer_free(peer);
	}
	run_once(peer, child, "");
}

/* ---------------------------------------------------------------- bursts */

#define N_BURST 20000

CHILD(bursts_and_exits)
{
	burst("a", 0, N_BURST);
	CHECK(is_overflowing());
}

TEST(a_burst_before_exit_arrives_in_order)
{
	struct peer peer;

	run(&peer, "bursts_and_exits");
	CHECK_EQ(count_in_order(&peer, "a") + count_told(&peer), N_BURST);
	peer_free(&peer);
}

static void *burst_in_thread(void *name)
{
	burst(name, 0, 5000);
	return NULL;
}

CHILD(threads_burst_and_end)
{
	static char names[4][2] = { "a", "b", "c", "d" };
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, burst_in_thread, names[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

TEST(bursts_of_ended_threads_arrive_in_order)
{
	struct peer peer;

	run(&peer, "threads_burst_and_end");
	CHECK_EQ(count_in_order(&peer, "a") + count_in_order(&peer, "b") +
	                 count_in_order(&peer, "c") +
	                 count_in_order(&peer, "d") + count_told(&peer),
	         4 * 5000);
	for (unsigned i = 0; i < peer.n_rings; i++)
		CHECK(peer.rings[i].has_ended ||
		      peer.rings[i].header->tid == peer.pid);
	peer_free(&peer);
}

/* A burst, then rare events: the ring is in use again. */
CHILD(calms_down)
{
	int n = 2000;

	burst("a", 0, n);
	CHECK(is_overflowing());
	for (int i = 0; i < 5000 && is_overflowing(); i++) {
		burst("a", n++, 1);
		usleep(1000);
	}
	CHECK(!is_overflowing());
	burst("a", n++, 1);
	CHECK(syc_process->overflow_bytes <= 65536);
	/* Again */
	burst("a", n, 4000 - n);
	CHECK(is_overflowing());
}

TEST(a_thread_emits_into_its_ring_again_after_a_burst)
{
	struct peer peer;

	run(&peer, "calms_down");
	CHECK_EQ(count_in_order(&peer, "a") + count_told(&peer), 4000);
	peer_free(&peer);
}

static void *burst_and_stay(void *unused)
{
	burst("a", 0, N_BURST);
	CHECK(is_overflowing());
	__atomic_store_n((int *)unused, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return unused;
}

/* The events of one thread move the frames of another, which is silent. */
CHILD(others_move)
{
	struct syc_overflow *o;
	pthread_t thread;
	int is_full = 0;

	pthread_create(&thread, NULL, burst_and_stay, &is_full);
	while (!__atomic_load_n(&is_full, __ATOMIC_ACQUIRE))
		usleep(1000);
	o = syc_process->overflows;
	for (int i = 0; i < 20000 && o->ring.head != o->ring.tail; i++) {
		burst("b", i, 1);
		usleep(1000);
	}
	CHECK_EQ(o->ring.head, o->ring.tail);
	_exit(0);
}

TEST(a_silent_threads_frames_are_moved_by_others)
{
	struct peer peer;

	run(&peer, "others_move");
	CHECK_EQ(count_in_order(&peer, "a"), N_BURST);
	peer_free(&peer);
}

/* ----------------------------------------------- a recording of its own */

static void start_recording(char *path)
{
	struct syscap_options options = { .size = sizeof(options) };

	snprintf(path, 64, "/tmp/syscap-overflow-%d.syscap", (int)getpid());
	options.output = path;
	CHECK_EQ(syscap_start(&options), 0);
}

/* A recording of the process replaces the recorder while frames wait. */
CHILD(starts_its_own_recording)
{
	char path[64];

	burst("a", 0, 3000);
	CHECK(is_overflowing());
	start_recording(path);
	struct syc_overflow *const o = syc_process->overflows;
	for (int i = 0; i < 20000 && o->ring.head != o->ring.tail; i++) {
		syscap_mark("test", "own", FIRST, 0, NULL);
		usleep(1000);
	}
	CHECK_EQ(o->ring.head, o->ring.tail);
	unlink(path);
	_exit(0);
}

CHILD(starts_its_own_recording_and_exits)
{
	char path[64];

	burst("a", 0, 3000);
	CHECK(is_overflowing());
	start_recording(path);
	unlink(path);
}

TEST(frames_move_on_while_the_program_records_itself)
{
	struct peer peer;

	run(&peer, "starts_its_own_recording");
	CHECK_EQ(count_in_order(&peer, "a"), 3000);
	CHECK_EQ(count_in_order(&peer, "own"), 0);
	peer_free(&peer);
}

TEST(frames_move_on_at_the_exit_of_a_program_that_records_itself)
{
	struct peer peer;

	run(&peer, "starts_its_own_recording_and_exits");
	CHECK_EQ(count_in_order(&peer, "a"), 3000);
	peer_free(&peer);
}

/* ------------------------------------------------------------- handlers */

static volatile sig_atomic_t n_ticks;
static sigjmp_buf before_mark;
static volatile sig_atomic_t may_jump;

static void tick(int signal)
{
	(void)signal;
	syscap_mark("test", "tick", FIRST + n_ticks, 0, NULL);
	n_ticks++;
	if (may_jump && n_ticks % 7 == 0) {
		may_jump = 0;
		siglongjmp(before_mark, 1);
	}
}

static void begin_ticks(void)
{
	const struct sigaction action = { .sa_handler = tick };
	const struct itimerval each = { { 0, 100 }, { 0, 100 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &each, NULL);
}

static void end_ticks(void)
{
	setitimer(ITIMER_REAL, &(const struct itimerval){ 0 }, NULL);
}

CHILD(handlers_burst)
{
	int n = 0;

	burst("a", n++, 1);
	begin_ticks();
	while (n < 30000) {
		burst("a", n, 100);
		n += 100;
		if (n % 1000 == 1)
			usleep(3000);
	}
	end_ticks();
	FILE *const file = fopen(peer_arg(), "we");
	CHECK(file != NULL);
	fprintf(file, "%d\n", n + (int)n_ticks);
	fclose(file);
}

/* Each mark of the thread and of its handler is kept, or reported as lost. */
TEST(handlers_emit_while_frames_overflow)
{
	struct peer peer;
	struct peer_frame f;
	char path[64], text[16] = "";
	uint64_t n_sent, n_kept = 0, n = 0;
	size_t at = 0;

	snprintf(path, sizeof(path), "/tmp/syscap-overflow-%d", (int)getpid());
	run_once(&peer, "handlers_burst", path);
	FILE *const file = fopen(path, "re");
	CHECK(file != NULL && fgets(text, sizeof(text), file) != NULL);
	fclose(file);
	unlink(path);
	n_sent = strtoull(text, NULL, 10);
	CHECK(n_sent > 30001 || TEST_HAS_TSAN); /* TSan delays handlers */
	for (unsigned i = 0; i < peer.n_rings; i++, at = 0)
		while (peer_next(&peer.rings[i], &at, &f)) {
			if (f.type != SYSCAP_FRAME_MARK || peer_is_loss(&f, &n))
				continue;
			n_kept++;
		}
	CHECK_EQ(n_kept + count_told(&peer), n_sent);
	peer_free(&peer);
}

/* A jump out of a handler leaves an emit, or a move, at any instruction. */
CHILD(handlers_jump)
{
	volatile int n = 0;

	burst("a", n++, 1);
	begin_ticks();
	while (n < 20000) {
		sigsetjmp(before_mark, 1);
		may_jump = 1;
		syscap_mark("test", "a", FIRST + n, 0, NULL);
		may_jump = 0;
		n = n + 1;
		if (n % 1000 == 0)
			usleep(3000);
	}
	end_ticks();
}

TEST(jumps_out_of_handlers_leave_whole_frames)
{
	struct peer peer;
	struct peer_frame f;
	unsigned char *const seen = calloc(1, 20000);
	uint64_t n_missing = 0;
	size_t at = 0;

	run(&peer, "handlers_jump");
	/* A mark that was jumped out of may be in twice: it was called twice */
	for (unsigned i = 0; i < peer.n_rings; i++, at = 0)
		while (peer_next(&peer.rings[i], &at, &f))
			if (f.type == SYSCAP_FRAME_MARK &&
			    strcmp(peer_mark_name(&f), "a") == 0)
				seen[f.time - FIRST] = 1;
	for (int i = 0; i < 20000; i++)
		n_missing += seen[i] == 0;
	CHECK(n_missing <= count_told(&peer));
	free(seen);
	peer_free(&peer);
}

/* ------------------------------------------------------------- children */

CHILD(forks_in_a_burst)
{
	burst("a", 0, 2000);
	CHECK(is_overflowing());
	const pid_t pid = fork();
	if (pid == 0) {
		burst("b", 0, 2000);
		CHECK(is_overflowing());
		exit(0);
	}
	int status;
	burst("a", 2000, 2000);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

TEST(a_child_does_not_repeat_its_parents_frames)
{
	struct peer peer;

	run(&peer, "forks_in_a_burst");
	CHECK_EQ(count_in_order(&peer, "a") + count_in_order(&peer, "b") +
	                 count_told(&peer),
	         6000);
	peer_free(&peer);
}

/* --------------------------------------------------------------- limits */

CHILD(bursts_without_end)
{
	burst("a", 0, 300000);
	CHECK(syc_process->overflow_bytes <= SYC_OVERFLOWS_MOST);
}

TEST(what_exceeds_the_memory_is_reported)
{
	struct peer peer;
	struct peer_frame f;
	uint64_t n_kept = 0, n;
	size_t at = 0;
	int status;

	do {
		peer_start(&peer, "bursts_without_end", RING, PEER_STOCK);
		status = peer_finish_without_draining(&peer);
	} while (status != 0 && is_held_up(&peer, status));
	CHECK_EQ(status, 0);
	for (unsigned i = 0; i < peer.n_rings; i++, at = 0)
		while (peer_next(&peer.rings[i], &at, &f))
			n_kept += f.type == SYSCAP_FRAME_MARK &&
			          !peer_is_loss(&f, &n);
	CHECK_EQ(n_kept + count_told(&peer), 300000);
	peer_free(&peer);
}

/* A frame that is longer than the ring does not stop the frames behind it. */
CHILD(logs_more_than_a_ring)
{
	static char text[RING + 1000];

	memset(text, 'x', sizeof(text) - 1);
	burst("a", 0, 10);
	syscap_log(SYSCAP_INFO, "test", text);
	burst("a", 10, 2000);
	CHECK(is_overflowing());
	syscap_log(SYSCAP_INFO, "test", text);
	burst("a", 2010, 2000);
}

TEST(a_frame_longer_than_the_ring_is_reported_alone)
{
	struct peer peer;

	run_once(&peer, "logs_more_than_a_ring", "");
	const unsigned n_kept = count_in_order(&peer, "a");
	CHECK_EQ(n_kept + count_told(&peer), 4010 + 2);
	CHECK(n_kept > 10);
	peer_free(&peer);
}

#define N_CROWD 100

static pthread_barrier_t are_all_overflowing;

static void *overflow_and_end(void *unused)
{
	do {
		syscap_mark("test", "a", FIRST, 0, NULL);
		if (syc_state_of(syc_self)->ring == NULL)
			usleep(1000);
	} while (!is_overflowing());
	pthread_barrier_wait(&are_all_overflowing);
	return unused;
}

static bool has_overflows(void)
{
	for (struct syc_overflow *o = syc_process->overflows; o != NULL;
	     o = o->next)
		if (syc_overflow_phase(o) != SYC_OVERFLOW_FREE)
			return true;
	return false;
}

CHILD(crowd_overflows)
{
	pthread_t threads[N_CROWD];

	burst("b", 0, 1);
	pthread_barrier_init(&are_all_overflowing, NULL, N_CROWD);
	for (int i = 0; i < N_CROWD; i++)
		pthread_create(&threads[i], NULL, overflow_and_end, NULL);
	for (int i = 0; i < N_CROWD; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < 20000 && has_overflows(); i++) {
		burst("b", i, 1);
		usleep(1000);
	}
	CHECK(!has_overflows());
	CHECK(syc_process->overflow_bytes <= SYC_OVERFLOWS_MOST / 4);
}

TEST(free_overflows_leave_memory_to_others)
{
	struct peer peer;

	run_once(&peer, "crowd_overflows", "");
	peer_free(&peer);
}

/* The recorder's position is not trusted: the ring is closed. */
CHILD(meets_a_bad_position)
{
	burst("a", 0, 1000);
	CHECK(is_overflowing());
	struct syc_overflow *const o = syc_state_of(syc_self)->overflow;

	o->target->head = 4;
	burst("a", 1000, 3);
	CHECK(syc_state_of(syc_self)->hot.body == NULL);
	burst("a", 1003, 1000);
	struct syscap_stats stats = { .size = sizeof(stats) };
	syscap_get_stats(&stats);
	CHECK(stats.n_dropped > 2003 - RING / 96); /* the rest is in the ring */
}

TEST(an_invalid_position_closes_the_ring)
{
	struct peer peer;
	int status;

	do {
		peer_start(&peer, "meets_a_bad_position", RING, PEER_STOCK);
		status = peer_finish_without_draining(&peer);
	} while (status != 0 && is_held_up(&peer, status));
	CHECK_EQ(status, 0);
	peer_free(&peer);
}

static void lose_one(int signal)
{
	(void)signal;
	SYSCAP_MARK("test", "lost", FIRST, 0, NULL);
}

/* A handler's event is lost as the ring fills. Then frames overflow, and most
 * of the overflowed frames are not read until the end. */
CHILD(loses_before_it_overflows)
{
	struct syc_thread *st;

	signal(SIGUSR1, lose_one);
	burst("a", 0, 100);
	st = syc_self;
	/* Simulate an emit in progress: the handler's event has no room */
	while (!syc_loss_is_pending(syc_state_of(st))) {
		volatile uintptr_t token;
		const bool is_outermost = syc_enter(st, &token);

		raise(SIGUSR1);
		syc_leave(st, &token, is_outermost);
	}
	burst("a", 100, 200000);
}

TEST(losses_before_an_overflow_are_reported_once)
{
	struct peer peer;
	struct peer_frame f;
	uint64_t n_kept = 0, n, n_lost = 0;
	size_t at = 0;
	int status;

	do {
		peer_start(&peer, "loses_before_it_overflows", RING,
		           PEER_STOCK);
		status = peer_finish_without_draining(&peer);
	} while (status != 0 && is_held_up(&peer, status));
	CHECK_EQ(status, 0);
	for (unsigned i = 0; i < peer.n_rings; i++, at = 0)
		while (peer_next(&peer.rings[i], &at, &f)) {
			if (f.type != SYSCAP_FRAME_MARK || peer_is_loss(&f, &n))
				continue;
			n_kept++;
			n_lost += strcmp(peer_mark_name(&f), "lost") == 0;
		}
	CHECK(n_lost > 0);
	/* One of the handler's events was lost */
	CHECK_EQ(n_kept - n_lost + count_told(&peer), 200100 + 1);
	peer_free(&peer);
}
