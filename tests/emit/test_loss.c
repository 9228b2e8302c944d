/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_loss.c - a recorder that drains too slowly. Received and lost frames
 * add up to the sent frames, in order and with the right times. An emit into a
 * full ring makes no system call.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/thread.h"
#include "harness/held_up.h"
#include "harness/peer.h"
#include "harness/sandbox.h"
#include "harness/test.h"

#define N_SENT    100000
#define N_THREADS 3

/* The time of mark 0; each later mark's time is one more. */
#define FIRST INT64_C(1000000)

/* --------------------------------------------------- everything adds up */

static void emit_all(void)
{
	for (int i = 0; i < N_SENT; i++) {
		SYSCAP_MARK("test", "mark", FIRST + i, 0, NULL);
		/* test_ask_silence covers losses without a ring */
		if (i == 0)
			held_up_if(syc_state_of(syc_self)->ring == NULL);
		if (i % 5000 == 0)
			usleep(3000);
	}
}

static void *emit_and_end(void *unused)
{
	emit_all();
	return unused;
}

/* Ends during a burst, so with a full ring. */
static void *emit_and_be_gone(void *unused)
{
	emit_all();
	pthread_exit(unused);
}

CHILD(too_fast)
{
	pthread_t threads[N_THREADS - 1];

	pthread_create(&threads[0], NULL, emit_and_end, NULL);
	pthread_create(&threads[1], NULL, emit_and_be_gone, NULL);
	emit_all();
	for (int i = 0; i < N_THREADS - 1; i++)
		pthread_join(threads[i], NULL);
	if (strcmp(peer_arg(), "kill") == 0)
		kill(getpid(), SIGKILL);
}

/* Drains some frames at a time, with pauses. */
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
		usleep(5000);
	}
}

/*
 * Go over a ring whose marks are numbered: each mark has the next number, or a
 * loss record covers exactly the missing marks.  Returns the number of received
 * and lost marks, and in *@ret_lost the number of lost marks.
 */
static int64_t add_up(const struct peer_ring *ring, uint64_t *ret_lost)
{
	struct peer_frame f;
	int64_t next = FIRST;
	size_t at = 0;
	uint64_t n;

	*ret_lost = 0;
	while (peer_next(ring, &at, &f)) {
		int64_t duration;

		if (f.type != 10)
			continue;
		CHECK_EQ(f.time, next);
		memcpy(&duration, f.bytes + 24, 8);
		if (peer_is_loss(&f, &n)) {
			CHECK(n > 0);
			CHECK_EQ(duration, n - 1);
			CHECK_EQ(peer_loss_value(&f, "mark"), n);
			CHECK_EQ(peer_loss_value(&f, "bytes"), n * 104);
			CHECK_EQ(peer_loss_value(&f, "tid"), ring->header->tid);
			*ret_lost += n;
			next += (int64_t)n;
		} else {
			next++;
		}
	}
	return next - FIRST;
}

static void check_sums(const char *arg, int expected_status)
{
	struct peer peer;
	unsigned n_ended = 0;
	int status;

	do {
		peer_start_arg(&peer, "too_fast", arg, 16384, PEER_OURS);
		status = record_slowly(&peer);
	} while (status != expected_status && is_held_up(&peer, status));
	CHECK_EQ(status, expected_status);
	CHECK_EQ(peer.n_rings, N_THREADS);
	for (unsigned i = 0; i < peer.n_rings; i++) {
		const struct peer_ring *const ring = &peer.rings[i];
		const struct syc_ring_losses *const lost = &ring->header->lost;
		uint64_t n_told;
		const int64_t n = add_up(ring, &n_told);
		const int64_t left =
			(int64_t)peer_lost_total(ring) - (int64_t)n_told;

		/* Without a drain, there is no loss record yet */
		CHECK((ring->has_ended ? n_told : peer_lost_total(ring)) >
		      1000);
		CHECK_EQ(n + left, N_SENT);
		CHECK_EQ(lost->frames[10], peer_lost_total(ring));
		CHECK_EQ(lost->bytes, peer_lost_total(ring) * 104);
		n_ended += ring->has_ended;
		if (ring->has_ended) {
			CHECK_EQ(left, 0);
		} else if (left != 0) {
			CHECK_EQ(lost->from, FIRST + n);
			CHECK_EQ(lost->to, FIRST + N_SENT - 1);
		}
	}
	/* a full ring has space for a loss record and an end marker */
	CHECK_EQ(n_ended, N_THREADS - 1);
	peer_free(&peer);
}

TEST(received_and_lost_events_add_up_to_the_emitted_ones)
{
	for (int i = 0; i < 5; i++)
		check_sums("", 0);
}

TEST(losses_of_a_killed_process_are_in_its_rings_headers)
{
	for (int i = 0; i < 5; i++)
		check_sums("kill", SIGKILL);
}

/* The range of a loss record covers its own losses, not earlier losses. */
CHILD(loses_twice)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	for (int64_t i = 0; i < 100; i++) { /* marks far in the future */
		SYSCAP_MARK("test", "mark", FIRST + 100000 + i, 0, NULL);
		syscap_get_stats(&stats);
		held_up_if(stats.n_rings == 0);
	}
	raise(SIGSTOP); /* the parent drains here, and at the second stop */
	for (int64_t i = 0; i < 200; i++)
		SYSCAP_MARK("test", "mark", FIRST + i, 0, NULL);
	raise(SIGSTOP);
	SYSCAP_MARK("test", "last", FIRST, 0, NULL);
}

/* Drains each time that the child stops.  Returns its wait status. */
static int drain_at_stops(struct peer *peer)
{
	int status;

	for (;;) {
		const pid_t pid =
			waitpid(peer->pid, &status, WNOHANG | WUNTRACED);

		CHECK(pid >= 0);
		if (pid != 0 && !WIFSTOPPED(status))
			break;
		peer_serve(peer);
		if (pid != 0) {
			peer_drain(peer);
			CHECK_EQ(kill(pid, SIGCONT), 0);
		}
		usleep(100);
	}
	peer_drain(peer);
	return status;
}

TEST(a_loss_record_has_the_time_range_of_its_losses)
{
	struct peer peer;
	struct peer_frame f;
	int64_t ends[2] = { 0 };
	int n_records = 0;
	uint64_t n;
	size_t at = 0;

	do
		peer_start(&peer, "loses_twice", 4096, PEER_OURS);
	while (is_held_up(&peer, drain_at_stops(&peer)));
	while (peer_next(&peer.rings[0], &at, &f)) {
		int64_t duration;

		if (!peer_is_loss(&f, &n))
			continue;
		CHECK(n_records < 2);
		memcpy(&duration, f.bytes + 24, 8);
		ends[n_records++] = f.time + duration;
	}
	CHECK_EQ(n_records, 2);
	CHECK_EQ(ends[0], FIRST + 100099);
	CHECK_EQ(ends[1], FIRST + 199);
	peer_free(&peer);
}

/* --------------------------------------------------- the cost of losses */

static void emit_some_of_each(void)
{
	static struct syscap_counter counter = {
		"test", "c", "", 0, 0, 0, 0, 0
	};

	SYSCAP_MARK("test", "mark", FIRST, 0, NULL);
	SYSCAP_INSTANT("test", "instant", "message");
	syscap_counter_set_int64(&counter, 1);
	syscap_log(SYSCAP_INFO, "test", "message");
}

static pthread_barrier_t barrier;

static void *emit_into_a_full_ring(void *ret_done)
{
	struct rusage before, after;

	for (int i = 0; i < 1000; i++)
		emit_some_of_each();
	pthread_barrier_wait(&barrier);
	if (!test_is_sanitized())
		sandbox_enter();
	CHECK_EQ(getrusage(RUSAGE_THREAD, &before), 0);
	for (int i = 0; i < 25000; i++)
		emit_some_of_each();
	CHECK_EQ(getrusage(RUSAGE_THREAD, &after), 0);
	CHECK_EQ(after.ru_nvcsw - before.ru_nvcsw, 0);
	__atomic_add_fetch((int *)ret_done, 1, __ATOMIC_SEQ_CST);
	for (;;) /* a thread's end needs calls that the sandbox forbids */
		;
	return NULL;
}

CHILD(full_rings)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	pthread_t threads[N_THREADS];
	int n_done = 0;

	pthread_barrier_init(&barrier, NULL, N_THREADS);
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, emit_into_a_full_ring,
		               &n_done);
	while (__atomic_load_n(&n_done, __ATOMIC_SEQ_CST) < N_THREADS)
		usleep(1000);
	syscap_get_stats(&stats);
	CHECK(stats.n_dropped > 290000);
	_exit(0);
}

TEST(emitting_into_a_full_ring_makes_no_system_call_and_never_waits)
{
	struct peer peer;

	peer_start(&peer, "full_rings", 16384, PEER_OURS);
	CHECK_EQ(peer_finish_without_draining(&peer), 0);
	CHECK_EQ(peer.n_rings, N_THREADS);
	/* 26,000 frames of each of four kinds */
	for (unsigned i = 0; i < peer.n_rings; i++) {
		struct peer_frame f;
		unsigned n = 0;
		size_t at = 0;

		while (peer_next(&peer.rings[i], &at, &f))
			n += f.type == 9 || f.type == 10 || f.type == 12;
		CHECK_EQ(n + peer_lost_total(&peer.rings[i]), 104000);
	}
	peer_free(&peer);
}

/* Shows that the sandbox kills at a forbidden call. */
CHILD(breaks_out)
{
	sandbox_enter();
	(void)getppid();
	_exit(0);
}

/* ------------------------------------------------------- a stock recorder */

#define N_FULL 3000 /* marks, more than a ring holds */

static unsigned n_full;

static void *fill_and_stay(void *unused)
{
	for (int i = 0; i < N_FULL; i++)
		SYSCAP_MARK("test", "mark", FIRST + i, 0, NULL);
	__atomic_add_fetch(&n_full, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return unused;
}

CHILD(exits_with_full_rings)
{
	pthread_t thread;

	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&thread, NULL, fill_and_stay, NULL);
	while (__atomic_load_n(&n_full, __ATOMIC_ACQUIRE) != N_THREADS)
		usleep(1000);
	for (int i = 0; i < N_FULL; i++)
		SYSCAP_MARK("test", "mark", FIRST + i, 0, NULL);
}

/* Neither an overflow nor a ring for the report at exit can be mapped. */
CHILD(exits_with_a_full_ring_and_no_memory)
{
	SYSCAP_MARK("test", "mark", FIRST, 0, NULL);
	CHECK_EQ(setrlimit(RLIMIT_AS, &(struct rlimit){ 0, 0 }), 0);
	for (int i = 1; i < N_FULL; i++)
		SYSCAP_MARK("test", "mark", FIRST + i, 0, NULL);
}

static void check_stock(const char *child, unsigned n_threads)
{
	struct peer peer;
	uint64_t kept = 0, lost = 0;

	peer_start(&peer, child, 16384, PEER_STOCK);
	CHECK_EQ(peer_finish_without_draining(&peer), 0);
	for (unsigned i = 0; i < peer.n_rings; i++) {
		struct peer_frame f;
		uint64_t n = 0;
		size_t at = 0;

		while (peer_next(&peer.rings[i], &at, &f))
			kept += f.type == 10 && !peer_is_loss(&f, &n);
		lost += peer_lost_told(&peer.rings[i]);
	}
	CHECK(kept >= n_threads);
	CHECK(lost > 0);
	CHECK_EQ(kept + lost, n_threads * N_FULL);
	peer_free(&peer);
}

TEST(losses_before_exit_reach_a_stock_recorder)
{
	check_stock("exits_with_full_rings", N_THREADS + 1);
}

TEST(losses_without_memory_at_exit_reach_a_stock_recorder)
{
	if (test_is_sanitized())
		SKIP("sanitizers need their own address space");
	check_stock("exits_with_a_full_ring_and_no_memory", 1);
}

TEST(a_system_call_in_the_sandbox_kills)
{
	const int status = peer_run_alone("breaks_out", "", NULL);

	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}
