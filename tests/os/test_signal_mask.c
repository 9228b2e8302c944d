/* SPDX-License-Identifier: BSD-2-Clause */
/* test_signal_mask.c - masks that the library changes and restores. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"

#define BIT(signal) (UINT64_C(1) << ((signal)-1))

/* The kernel removes these signals from every mask */
#define NEVER_BLOCKED (BIT(SIGKILL) | BIT(SIGSTOP))

#define TIMER_OF_LIBC BIT(32) /* and pthread_cancel() */
#define SETUID        BIT(33)

static const uint64_t masks[] = {
	0,
	~UINT64_C(0),
	TIMER_OF_LIBC,
	SETUID,
	TIMER_OF_LIBC | SETUID | BIT(SIGUSR1),
	BIT(SIGSYS) | BIT(SIGPIPE),
};

#define N_MASKS (sizeof(masks) / sizeof(masks[0]))

static uint64_t get_mask(void)
{
	uint64_t mask = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask));
	return mask;
}

static void set_mask(uint64_t mask)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

static void block_and_restore(void)
{
	uint64_t before;

	syc_all_signals_block(&before);
	syc_all_signals_restore(&before);
}

static void begin_and_end_undisturbed(void)
{
	struct syc_undisturbed before;

	syc_undisturbed_begin(&before);
	syc_undisturbed_end(&before);
}

static void begin_and_end_nosignal(void)
{
	struct syc_write_nosignal state;

	syc_write_nosignal_begin(&state);
	syc_write_nosignal_end(&state);
}

TEST(masks_are_restored_bit_for_bit)
{
	void (*const all[])(void) = { block_and_restore,
		                      begin_and_end_undisturbed,
		                      begin_and_end_nosignal };

	for (unsigned i = 0; i < N_MASKS * 3; i++) {
		set_mask(masks[i / 3]);
		all[i % 3]();
		CHECK_EQ(get_mask(), masks[i / 3] & ~NEVER_BLOCKED);
	}
	set_mask(0);
}

TEST(sigsys_and_signals_of_libc_are_never_blocked)
{
	uint64_t before;

	set_mask(0);
	syc_all_signals_block(&before);
	const uint64_t open = ~get_mask() & ~NEVER_BLOCKED;
	syc_all_signals_restore(&before);
	CHECK_EQ(open & ~BIT(34), /* musl's, too */
	         BIT(SIGSYS) | TIMER_OF_LIBC | SETUID);
}

/* -------------------------------------------------- threads during a block */

static uint32_t has_blocked, may_end;

static void *block_all(void *pauses)
{
	uint64_t before;

	syc_all_signals_block(&before);
	__atomic_store_n(&has_blocked, 1, __ATOMIC_SEQ_CST);
	syc_futex_wake(&has_blocked);
	if (pauses != NULL)
		pause();
	while (__atomic_load_n(&may_end, __ATOMIC_SEQ_CST) == 0)
		syc_futex_wait(&may_end, 0, 1000000000);
	syc_all_signals_restore(&before);
	return NULL;
}

static pthread_t start_blocked(void *pauses)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, block_all, pauses), 0);
	while (__atomic_load_n(&has_blocked, __ATOMIC_SEQ_CST) == 0)
		syc_futex_wait(&has_blocked, 0, 1000000000);
	return thread;
}

TEST(setuid_returns_while_another_thread_blocks_all)
{
	const pthread_t thread = start_blocked(NULL);

	CHECK_EQ(setuid(getuid()), 0);
	__atomic_store_n(&may_end, 1, __ATOMIC_SEQ_CST);
	syc_futex_wake(&may_end);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

TEST(pthread_cancel_reaches_a_thread_that_blocks_all)
{
	static char pauses;
	const pthread_t thread = start_blocked(&pauses);
	void *result;

	CHECK_EQ(pthread_cancel(thread), 0);
	CHECK_EQ(pthread_join(thread, &result), 0);
	CHECK(result == PTHREAD_CANCELED);
}

static uint32_t is_seen;
static uint64_t seen;

static void *show_mask(void *nothing)
{
	syc_library_thread_begin(SYC_THREAD_SPILL);
	seen = get_mask();
	__atomic_store_n(&is_seen, 1, __ATOMIC_SEQ_CST);
	syc_futex_wake(&is_seen);
	return nothing;
}

/* Otherwise setuid() would wait forever for the library's thread. */
TEST(library_threads_unblock_signals_of_libc)
{
	set_mask(~UINT64_C(0));
	CHECK_EQ(syc_library_thread_make(show_mask, NULL), 0);
	CHECK_EQ(get_mask(), ~NEVER_BLOCKED);
	set_mask(0);
	while (__atomic_load_n(&is_seen, __ATOMIC_SEQ_CST) == 0)
		syc_futex_wait(&is_seen, 0, 1000000000);
	CHECK_EQ(seen, SYC_ALL_SIGNALS & ~NEVER_BLOCKED);
}

/* ------------------------------------------------------- the whole library */

static void *emit_under_mask(void *mask)
{
	const uint64_t wanted = *(const uint64_t *)mask & ~NEVER_BLOCKED;

	set_mask(wanted);
	SYSCAP_INSTANT("test", "first", NULL);
	CHECK_EQ(get_mask(), wanted);
	return NULL;
}

static void emit_under_masks(void)
{
	pthread_t thread;

	for (unsigned i = 0; i < N_MASKS; i++) {
		CHECK_EQ(pthread_create(&thread, NULL, emit_under_mask,
		                        (void *)&masks[i]),
		         0);
		CHECK_EQ(pthread_join(thread, NULL), 0);
	}
}

CHILD(threads_with_masks)
{
	emit_under_masks();
}

TEST(first_event_keeps_the_thread_mask)
{
	struct peer peer;

	for (unsigned kind = 0; kind < 2; kind++) {
		peer_start(&peer, "threads_with_masks", 1 << 16,
		           kind == 0 ? PEER_OURS : PEER_STOCK);
		CHECK_EQ(peer_finish(&peer), 0);
		CHECK_EQ(peer_count_marks(&peer, "test", "first"), N_MASKS);
		peer_free(&peer);
	}
}

TEST(self_recording_keeps_the_process_mask)
{
	char path[] = "/tmp/syscap-test-XXXXXX";
	struct syscap_options options = { .size = sizeof(options),
		                          .output = path };

	close(mkstemp(path));
	for (unsigned i = 0; i < N_MASKS; i++) {
		const uint64_t wanted = masks[i] & ~NEVER_BLOCKED;

		CHECK_EQ(unlink(path), 0);
		set_mask(wanted);
		CHECK_EQ(syscap_start(&options), 0);
		CHECK_EQ(get_mask(), wanted);
		emit_under_masks();
		CHECK_EQ(syscap_drain(), 0);
		CHECK_EQ(get_mask(), wanted);
		CHECK_EQ(setuid(getuid()), 0);
		CHECK_EQ(syscap_stop(), 0);
		CHECK_EQ(get_mask(), wanted);
	}
	set_mask(0);
	unlink(path);
}
