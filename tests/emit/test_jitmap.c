/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_jitmap.c - position of JIT names. Each name precedes the first stack
 * that contains the name, once in all threads. A child writes the name again,
 * and a full ring delays the name.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/runtime.h>

#include "emit/sample.h"
#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"
#include "harness/tsan.h"
#include "sampler/stacks.h"

#define RING (1u << 18)

enum {
	SAMPLE = 2,
	JITMAP = 7
};

static uint64_t intern(const char *name)
{
	return syscap_jit_intern(name, strlen(name));
}

static void emit(const uint64_t *addrs, unsigned n)
{
	syc_sample_emit(syscap_clock(), addrs, n, 0, 1);
}

static void emit_one(const char *name)
{
	const uint64_t address = intern(name);

	emit(&address, 1);
}

static void run(struct peer *peer, const char *child)
{
	peer_start(peer, child, RING, PEER_OURS);
	CHECK_EQ(peer_finish(peer), 0);
}

/* Frames of both types, in the order of the first ring: "JSS". */
static const char *order_of(const struct peer *peer)
{
	static char text[4096];
	struct peer_frame frame;
	size_t at = 0, n = 0;

	while (peer_next(&peer->rings[0], &at, &frame))
		if (frame.type == SAMPLE || frame.type == JITMAP)
			text[n++] = frame.type == SAMPLE ? 'S' : 'J';
	text[n] = '\0';
	return text;
}

/* ------------------------------------------------------------------- once */

CHILD(repeats)
{
	const uint64_t addrs[] = { intern("a"), 0x1234, intern("b"),
		                   intern("a") };

	emit(addrs, 4);
	emit(addrs, 4);
	emit_one("b");
	emit_one("c");
}

TEST(a_name_comes_once_and_before_the_first_stack_that_holds_it)
{
	struct peer peer;

	run(&peer, "repeats");
	CHECK_STR(order_of(&peer), "JSSSJS");
	CHECK_EQ(stacks_count_name(&peer, "a"), 1);
	CHECK_EQ(stacks_count_name(&peer, "b"), 1);
	CHECK_EQ(stacks_count_name(&peer, "c"), 1);
	CHECK_STR(stacks_nth(&peer, 0), "a < b < a");
	CHECK_STR(stacks_nth(&peer, 3), "c");
	peer_free(&peer);
}

CHILD(emits_other_addresses)
{
	const uint64_t addrs[] = { 1, UINT64_C(0xE000000000000001),
		                   intern("never used") + 1, UINT64_MAX };

	emit(addrs, 4);
}

TEST(addresses_that_are_no_names_of_ours_stay_as_they_are)
{
	struct peer peer;

	run(&peer, "emits_other_addresses");
	CHECK_STR(order_of(&peer), "S");
	peer_free(&peer);
}

CHILD(uses_the_lost_name)
{
	const uint64_t address = syscap_jit_lost();

	intern("any");
	emit(&address, 1);
}

TEST(the_lost_name_has_a_name)
{
	struct peer peer;

	run(&peer, "uses_the_lost_name");
	CHECK_STR(order_of(&peer), "JS");
	CHECK_STR(stacks_nth(&peer, 0), "[name lost: table full]");
	peer_free(&peer);
}

CHILD(uses_a_name_with_a_nul)
{
	const uint64_t addrs[] = { syscap_jit_intern("a\0b", 3), intern("c") };

	emit(addrs, 2);
}

TEST(a_nul_in_a_name_does_not_end_it)
{
	struct peer peer;

	run(&peer, "uses_a_name_with_a_nul");
	CHECK_STR(stacks_nth(&peer, 0), "a?b < c");
	peer_free(&peer);
}

/* 512 names of 100 bytes, and some of the maximum length */
CHILD(emits_many_names)
{
	static char name[4096];
	uint64_t addrs[512];

	for (unsigned i = 0; i < 512; i++) {
		memset(name, 'n', sizeof(name));
		snprintf(name, sizeof(name), "%u", i);
		name[strlen(name)] = ' ';
		addrs[i] = syscap_jit_intern(name, i % 64 == 7 ? 4095 : 100);
	}
	emit(addrs, 512);
	emit(addrs, 512);
}

TEST(many_names_of_one_stack_are_all_there)
{
	struct peer peer;
	struct peer_frame sample;

	run(&peer, "emits_many_names");
	CHECK_EQ(peer_count(&peer, SAMPLE), 2);
	/* Far fewer frames than names */
	CHECK(peer_count(&peer, JITMAP) >= 512 / 32);
	CHECK(peer_count(&peer, JITMAP) <= 512 / 32 + 8);
	sample = stacks_sample(&peer, 1);
	for (unsigned i = 0; i < 512; i++) {
		uint64_t address;

		memcpy(&address, sample.bytes + 32 + 8 * i, 8);
		const char *const name = stacks_name(&peer, peer.pid, address);
		CHECK(name != NULL);
		CHECK_EQ(strlen(name), i % 64 == 7 ? 4095 : 100);
		CHECK_EQ(atoi(name), i);
	}
	CHECK_EQ(peer_lost_total(&peer.rings[0]), 0);
	peer_free(&peer);
}

static void *emit_in_thread(void *arg)
{
	emit_one(arg);
	return NULL;
}

CHILD(uses_a_name_in_two_threads)
{
	pthread_t thread;

	emit_one("shared");
	pthread_create(&thread, NULL, emit_in_thread, (void *)"shared");
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, emit_in_thread, (void *)"of a thread");
	pthread_join(thread, NULL);
	emit_one("of a thread");
}

TEST(threads_share_published_names)
{
	struct peer peer;

	run(&peer, "uses_a_name_in_two_threads");
	CHECK_EQ(peer_count(&peer, SAMPLE), 4);
	CHECK_EQ(stacks_count_name(&peer, "shared"), 1);
	CHECK_EQ(stacks_count_name(&peer, "of a thread"), 1);
	peer_free(&peer);
}

/* -------------------------------------------------------------------- fork */

CHILD(forks)
{
	emit_one("before");
	for (int i = 0; i < 2; i++) {
		const pid_t pid = i == 0 ? fork() : _Fork();

		if (pid == 0) {
			emit_one("before");
			emit_one("before");
			_exit(0);
		}
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
	}
	emit_one("before");
}

TEST(a_forked_child_publishes_its_names_again)
{
	struct peer peer;

	run(&peer, "forks");
	CHECK_EQ(peer_count(&peer, SAMPLE), 2 + 2 * 2);
	CHECK_EQ(stacks_count_name(&peer, "before"), 3);
	for (unsigned i = 0; i < 6; i++)
		CHECK_STR(stacks_nth(&peer, i), "before");
	peer_free(&peer);
}

/* ----------------------------------------------------------------- no room */

static uint64_t dropped(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats.n_dropped;
}

CHILD(fills_the_ring)
{
	char message[200];

	memset(message, 'm', sizeof(message));
	message[199] = '\0';
	while (dropped() == 0)
		SYSCAP_INSTANT("test", "filler", message);
	const uint64_t before = dropped();
	emit_one("no room for this");
	CHECK(dropped() > before);
	raise(SIGSTOP);
	/* The peer has made room */
	const uint64_t now = dropped();
	emit_one("no room for this");
	emit_one("no room for this");
	CHECK_EQ(dropped(), now);
}

TEST(a_name_that_found_no_room_is_tried_again_at_its_next_use)
{
	struct peer peer;
	int status;

	peer_start(&peer, "fills_the_ring", 1 << 14, PEER_OURS);
	while (peer_serve(&peer) == 0)
		usleep(1000);
	CHECK_EQ(waitpid(peer.pid, &status, WUNTRACED), peer.pid);
	CHECK(WIFSTOPPED(status));
	peer_drain(&peer);
	CHECK_EQ(stacks_count_name(&peer, "no room for this"), 0);
	kill(peer.pid, SIGCONT);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_STR(order_of(&peer), "JSS");
	CHECK_EQ(stacks_count_name(&peer, "no room for this"), 1);
	CHECK_STR(stacks_nth(&peer, 1), "no room for this");
	peer_free(&peer);
}

/* ------------------------------------------------- complete, not published */

CHILD(dies_in_an_emit)
{
	static volatile uintptr_t token;
	pthread_t thread;

	SYSCAP_INSTANT("test", "ring", NULL);
	/* As if in a handler that interrupted an emit: its frames are published
	 * when the interrupted emit ends, which never happens here */
	CHECK(syc_enter(syc_self, &token));
	emit_one("inside");
	pthread_create(&thread, NULL, emit_in_thread, (void *)"inside");
	pthread_join(thread, NULL);
	kill(getpid(), SIGKILL);
}

TEST(a_name_that_was_only_written_is_written_by_others_too)
{
	struct peer peer;
	int status;

	peer_start(&peer, "dies_in_an_emit", RING, PEER_OURS);
	status = peer_finish(&peer);
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(peer_count(&peer, SAMPLE), 1);
	CHECK_STR(stacks_nth(&peer, 0), "inside");
	peer_free(&peer);
}

/* ------------------------------------------------------------ single steps */

#if defined(__x86_64__)

static uint64_t stepped[2];

static void call(void)
{
	emit(stepped, 2);
}

static void call_inside(void)
{
	const uint64_t both[2] = { stepped[1], stepped[0] };

	emit(both, 2);
}

CHILD(steps)
{
	const long stride = stepper_stride(7);
	struct stepper stepper;
	char name[40];

	stepper_install(false);
	emit_one("warm up");
	for (long k = stepper_first(stride);; k += stride) {
		for (int i = 0; i < 2; i++) {
			snprintf(name, sizeof(name), "name %d of %ld", i, k);
			stepped[i] = intern(name);
		}
		if (!stepper_run(&stepper, k, call, call_inside))
			break;
		SYSCAP_INSTANT("test", "step", NULL);
		emit(stepped, 2);
	}
}

/* The interrupted emit may publish a handler's stack. But in this ring the
 * names of each stack precede the stack. */
static void check_order(const struct peer *peer)
{
	struct peer_frame frame;
	size_t at = 0;
	struct peer so_far = *peer;
	struct peer_ring ring = peer->rings[0];

	so_far.rings = &ring;
	while (peer_next(&peer->rings[0], &at, &frame)) {
		if (frame.type != SAMPLE)
			continue;
		ring.n_bytes = at;
		uint64_t address;
		memcpy(&address, frame.bytes + 32, 8);
		CHECK(stacks_name(&so_far, frame.pid, address) != NULL);
	}
}

TEST(a_handler_at_every_instruction_finds_its_names_published_too)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start(&peer, "steps", 1 << 22, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	const unsigned n = peer_count_marks(&peer, "test", "step");
	CHECK(n > 20);
	/* per step: the stepped, the handler's and the later sample; and one
	 * sample each at the beginning and the end */
	CHECK_EQ(peer_count(&peer, SAMPLE), 3 * n + 2);
	CHECK_EQ(peer_lost_total(&peer.rings[0]), 0);
	check_order(&peer);
	peer_free(&peer);
}

#endif
