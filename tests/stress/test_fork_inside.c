/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_fork_inside.c - children forked in a handler at every instruction of an
 * emit. Further tests kill vfork() children, which are guests in their
 * parent's memory, at every instruction.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"
#include "harness/tsan.h"
#include "stress/owners.h"

#define RING (1u << 16)

static int64_t sequence;

static void emit_one(void)
{
	SYSCAP_MARK("test", "stepped", sequence, 0, "message");
}

static void wait_for(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* ------------------------------------------------ fork inside an emit */

static pid_t child;
static int until_parent_is_done[2];
static int n_children;

/* peer_arg(): names the kind of fork, and the process that continues first. */
static void fork_here(void)
{
	const bool child_last = strstr(peer_arg(), "child-last") != NULL;
	char byte;

	if (child_last)
		CHECK_EQ(pipe(until_parent_is_done), 0);
	child = strstr(peer_arg(), "_Fork") != NULL ? _Fork() : fork();
	if (child != 0) {
		if (!child_last)
			wait_for(child);
		return;
	}
	if (strstr(peer_arg(), "emits") != NULL)
		SYSCAP_MARK("test", "handler", sequence, 0, NULL);
	if (child_last) {
		close(until_parent_is_done[1]);
		CHECK_EQ(read(until_parent_is_done[0], &byte, 1), 0);
	}
}

CHILD(forks_at_every_instruction)
{
	struct stepper stepper;

	const long stride = stepper_stride(1), first = stepper_first(stride);

	stepper_install(false);
	emit_one();
	for (long k = first;; k += stride) {
		sequence = (k - first) / stride + 1;
		child = -1;
		const bool reached =
			stepper_run(&stepper, k, emit_one, fork_here);
		if (child == 0) {
			SYSCAP_MARK("test", "child", sequence, 0, NULL);
			SYSCAP_MARK("test", "child", sequence, 0, NULL);
			_exit(0);
		}
		/* the following marks use the place of the stepped emit */
		for (int i = 0; i < 3; i++)
			SYSCAP_MARK("test", "parent", sequence, 0, NULL);
		if (reached && strstr(peer_arg(), "child-last") != NULL) {
			close(until_parent_is_done[1]);
			wait_for(child);
			close(until_parent_is_done[0]);
		}
		n_children += reached;
		if (!reached)
			break;
	}
	CHECK(n_children > (test_is_sanitized() ? 5 : 20));
	SYSCAP_MARK("test", "n_children", n_children, 0, NULL);
}

/*
 * The same within a handler's emit that interrupts the stepped emit: two of the
 * parent's emits continue in the child.
 */
static long inner_target;
static bool inner_is_reached;

static void emit_inner(void)
{
	SYSCAP_MARK("test", "inner", sequence, 0, "message");
}

static void step_inner(void)
{
	struct stepper stepper;

	inner_is_reached =
		stepper_run(&stepper, inner_target, emit_inner, fork_here);
}

CHILD(forks_inside_two_emits)
{
	struct stepper stepper;
	/* A peer can't map a ring for each pair of instructions */
	const long stride = test_is_whole() && !test_is_sanitized()
	                            ? 7
	                            : stepper_stride(23);

	stepper_install(false);
	emit_one();
	emit_inner();
	bool is_outer_reached = true;
	for (long k = stepper_first(stride); is_outer_reached; k += stride) {
		inner_is_reached = true;
		for (inner_target = stepper_first(stride);
		     is_outer_reached && inner_is_reached;
		     inner_target += stride) {
			sequence++;
			child = -1;
			is_outer_reached =
				stepper_run(&stepper, k, emit_one, step_inner);
			if (child == 0) {
				SYSCAP_MARK("test", "child", sequence, 0, NULL);
				_exit(0);
			}
			SYSCAP_MARK("test", "parent", sequence, 0, NULL);
			n_children += child > 0;
		}
	}
	SYSCAP_MARK("test", "n_children", n_children, 0, NULL);
}

/*
 * The same if the stepped emit has to look for space, and to report losses.
 * The parent's ring is full each time, and then read.
 */
static void wait_until_drained(void)
{
	const struct syc_ring_header *const ring = syc_state_of(syc_self)->ring;

	while (__atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) != ring->tail)
		usleep(100);
}

CHILD(forks_where_emits_are_slow)
{
	struct stepper stepper;
	const long stride = stepper_stride(17) * 5;
	char large[1001] = "";

	memset(large, 'x', sizeof(large) - 1);

	stepper_install(false);
	emit_one();
	for (long k = stepper_first(stride);; k += stride) {
		do /* faster than the reader */
			SYSCAP_MARK("test", "burst", 0, 0, large);
		while (!syc_loss_is_pending(syc_state_of(syc_self)));
		wait_until_drained();
		sequence = k;
		child = -1;
		const bool reached =
			stepper_run(&stepper, k, emit_one, fork_here);
		if (child == 0) {
			/* more than fits */
			for (int i = 0; i < 200; i++)
				SYSCAP_MARK("test", "child", i, 0, NULL);
			pthread_exit(NULL);
		}
		SYSCAP_MARK("test", "parent", sequence, 0, NULL);
		if (!reached)
			break;
		n_children++;
	}
	CHECK(n_children > 5);
	wait_until_drained();
	SYSCAP_MARK("test", "n_children", n_children, 0, NULL);
	pthread_exit(NULL);
}

static unsigned count(const struct peer_ring *ring, const char *name,
                      int64_t number)
{
	struct peer_frame f;
	unsigned n = 0;
	size_t at = 0;

	while (peer_next(ring, &at, &f))
		n += f.type == 10 && strcmp(peer_mark_name(&f), name) == 0 &&
		     f.time == number;
	return n;
}

static unsigned count_named(const struct peer_ring *ring, const char *name)
{
	struct peer_frame f;
	unsigned n = 0;
	size_t at = 0;

	while (peer_next(ring, &at, &f))
		n += f.type == 10 && strcmp(peer_mark_name(&f), name) == 0;
	return n;
}

static void check_forks(const char *arg)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start_arg(&peer, "forks_at_every_instruction", arg, RING,
	               PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	const struct peer_ring *const own = &peer.rings[0];
	const int64_t n = (int64_t)peer.n_rings - 1;
	CHECK_EQ(count(own, "n_children", n), 1);
	for (unsigned i = 0; i < peer.n_rings; i++) {
		check_one_owner(&peer.rings[i]);
		CHECK_EQ(peer_lost_total(&peer.rings[i]), 0);
	}
	for (int64_t k = 1; k <= n; k++) {
		CHECK_EQ(count(own, "stepped", k), 1);
		CHECK_EQ(count(own, "parent", k), 3);
		CHECK_EQ(count(own, "handler", k), 0);
		CHECK_EQ(count(own, "child", k), 0);
		/* the child may have abandoned the stepped emit */
		const struct peer_ring *const his = &peer.rings[k];
		CHECK_EQ(count(his, "child", k), 2);
		CHECK_EQ(count(his, "handler", k),
		         strstr(arg, "emits") != NULL);
		CHECK_EQ(count(his, "parent", k), 0);
		CHECK(count(his, "stepped", k) <= 1);
	}
	peer_free(&peer);
}

TEST(a_child_forked_inside_an_emit_writes_a_ring_of_its_own)
{
	check_forks("fork");
	check_forks("fork emits");
}

TEST(a_child_forked_inside_an_emit_cannot_write_the_parents_ring_later)
{
	check_forks("fork child-last");
	check_forks("fork emits child-last");
}

TEST(a_child__Forked_inside_an_emit_writes_a_ring_of_its_own)
{
	check_forks("_Fork");
	check_forks("_Fork emits");
}

TEST(a_child__Forked_inside_an_emit_that_emits_first_is_off_the_parents_ring)
{
	check_forks("_Fork emits child-last");
}

static void check_forks_inside_two(const char *arg)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start_arg(&peer, "forks_inside_two_emits", arg, RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	const struct peer_ring *const own = &peer.rings[0];
	const unsigned n = peer.n_rings - 1;
	CHECK(n > 3);
	CHECK_EQ(count(own, "n_children", n), 1);
	for (unsigned i = 0; i <= n; i++) {
		check_one_owner(&peer.rings[i]);
		CHECK_EQ(peer_lost_total(&peer.rings[i]), 0);
	}
	for (int64_t k = 1; count(own, "parent", k) != 0; k++) {
		CHECK_EQ(count(own, "parent", k), 1);
		CHECK_EQ(count(own, "stepped", k), 1);
		CHECK(count(own, "inner", k) <= 1);
		CHECK_EQ(count(own, "handler", k), 0);
	}
	for (unsigned i = 1; i <= n; i++) {
		CHECK_EQ(count_named(&peer.rings[i], "child"), 1);
		CHECK_EQ(count_named(&peer.rings[i], "handler"),
		         strstr(arg, "emits") != NULL);
	}
	peer_free(&peer);
}

TEST(a_child_forked_inside_a_handlers_emit_writes_a_ring_of_its_own)
{
	check_forks_inside_two("fork");
	check_forks_inside_two("fork emits");
	check_forks_inside_two("_Fork emits");
}

static void check_slow_forks(const char *arg)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start_arg(&peer, "forks_where_emits_are_slow", arg, 8192,
	               PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	const struct peer_ring *const own = &peer.rings[0];
	const unsigned n = peer.n_rings - 1;
	CHECK_EQ(count(own, "n_children", n), 1);
	CHECK(peer_lost_told(own) > n);
	CHECK_EQ(peer_lost_told(own), peer_lost_total(own));
	for (unsigned i = 0; i <= n; i++)
		check_one_owner(&peer.rings[i]);
	for (unsigned i = 1; i <= n; i++) {
		const unsigned n_marks = count_named(&peer.rings[i], "child");

		/* The stepped mark may be in this ring or lost, and in the
		 * parent's ring */
		CHECK(peer.rings[i].has_ended);
		const uint64_t sum = n_marks + peer_lost_total(&peer.rings[i]);
		CHECK(sum == 200 || sum == 201);
	}
	peer_free(&peer);
}

TEST(a_child_forked_in_a_slow_emit_writes_its_own_ring)
{
	check_slow_forks("fork");
	check_slow_forks("fork emits");
}

TEST(a_child__Forked_in_a_slow_emit_writes_its_own_ring)
{
	check_slow_forks("_Fork");
	check_slow_forks("_Fork emits");
}

/* ------------------------------------------------------ vfork() children */

/* In the memory that child and parent share. */
static struct stepper guest_stepper;
static bool guest_was_killed;

static void be_killed(void)
{
	guest_was_killed = true;
	kill((pid_t)syscall(SYS_getpid), SIGKILL);
}

/* Only a direct call of vfork(): the compiler treats this function as returning
 * twice. */
static __attribute__((noinline)) void be_guest(long k)
{
	int status;
	const pid_t pid = vfork();

	if (pid == 0) {
		stepper_run(&guest_stepper, k, emit_one, be_killed);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(WIFSIGNALED(status), guest_was_killed);
}

CHILD(guests_are_killed)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	int n_killed = 0;

	stepper_install(false);
	sequence = -1;
	emit_one(); /* binds the functions before the steps */
	SYSCAP_MARK("test", "parent", 0, 0, NULL);
	for (long k = 1;; k++) {
		sequence = k;
		guest_was_killed = false;
		be_guest(k);
		if (guest_was_killed)
			stepper_abandon(&guest_stepper);
		SYSCAP_MARK("test", "parent", k, 0, NULL);
		n_killed += guest_was_killed;
		if (!guest_was_killed)
			break;
	}
	CHECK(n_killed > 20);
	syscap_get_stats(&stats);
	CHECK(stats.n_abandoned > 5);
	pthread_exit(NULL);
}

TEST(a_vfork_child_may_be_killed_at_any_instruction_of_an_emit)
{
	struct peer peer;
	struct peer_frame f;
	size_t at = 0;
	int64_t last = 0;

	SKIP_UNDER_TSAN();
	peer_start(&peer, "guests_are_killed", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 1);
	check_one_owner(&peer.rings[0]);
	while (peer_next(&peer.rings[0], &at, &f))
		if (f.type == 10 && f.time > last && f.time < 1000)
			last = f.time;
	CHECK_EQ(check_numbered(&peer.rings[0], "test", "parent", 0), last + 1);
	for (int64_t k = 1; k < last; k++)
		CHECK(count(&peer.rings[0], "stepped", k) <= 1);
	CHECK_EQ(count(&peer.rings[0], "stepped", last), 1);
	peer_free(&peer);
}

/* For a test in which a vfork() child emits the process's first event. */
static void *mark_in_thread(void *unused)
{
	SYSCAP_INSTANT("test", "thread", NULL);
	return unused;
}

CHILD(a_guest_comes_first)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	pthread_t thread;
	int status;

	if (strcmp(peer_arg(), "forked") == 0) {
		const pid_t pid = fork();

		if (pid != 0) {
			wait_for(pid);
			_exit(0);
		}
	}
	const pid_t guest = vfork();
	if (guest == 0) {
		SYSCAP_INSTANT("test", "guest", NULL);
		_exit(0);
	}
	CHECK_EQ(waitpid(guest, &status, 0), guest);
	SYSCAP_INSTANT("test", "host", NULL);
	/* a new thread looks for states of ended threads */
	for (int i = 0; i < 4; i++) {
		pthread_create(&thread, NULL, mark_in_thread, NULL);
		pthread_join(thread, NULL);
	}
	SYSCAP_MARK("test", "pid", getpid(), 0, NULL);
	syscap_get_stats(&stats);
	CHECK_EQ(stats.n_dropped, 1);
	CHECK_EQ(stats.n_rings, 1);
}

static void check_guest_comes_first(const char *arg)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start_arg(&peer, "a_guest_comes_first", arg, RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 5);
	const int32_t pid = peer.rings[0].header->pid;
	CHECK(strcmp(arg, "forked") == 0 || pid == peer.pid);
	CHECK_EQ(peer.rings[0].header->tid, pid);
	CHECK_EQ(count(&peer.rings[0], "pid", pid), 1);
	CHECK_EQ(peer_lost_told(&peer.rings[0]), 1);
	for (unsigned i = 0; i < peer.n_rings; i++) {
		check_one_owner(&peer.rings[i]);
		CHECK_EQ(peer.rings[i].header->pid, pid);
	}
	CHECK_EQ(peer_count_marks(&peer, "test", "host"), 1);
	CHECK_EQ(peer_count_marks(&peer, "test", "thread"), 4);
	peer_free(&peer);
}

TEST(the_first_event_of_all_in_a_vfork_child_does_not_name_its_parent)
{
	check_guest_comes_first("");
	check_guest_comes_first("forked");
}
