/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_purity.c - emitting calls of a thread with a ring. No call allocates,
 * locks, or makes a system call, even with a full ring or in a signal handler.
 *
 * Allocations and locks are counted (harness/pure.h).  System calls are forbidden
 * by the kernel.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/pure.h"
#include "harness/sandbox.h"
#include "harness/test.h"

SYSCAP_COUNTER(an_int, "test", "int", "", SYSCAP_INT64);
SYSCAP_COUNTER(a_double, "test", "double", "", SYSCAP_DOUBLE);

static uint32_t id;
static struct syscap_counter *dynamic;
static char long_text[3000];
static volatile int times;

static void call_marks(void)
{
	SYSCAP_INSTANT("test", "instant", NULL);
	SYSCAP_MARK("test", "mark", 1, 2, "message");
	SYSCAP_MARK("test", "long", 1, 2, long_text);
	SYSCAP_MARK_SINCE("test", "since", syscap_begin(), NULL);
	{
		SYSCAP_SCOPE("test", "scope");
	}
	syscap_mark("test", "dynamic", 1, 2, "message");
	syscap_mark_by_id(id, 1, 2, NULL);
	syscap_mark_printf("test", "printf", 1, 2, "%d %s %g", times, "s", 2.5);
	syscap_mark_printf("test", "printf", 1, 2, "%s", long_text);
}

static void call_counters(void)
{
	struct syscap_counter *const some[] = { &an_int, dynamic };
	const union syscap_value values[] = { { .i64 = 1 }, { .i64 = 2 } };

	SYSCAP_COUNTER_SET(an_int, times);
	SYSCAP_COUNTER_SET(a_double, times);
	SYSCAP_COUNTER_UPDATE(an_int, times);
	syscap_counters_set(some, values, 2);
}

static void call_others(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_log(SYSCAP_INFO, "test", "message");
	syscap_log(SYSCAP_INFO, "test", long_text);
	syscap_log_printf(SYSCAP_INFO, "test", "%d %s", times, "s");
	syscap_metadata("test", "value");
	(void)syscap_clock();
	(void)syscap_is_active();
	syscap_get_stats(&stats);
	syscap_thread_reset();
}

static void call_everything(void)
{
	times++;
	call_marks();
	call_counters();
	call_others();
}

/* Handles the signal of a breakpoint instruction, which needs no system
 * call. */
static void on_trap(int signal)
{
	(void)signal;
	call_everything();
}

static void trap(void)
{
#if defined(__x86_64__)
	__asm__ volatile("int3" ::: "memory");
#else
	__builtin_trap();
#endif
}

static void warm_up(void)
{
	memset(long_text, 'x', sizeof(long_text) - 1);
	id = syscap_mark_id("test", "by id");
	dynamic = syscap_counter_get("test", "dynamic", "", SYSCAP_INT64);
	signal(SIGTRAP, on_trap);
	/* the clock takes a while to measure its rate */
	for (int i = 0; i < 10; i++) {
		call_everything();
		trap();
		usleep(6000);
	}
}

/* peer_arg(): "full", or a ring that is drained again and again */
CHILD(emits_everything)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	const bool is_full = strcmp(peer_arg(), "full") == 0;

	warm_up();
	syscap_get_stats(&stats);
	CHECK_EQ(stats.n_dropped > 0, is_full);
	sandbox_enter();
	pure_begin();
	for (int i = 0; i < 300; i++) {
		call_everything();
		trap();
		/* long enough to renew the clock's base, too */
		for (volatile int n = 0; n < 20000; n++)
			;
	}
	pure_end();
	CHECK(pure_is_nothing());
	syscap_get_stats(&stats);
	CHECK_EQ(stats.n_dropped > 0, is_full);
	CHECK_EQ(stats.n_rings, 1);
	_exit(0);
}

static void check_purity(const char *how)
{
	struct peer peer;

	if (!pure_can_count())
		SKIP("sanitizers replace the allocator and the locks");
	if (strcmp(how, "full") == 0) {
		peer_start_arg(&peer, "emits_everything", how, 1u << 14,
		               PEER_OURS);
		CHECK_EQ(peer_finish_without_draining(&peer), 0);
	} else {
		peer_start_arg(&peer, "emits_everything", how, 1u << 26,
		               PEER_OURS);
		CHECK_EQ(peer_finish(&peer), 0);
		CHECK_EQ(peer_count_marks(&peer, "test", "scope"),
		         (300 + 10) * 2);
	}
	peer_free(&peer);
}

TEST(no_call_allocates_locks_or_enters_the_kernel)
{
	check_purity("empty");
}

TEST(no_call_does_so_with_a_full_ring_either)
{
	check_purity("full");
}

/* Without a recorder, even the first call neither allocates, locks nor makes a
 * system call. */
CHILD(is_off)
{
	CHECK(!syscap_is_active());
	signal(SIGTRAP, on_trap);
	sandbox_enter();
	pure_begin();
	for (int i = 0; i < 10; i++) {
		call_everything();
		trap();
	}
	pure_end();
	CHECK(pure_is_nothing());
	_exit(0);
}

TEST(no_call_allocates_or_locks_without_a_recording)
{
	if (!pure_can_count())
		SKIP("sanitizers replace the allocator and the locks");
	CHECK_EQ(peer_run_alone("is_off", "", NULL), 0);
}
