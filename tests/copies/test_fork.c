/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_fork.c - every way to fork a process with several copies. Each process
 * has one ring per thread, and writes no other process's ring.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "copies/census.h"
#include "copies/parts.h"
#include "harness/peer.h"
#include "harness/test.h"

#define RING      (1u << 18)
#define N_THREADS 4

static const struct part *parts[PARTS_ALL];
static struct census census;

/* Forks by fork(), or by _Fork(), which runs no atfork handlers. */
static pid_t make_child(const char *how)
{
	if (strcmp(how, "_Fork") == 0)
		return _Fork();
	if (strcmp(how, "clone") == 0)
		return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	return fork();
}

static const struct peer_ring *ring_of(const struct peer *peer, bool is_parent)
{
	for (unsigned i = 0; i < peer->n_rings; i++)
		if ((peer->rings[i].header->pid == peer->pid) == is_parent)
			return &peer->rings[i];
	test_fail(__FILE__, __LINE__, "no such ring");
}

/* Number of received marks of copy @name; emitter 0 is the parent, 1 the
 * child. */
static unsigned count_here(const char *name, unsigned emitter)
{
	return census_marks(&census, parts_name((unsigned)atoi(name)), emitter);
}

static void emit_all(unsigned emitter, unsigned from, unsigned n)
{
	for (unsigned i = 0; i < PARTS_ALL; i++)
		parts_emit(parts[i], emitter, from, n);
}

/* -------------------------------------------- the parent's copy, then
 * others */

/* The argument is the way to fork, and two digits for the parent's copy and the
 * child's first copy. */
CHILD(two_copies)
{
	char how[16];
	unsigned a, b;

	CHECK_EQ(sscanf(peer_arg(), "%15s %1u%1u", how, &a, &b), 3);
	parts_load_all(parts);
	parts_emit(parts[a], 0, 0, 10);
	const pid_t pid = make_child(how);
	if (pid == 0) {
		parts_emit(parts[b], 1, 0, 10);
		parts_emit(parts[a], 1, a == b ? 10 : 0, 10);
		parts_check_together(parts, PARTS_ALL, PARTS_ALL);
		_exit(0);
	}
	parts_wait(pid);
	parts_emit(parts[a], 0, 10, 10);
}

static void check_two(const char *how, unsigned a, unsigned b)
{
	char arg[32], digit[2] = { (char)('0' + a), '\0' };
	struct peer peer;

	snprintf(arg, sizeof(arg), "%s %u%u", how, a, b);
	peer_start_arg(&peer, "two_copies", arg, RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 2);
	census_check_one_ring_a_thread(&peer);
	const struct peer_ring *const child = ring_of(&peer, false);
	CHECK_EQ(child->header->pid, child->header->tid);

	census_of_process(&census, &peer, peer.pid);
	CHECK_EQ(count_here(digit, 0), 20);
	CHECK_EQ(count_here(digit, 1), 0);
	CHECK_EQ(census.n_values, 20);
	census_of_process(&census, &peer, child->header->pid);
	CHECK_EQ(count_here(digit, 0), 0);
	CHECK_EQ(count_here(digit, 1), a == b ? 20 : 10);
	digit[0] = (char)('0' + b);
	CHECK_EQ(count_here(digit, 1), a == b ? 20 : 10);
	CHECK_EQ(census.n_values, 20);
	peer_free(&peer);
}

static void check_all_pairs(const char *how)
{
	for (unsigned a = 0; a < PARTS_ALL; a++)
		for (unsigned b = 0; b < PARTS_ALL; b++)
			check_two(how, a, b);
}

TEST(after_fork_a_child_has_one_ring_whichever_copy_emits_first)
{
	check_all_pairs("fork");
}

TEST(after__Fork_a_child_has_one_ring_whichever_copy_emits_first)
{
	check_all_pairs("_Fork");
}

TEST(after_a_bare_clone_a_child_has_one_ring_whichever_copy_emits_first)
{
	check_all_pairs("clone");
}

/* --------------------------------------------------- threads on both sides */

static void *emit_in_thread(void *number)
{
	emit_all((unsigned)(uintptr_t)number, 0, 50);
	return NULL;
}

static void run_threads(unsigned first)
{
	pthread_t threads[N_THREADS];

	for (uintptr_t i = 0; i < N_THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, emit_in_thread,
		                        (void *)(first + i)),
		         0);
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

CHILD(threads)
{
	parts_load_all(parts);
	emit_all(0, 0, 50);
	run_threads(10);
	const pid_t pid = make_child(peer_arg());
	if (pid == 0) {
		emit_all(1, 0, 50);
		run_threads(20);
		parts_check_together(parts, PARTS_ALL, PARTS_ALL);
		_exit(0);
	}
	run_threads(30);
	parts_wait(pid);
	emit_all(0, 50, 50);
}

static void check_threads(const char *how)
{
	struct peer peer;

	peer_start_arg(&peer, "threads", how, RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 1 + N_THREADS + 1 + N_THREADS + N_THREADS);
	census_check_one_ring_a_thread(&peer);
	census_of_peer(&census, &peer);
	for (unsigned i = 0; i < PARTS_ALL; i++) {
		CHECK_EQ(census_marks(&census, parts_name(i), 0), 100);
		CHECK_EQ(census_marks(&census, parts_name(i), 1), 50);
		for (unsigned t = 0; t < N_THREADS; t++) {
			CHECK_EQ(census_marks(&census, parts_name(i), 10 + t),
			         50);
			CHECK_EQ(census_marks(&census, parts_name(i), 20 + t),
			         50);
			CHECK_EQ(census_marks(&census, parts_name(i), 30 + t),
			         50);
		}
	}
	CHECK_EQ(census.n_counters, PARTS_ALL);
	peer_free(&peer);
}

TEST(children_have_threads_that_emit_through_all_copies)
{
	SKIP_UNDER_TSAN(); /* TSan: threads in a forked child */
	check_threads("fork");
	check_threads("_Fork");
}

/* ------------------------------------------- handlers of fork() that emit */

static bool emits_at_fork;

static void emit_before(void)
{
	if (emits_at_fork)
		emit_all(0, 10, 10);
}

static void emit_in_parent(void)
{
	if (emits_at_fork)
		emit_all(0, 20, 10);
}

static void emit_in_child(void)
{
	if (emits_at_fork)
		emit_all(1, 0, 10);
}

/* Registers handlers before the library does, so the child emits before the
 * library's handler has run. */
__attribute__((constructor(101))) static void watch_fork_early(void)
{
	pthread_atfork(emit_before, emit_in_parent, emit_in_child);
}

CHILD(emits_at_fork)
{
	parts_load_all(parts);
	emit_all(0, 0, 10);
	emits_at_fork = true;
	const pid_t pid = fork();
	if (pid == 0) {
		emit_all(1, 10, 10);
		run_threads(20);
		_exit(0);
	}
	emit_all(0, 30, 10);
	parts_wait(pid);
}

TEST(handlers_of_fork_that_come_before_ours_may_emit_through_all_copies)
{
	struct peer peer;

	peer_start(&peer, "emits_at_fork", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 2 + N_THREADS);
	census_check_one_ring_a_thread(&peer);
	census_of_process(&census, &peer, peer.pid);
	for (unsigned i = 0; i < PARTS_ALL; i++) {
		CHECK_EQ(census_marks(&census, parts_name(i), 0), 40);
		CHECK_EQ(census_marks(&census, parts_name(i), 1), 0);
	}
	census_of_process(&census, &peer, ring_of(&peer, false)->header->pid);
	for (unsigned i = 0; i < PARTS_ALL; i++)
		CHECK_EQ(census_marks(&census, parts_name(i), 1), 20);
	peer_free(&peer);
}

/* ----------------------------------------------------------- vfork, exec */

CHILD(vforks)
{
	parts_load_all(parts);
	parts_emit(parts[1], 0, 0, 10);
	const pid_t pid = vfork();
	if (pid == 0) {
		parts[2]->mark(1, 0);
		parts[1]->mark(0, 10);
		_exit(0);
	}
	parts_wait(pid);
	parts[1]->mark(0, 11);
	parts[2]->mark(0, 0);
	parts_check_together(parts, PARTS_ALL, PARTS_ALL);
}

TEST(a_vfork_childs_events_are_its_parents_in_any_copy)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start(&peer, "vforks", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 1);
	census_of_process(&census, &peer, peer.pid);
	CHECK_EQ(census_marks(&census, "a", 0), 12);
	CHECK_EQ(census_marks(&census, "b", 0), 1);
	/* the first event of this copy is in a vfork() child, and may be
	 * lost */
	CHECK(census_marks(&census, "b", 1) <= 1);
	peer_free(&peer);
}

CHILD(after_exec)
{
	parts_load_all(parts);
	for (unsigned i = 0; i < PARTS_ALL; i++)
		parts_emit(parts[PARTS_ALL - 1 - i], 1, 0, 10);
	parts_check_together(parts, PARTS_ALL, PARTS_ALL);
}

CHILD(before_exec)
{
	parts_load_all(parts);
	emit_all(0, 0, 10);
	setenv("SYSCAP_TEST_CHILD", "after_exec", 1);
	execl("/proc/self/exe", "after_exec", (char *)NULL);
	_exit(98);
}

TEST(an_image_that_was_execed_meets_anew)
{
	struct peer peer;

	peer_start(&peer, "before_exec", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 2);
	/* only marks, as counters have other ids after exec */
	for (unsigned i = 0; i < PARTS_ALL; i++)
		CHECK_EQ(peer_count_marks(&peer, parts_name(i), "n"), 20);
	CHECK_EQ(peer_lost_total(&peer.rings[0]), 0);
	peer_free(&peer);
}
