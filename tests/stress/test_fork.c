/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_fork.c - new processes, made in every possible way.
 *
 * Two processes never write one ring, and each frame names its writer.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"
#include "stress/owners.h"

#define RING (1u << 22)

SYSCAP_COUNTER(a_counter, "test", "counter", "", SYSCAP_INT64);

/* Forks by fork(), or by _Fork(), which runs no atfork handlers. */
static pid_t make_child(const char *how)
{
	if (strcmp(how, "_Fork") == 0)
		return _Fork();
	if (strcmp(how, "clone") == 0)
		return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	return fork();
}

static void emit(const char *name, int first, int n)
{
	for (int i = first; i < first + n; i++) {
		syscap_mark("test", name, i, 0, NULL);
		SYSCAP_COUNTER_SET(a_counter, i);
	}
}

static void wait_for(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static const struct peer_ring *ring_of(const struct peer *peer, int32_t pid)
{
	for (unsigned i = 0; i < peer->n_rings; i++)
		if (peer->rings[i].header->pid == pid)
			return &peer->rings[i];
	test_fail(__FILE__, __LINE__, "no ring of process %d", pid);
}

static void check_nothing_lost(const struct peer *peer)
{
	for (unsigned i = 0; i < peer->n_rings; i++) {
		CHECK_EQ(peer_lost_total(&peer->rings[i]), 0);
		CHECK_EQ(peer_lost_told(&peer->rings[i]), 0);
	}
}

/* -------------------------------------------------- both sides emit */

#define N_BEFORE 100
#define N_AFTER  5000

CHILD(both_sides)
{
	emit("parent", 0, N_BEFORE);
	const pid_t pid = make_child(peer_arg());
	if (pid == 0) {
		emit("child", N_BEFORE, N_AFTER);
		_exit(0);
	}
	emit("parent", N_BEFORE, N_AFTER);
	wait_for(pid);
}

static void check_both_sides(const char *how)
{
	struct peer peer;

	for (int i = 0; i < 20; i++) {
		peer_start_arg(&peer, "both_sides", how, RING, PEER_OURS);
		CHECK_EQ(peer_finish(&peer), 0);
		CHECK_EQ(peer.n_rings, 2);
		const struct peer_ring *const a = ring_of(&peer, peer.pid);
		const struct peer_ring *const b =
			&peer.rings[a == &peer.rings[0]];
		check_one_owner(a);
		check_one_owner(b);
		CHECK_EQ(check_numbered(a, "test", "parent", 0),
		         N_BEFORE + N_AFTER);
		CHECK_EQ(check_numbered(a, "test", "child", 0), 0);
		CHECK_EQ(check_numbered(b, "test", "child", N_BEFORE), N_AFTER);
		CHECK_EQ(check_numbered(b, "test", "parent", 0), 0);
		/* the child's only thread has tid == pid */
		CHECK_EQ(b->header->pid, b->header->tid);
		CHECK_EQ(peer_count(&peer, 9), N_BEFORE + 2 * N_AFTER);
		/* the child's ring defines the counter anew */
		CHECK_EQ(peer_count(&peer, 8), 2);
		check_nothing_lost(&peer);
		peer_free(&peer);
	}
}

TEST(after_fork_each_side_writes_its_own_ring)
{
	check_both_sides("fork");
}

TEST(after__Fork_each_side_writes_its_own_ring)
{
	check_both_sides("_Fork");
}

TEST(after_a_bare_clone_each_side_writes_its_own_ring)
{
	check_both_sides("clone");
}

/* -------------------------- threads that fork, and children with threads */

static void *emit_in_thread(void *unused)
{
	emit("thread", 0, 500);
	return unused;
}

static void run_threads(int n)
{
	pthread_t threads[8];

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, emit_in_thread, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Each process: 500 marks, three threads, children down to @depth, 500 more
 * marks */
static void *grow(void *ret_depth)
{
	const int depth = *(const int *)ret_depth;

	emit("tree", 0, 500);
	if (depth > 0) {
		const pid_t pid = make_child(peer_arg());

		if (pid == 0) {
			int left = depth - 1;
			pthread_t thread;

			/* the child's first event is another thread's */
			run_threads(3);
			pthread_create(&thread, NULL, grow, &left);
			pthread_join(thread, NULL);
			emit("late", 0, 500);
			_exit(0);
		}
		emit("tree", 500, 500);
		wait_for(pid);
	}
	return NULL;
}

CHILD(grows)
{
	pthread_t thread;
	int depth = 3;

	emit("main", 0, 500);
	pthread_create(&thread, NULL, grow, &depth);
	pthread_join(thread, NULL);
	run_threads(3);
}

static void check_tree(const char *how)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start_arg(&peer, "grows", how, RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	for (unsigned i = 0; i < peer.n_rings; i++) {
		const struct peer_ring *const ring = &peer.rings[i];

		check_one_owner(ring);
		check_numbered(ring, "test", "thread", 0);
		check_numbered(ring, "test", "tree", 0);
		check_numbered(ring, "test", "late", 0);
		for (unsigned j = 0; j < i; j++)
			CHECK(peer.rings[j].header->tid != ring->header->tid);
	}
	/* 4 processes: main, tree, 3 threads; children emit late in "main" */
	CHECK_EQ(peer.n_rings, 4 * 5);
	CHECK_EQ(peer_count_marks(&peer, "test", "thread"), 4 * 3 * 500);
	CHECK_EQ(peer_count_marks(&peer, "test", "tree"), 3 * 1000 + 500);
	CHECK_EQ(peer_count_marks(&peer, "test", "late"), 3 * 500);
	check_nothing_lost(&peer);
	peer_free(&peer);
}

TEST(threads_fork_and_children_have_threads_and_children)
{
	check_tree("fork");
}

TEST(threads__Fork_and_children_have_threads_and_children)
{
	check_tree("_Fork");
}

/* An abandoned emit is also found in a thread that forked. */
static sigjmp_buf out;

static void jump(int signal)
{
	(void)signal;
	siglongjmp(out, 1);
}

/* Abandons an emit by a SIGSEGV: the value can't be read. */
static void die_in_an_emit(void)
{
	struct syscap_counter *const counter = &a_counter;

	if (sigsetjmp(out, 1) == 0) {
		syscap_counters_set(&counter, (void *)16, 1);
		test_fail(__FILE__, __LINE__, "there is something at 16");
	}
}

static void *fork_and_repair(void *unused)
{
	emit("tree", 0, 1);
	const pid_t pid = make_child(peer_arg());

	if (pid == 0) {
		emit("child", 0, 1);
		die_in_an_emit();
		emit("child", 1, 10);
		_exit(0);
	}
	wait_for(pid);
	return unused;
}

CHILD(repairs_in_a_child)
{
	pthread_t thread;

	signal(SIGSEGV, jump);
	pthread_create(&thread, NULL, fork_and_repair, NULL);
	pthread_join(thread, NULL);
}

TEST(a_dead_emit_is_repaired_in_a_child_that_a_thread_forked)
{
	struct peer peer;

	peer_start_arg(&peer, "repairs_in_a_child", "fork", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count_marks(&peer, "test", "child"), 11);
	CHECK_EQ(peer_count_marks(&peer, "syscap", "lost"), 1);
	peer_free(&peer);
}

/* ------------------------------------------------------- exec and spawn */

extern char **environ;

CHILD(image)
{
	SYSCAP_INSTANT("test", "image", NULL);
}

static char *image_argv[] = { (char *)"image", NULL };

CHILD(vforks_and_spawns)
{
	pid_t pid;

	emit("parent", 0, 10);
	setenv("SYSCAP_TEST_CHILD", "image", 1);
	for (int i = 0; i < 10; i++) {
		pid = vfork();
		if (pid == 0) {
			execve("/proc/self/exe", image_argv, environ);
			_exit(98);
		}
		wait_for(pid);
		emit("parent", 10 + 2 * i, 1);
		CHECK_EQ(posix_spawn(&pid, "/proc/self/exe", NULL, NULL,
		                     image_argv, environ),
		         0);
		wait_for(pid);
		emit("parent", 11 + 2 * i, 1);
	}
	execve("/proc/self/exe", image_argv, environ);
}

TEST(images_that_are_executed_record_too)
{
	struct peer peer;

	peer_start(&peer, "vforks_and_spawns", 1 << 16, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 1 + 20 + 1);
	for (unsigned i = 0; i < peer.n_rings; i++)
		check_one_owner(&peer.rings[i]);
	CHECK_EQ(check_numbered(&peer.rings[0], "test", "parent", 0), 30);
	CHECK_EQ(peer_count_marks(&peer, "test", "image"), 21);
	/* exec keeps the pid; the new image has its own ring */
	CHECK_EQ(peer.rings[21].header->pid, peer.pid);
	peer_free(&peer);
}
