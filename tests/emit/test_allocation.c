/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_allocation.c - allocation records and stack samples, byte for byte, and
 * permitted effects of their callbacks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <syscap.h>

#include "base/frame.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"

#define RING (1u << 18)

enum {
	SAMPLE = 2,
	MARK = 10,
	ALLOCATION = 14
};

static struct peer_frame nth(const struct peer *peer, uint8_t type, unsigned n)
{
	struct peer_frame frame;
	size_t at = 0;

	CHECK_EQ(peer->n_rings, 1);
	while (peer_next(&peer->rings[0], &at, &frame))
		if (frame.type == type && n-- == 0)
			return frame;
	test_fail(__FILE__, __LINE__, "no such frame of type %u", type);
}

static uint64_t word(const struct peer_frame *frame, size_t at)
{
	uint64_t value;

	memcpy(&value, frame->bytes + at, 8);
	return value;
}

/* A number of 16 bits. */
#define FIELD(type, field, frame)              \
	((uint16_t)SYC_WORD_FIELD(type, field, \
	                          word(frame, SYC_AT(type, field) / 8 * 8)))

static void run(struct peer *peer, const char *child)
{
	peer_start(peer, child, RING, PEER_OURS);
	CHECK_EQ(peer_finish(peer), 0);
}

/* Writes three addresses; the first is @user. */
static int three(uint64_t *addrs, unsigned n_addrs, void *user)
{
	CHECK_EQ(n_addrs, 512);
	addrs[0] = (uint64_t)(uintptr_t)user;
	addrs[1] = UINT64_C(0xE000000000000001);
	addrs[2] = 3;
	return 3;
}

/* ------------------------------------------------------------------ bytes */

CHILD(plain)
{
	syscap_allocation(0x123456789abcdef0, 4096, three, (void *)0x77);
	syscap_allocation(0x123456789abcdef0, 0, NULL, NULL);
	SYSCAP_ALLOCATION(1, INT64_MAX, three, NULL);
	syscap_sample(three, (void *)0x88);
	SYSCAP_SAMPLE(NULL, NULL);
}

TEST(an_allocation_has_address_size_thread_and_stack)
{
	static const uint64_t addrs[] = { 0x77, UINT64_C(0xE000000000000001),
		                          3 };
	struct peer peer;

	run(&peer, "plain");
	CHECK_EQ(peer_count(&peer, ALLOCATION), 3);
	const struct peer_frame made = nth(&peer, ALLOCATION, 0);
	CHECK_EQ(made.len, 48 + 3 * 8);
	CHECK_EQ(made.pid, peer.pid);
	CHECK(made.cpu >= 0);
	CHECK(made.time > 0);
	/* And no tagged tid */
	CHECK_EQ(word(&made, 16), SYC_WORD(frame, type, ALLOCATION));
	CHECK_EQ(word(&made, 24), 0x123456789abcdef0);
	CHECK_EQ(word(&made, 32), 4096);
	CHECK_EQ(word(&made, 40),
	         SYC_WORD(allocation, tid, (uint32_t)peer.pid) |
	                 SYC_WORD(allocation, n_addrs, 3u));
	CHECK_EQ(memcmp(made.bytes + 48, addrs, sizeof(addrs)), 0);
	const struct peer_frame freed = nth(&peer, ALLOCATION, 1);
	CHECK_EQ(freed.len, 48);
	CHECK_EQ(word(&freed, 24), 0x123456789abcdef0);
	CHECK_EQ(word(&freed, 32), 0);
	CHECK_EQ(word(&freed, 40),
	         SYC_WORD(allocation, tid, (uint32_t)peer.pid));
	CHECK(freed.time >= made.time);
	const struct peer_frame huge = nth(&peer, ALLOCATION, 2);
	CHECK_EQ(word(&huge, 32), INT64_MAX);
	peer_free(&peer);
}

TEST(a_sample_has_thread_and_stack)
{
	static const uint64_t addrs[] = { 0x88, UINT64_C(0xE000000000000001),
		                          3 };
	struct peer peer;

	run(&peer, "plain");
	CHECK_EQ(peer_count(&peer, SAMPLE), 2);
	const struct peer_frame sample = nth(&peer, SAMPLE, 0);
	CHECK_EQ(sample.len, 32 + 3 * 8);
	CHECK_EQ(sample.pid, peer.pid);
	CHECK_EQ(word(&sample, 16), SYC_WORD(frame, type, SAMPLE));
	CHECK_EQ(word(&sample, 24), SYC_WORD(sample, tid, (uint32_t)peer.pid) |
	                                    SYC_WORD(sample, n_addrs, 3u));
	CHECK_EQ(memcmp(sample.bytes + 32, addrs, sizeof(addrs)), 0);
	const struct peer_frame empty = nth(&peer, SAMPLE, 1);
	CHECK_EQ(empty.len, 32);
	CHECK_EQ(word(&empty, 24), SYC_WORD(sample, tid, (uint32_t)peer.pid));
	peer_free(&peer);
}

static void *in_a_thread(void *tid)
{
	syscap_sample(three, NULL);
	syscap_allocation(1, 1, three, NULL);
	*(int32_t *)tid = gettid();
	return NULL;
}

CHILD(another_thread)
{
	pthread_t thread;
	int32_t tid;

	pthread_create(&thread, NULL, in_a_thread, &tid);
	pthread_join(thread, NULL);
	SYSCAP_MARK("test", "tid", tid, 0, NULL);
}

TEST(the_thread_is_the_one_that_calls)
{
	struct peer peer;
	struct peer_frame frame;
	int32_t tids[2] = { 0 };
	int64_t tid = 0;

	run(&peer, "another_thread");
	CHECK_EQ(peer.n_rings, 2);
	for (unsigned i = 0; i < 2; i++) {
		size_t at = 0;

		while (peer_next(&peer.rings[i], &at, &frame)) {
			if (frame.type == MARK)
				tid = frame.time;
			if (frame.type == SAMPLE)
				memcpy(&tids[0], frame.bytes + 28, 4);
			if (frame.type == ALLOCATION)
				memcpy(&tids[1], frame.bytes + 40, 4);
		}
	}
	CHECK(tid > peer.pid);
	CHECK_EQ(tids[0], tid);
	CHECK_EQ(tids[1], tid);
	peer_free(&peer);
}

/* -------------------------------------------------------------- callbacks */

/* Fills the whole array and the two elements before it; returns *@user. */
static int fill_all(uint64_t *addrs, unsigned n_addrs, void *user)
{
	uint64_t *const from = addrs - 2;

	for (unsigned i = 0; i < n_addrs + 2; i++)
		from[i] = 0xA00 + i;
	return *(int *)user;
}

static int returns[] = { -1,  -2,  -2147483647 - 1, 0,         1, 511,
	                 512, 513, 65536,           2147483647 };
#define N_RETURNS (sizeof(returns) / sizeof(returns[0]))

CHILD(odd_returns)
{
	for (unsigned i = 0; i < N_RETURNS; i++) {
		syscap_allocation(i, 5, fill_all, &returns[i]);
		syscap_sample(fill_all, &returns[i]);
	}
}

TEST(less_than_none_is_none_and_more_than_there_is_room_for_is_all)
{
	static const unsigned expected[] = { 0,   0,   0,   0,   1,
		                             511, 512, 512, 512, 512 };
	struct peer peer;

	run(&peer, "odd_returns");
	for (unsigned i = 0; i < N_RETURNS; i++) {
		const struct peer_frame made = nth(&peer, ALLOCATION, i);
		const struct peer_frame sample = nth(&peer, SAMPLE, i);
		/* a stack that fills the array may be longer */
		const unsigned flags =
			expected[i] == 512
				? SYSCAP_STACK_CUT & SYC_FRAME_STACK_FLAGS
				: 0;

		CHECK_EQ(word(&made, 24), i);
		CHECK_EQ(word(&made, 32), 5);
		CHECK_EQ(FIELD(allocation, n_addrs, &made), expected[i]);
		CHECK_EQ(FIELD(allocation, padding, &made), flags);
		CHECK_EQ(made.len, 48 + 8 * expected[i]);
		CHECK_EQ(FIELD(sample, n_addrs, &sample), expected[i]);
		CHECK_EQ(FIELD(sample, flags, &sample), flags);
		CHECK_EQ(sample.len, 32 + 8 * expected[i]);
		for (unsigned k = 0; k < expected[i]; k++) {
			CHECK_EQ(word(&made, 48 + 8 * k), 0xA02 + k);
			CHECK_EQ(word(&sample, 32 + 8 * k), 0xA02 + k);
		}
	}
	peer_free(&peer);
}

/* Like preloaded wrappers, takes two frames more, to drop the innermost two. */
static int unwind(uint64_t *addrs, unsigned n_addrs, void *user)
{
	(void)user;
	return backtrace((void **)(uintptr_t)(addrs - 2), (int)n_addrs + 2) - 2;
}

static __attribute__((noinline)) void unwind_from_here(void)
{
	syscap_sample(unwind, NULL);
	syscap_allocation(1, 1, unwind, NULL);
	SYSCAP_MARK("test", "caller",
	            (int64_t)(uintptr_t)__builtin_return_address(0), 0, NULL);
}

CHILD(real_stacks)
{
	unwind_from_here();
	SYSCAP_INSTANT("test", "end", NULL);
}

TEST(two_addresses_in_front_drop_the_callback_and_the_call)
{
	struct peer peer;

	if (test_is_sanitized())
		SKIP("sanitizers add frames to stacks");
	run(&peer, "real_stacks");
	/* The first address is in unwind_from_here(), the second its return
	 * address */
	const struct peer_frame mark = nth(&peer, MARK, 0);
	const struct peer_frame sample = nth(&peer, SAMPLE, 0);
	const struct peer_frame made = nth(&peer, ALLOCATION, 0);
	CHECK(FIELD(sample, n_addrs, &sample) >= 3);
	CHECK_EQ(word(&sample, 40), mark.time);
	CHECK_EQ(word(&made, 56), mark.time);
	CHECK(word(&made, 48) > word(&sample, 32));
	CHECK(word(&made, 48) < word(&sample, 32) + 100);
	peer_free(&peer);
}

static int emits(uint64_t *addrs, unsigned n_addrs, void *user)
{
	SYSCAP_INSTANT("test", "in the callback", NULL);
	syscap_allocation(2, 2, three, NULL);
	for (unsigned i = 0; i < n_addrs; i++)
		addrs[i] = i;
	errno = 99;
	return *(int *)user;
}

CHILD(callbacks_that_emit)
{
	errno = 77;
	syscap_allocation(1, 1, emits, &returns[5]);
	syscap_sample(emits, &returns[5]);
	CHECK_EQ(errno, 77);
	SYSCAP_INSTANT("test", "after", NULL);
}

TEST(a_callback_may_emit)
{
	struct peer peer;

	run(&peer, "callbacks_that_emit");
	CHECK_EQ(peer_count_marks(&peer, "test", "in the callback"), 2);
	CHECK_EQ(peer_count_marks(&peer, "test", "after"), 1);
	CHECK_EQ(peer_count(&peer, ALLOCATION), 3);
	CHECK_EQ(peer_count(&peer, SAMPLE), 1);
	const struct peer_frame inner = nth(&peer, ALLOCATION, 0);
	const struct peer_frame outer = nth(&peer, ALLOCATION, 1);
	CHECK_EQ(word(&inner, 24), 2);
	CHECK_EQ(word(&outer, 24), 1);
	CHECK_EQ(FIELD(allocation, n_addrs, &outer), 511);
	CHECK(outer.time <= inner.time); /* the time of the call */
	CHECK_EQ(peer_lost_total(&peer.rings[0]), 0);
	peer_free(&peer);
}

static sigjmp_buf back;

static int leaves(uint64_t *addrs, unsigned n_addrs, void *user)
{
	(void)user;
	addrs[n_addrs - 1] = 1;
	siglongjmp(back, 1);
}

CHILD(callbacks_that_leave)
{
	if (sigsetjmp(back, 1) == 0)
		syscap_allocation(1, 1, leaves, NULL);
	if (sigsetjmp(back, 1) == 0)
		syscap_sample(leaves, NULL);
	SYSCAP_INSTANT("test", "after", NULL);
}

TEST(a_callback_that_never_returns_leaves_nothing_behind)
{
	struct peer peer;

	run(&peer, "callbacks_that_leave");
	CHECK_EQ(peer_count(&peer, ALLOCATION), 0);
	CHECK_EQ(peer_count(&peer, SAMPLE), 0);
	CHECK_EQ(peer_count_marks(&peer, "test", "after"), 1);
	CHECK_EQ(peer_lost_total(&peer.rings[0]), 0);
	peer_free(&peer);
}

/* ----------------------------------------------------------------- places */

/*
 * A malloc() that records its calls, as the library's most delicate caller.  A
 * sanitizer has its own malloc().
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WRAPS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WRAPS 0
#endif
#endif
#if !defined(WRAPS) && defined(__GLIBC__)
#define WRAPS 1
#elif !defined(WRAPS)
#define WRAPS 0
#endif

#if WRAPS

void *__libc_malloc(size_t size);
void __libc_free(void *memory);

/* volatile: compilers assume that malloc() does not read these variables */
static __thread volatile bool tells, is_telling;

static void tell(void *memory, int64_t size)
{
	const int saved = errno;

	if (!tells || is_telling)
		return;
	is_telling = true; /* the first backtrace() allocates */
	SYSCAP_ALLOCATION((uint64_t)(uintptr_t)memory, size,
	                  size != 0 ? unwind : NULL, NULL);
	is_telling = false;
	CHECK_EQ(errno, saved);
}

void *malloc(size_t size)
{
	void *const memory = __libc_malloc(size);

	tell(memory, (int64_t)size);
	return memory;
}

void free(void *memory)
{
	tell(memory, 0);
	__libc_free(memory);
}

/* The thread's first event comes from malloc(). */
static void *allocate(void *unused)
{
	tells = true;
	for (size_t i = 0; i < 100; i++) {
		void *volatile const memory = malloc(1000 + i);

		free(memory);
	}
	tells = false;
	return unused;
}

CHILD(wrapped)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, allocate, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

TEST(an_allocation_is_recorded_as_a_threads_first_event)
{
	struct peer peer;
	struct peer_frame frame;

	run(&peer, "wrapped");
	CHECK_EQ(peer.n_rings, 2);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t memory = 0;
		size_t at = 0;
		unsigned n = 0;

		while (peer_next(&peer.rings[i], &at, &frame)) {
			if (frame.type != ALLOCATION)
				continue;
			if (n % 2 == 0)
				memory = word(&frame, 24);
			CHECK_EQ(word(&frame, 24), memory);
			CHECK_EQ(word(&frame, 32), n % 2 ? 0 : 1000 + n / 2);
			CHECK_EQ(FIELD(allocation, n_addrs, &frame) != 0,
			         n % 2 == 0);
			n++;
		}
		CHECK_EQ(n, 200);
	}
	peer_free(&peer);
}

#endif

#define N_HANDLED 200

static volatile sig_atomic_t n_handled;

static void on_timer(int number)
{
	(void)number;
	syscap_allocation(2, 2, three, NULL);
	syscap_sample(three, NULL);
	n_handled++;
}

CHILD(interrupted)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_timer };
	int n = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; n_handled < N_HANDLED; n++)
		syscap_allocation(1, 1, three, NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	SYSCAP_MARK("test", "handled", n_handled, n, NULL);
	pthread_exit(NULL);
}

TEST(handlers_may_record_in_the_middle_of_a_record)
{
	struct peer peer;
	struct peer_frame frame;
	unsigned n = 0, n_inner = 0, n_samples = 0;
	int64_t handled = -1, made = -1;
	uint64_t lost;
	size_t at = 0;

	SKIP_UNDER_TSAN();
	peer_start(&peer, "interrupted", 1u << 24, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	while (peer_next(&peer.rings[0], &at, &frame)) {
		if (frame.type == ALLOCATION) {
			n += word(&frame, 24) == 1;
			n_inner += word(&frame, 24) == 2;
			CHECK_EQ(word(&frame, 64), 3);
		}
		n_samples += frame.type == SAMPLE;
		if (frame.type == MARK && !peer_is_loss(&frame, &lost)) {
			handled = frame.time;
			made = (int64_t)word(&frame, 24);
		}
	}
	/* If the reader falls behind, some frames are counted as lost */
	lost = peer_lost_total(&peer.rings[0]);
	CHECK_EQ(n + n_inner + n_samples + lost, made + 2 * handled);
	CHECK(lost != 0 ||
	      (n == made && n_inner == handled && n_samples == handled));
	peer_free(&peer);
}

CHILD(into_a_full_ring)
{
	for (int i = 0; i < 300; i++) {
		syscap_allocation(1, 1, three, NULL);
		syscap_sample(three, NULL);
	}
	pthread_exit(NULL);
}

TEST(a_full_ring_drops_and_counts_by_kind)
{
	struct peer peer;
	struct peer_frame frame, last_loss = { 0 };
	uint64_t n;
	size_t at = 0;

	peer_start(&peer, "into_a_full_ring", 4096, PEER_OURS);
	CHECK_EQ(peer_finish_without_draining(&peer), 0);
	while (peer_next(&peer.rings[0], &at, &frame))
		if (peer_is_loss(&frame, &n))
			last_loss = frame;
	CHECK_EQ(peer_loss_value(&last_loss, "allocation"),
	         300 - peer_count(&peer, ALLOCATION));
	CHECK_EQ(peer_loss_value(&last_loss, "sample"),
	         300 - peer_count(&peer, SAMPLE));
	peer_free(&peer);
}

static int must_not_run(uint64_t *addrs, unsigned n_addrs, void *user)
{
	(void)addrs;
	(void)n_addrs;
	++*(int *)user;
	return 0;
}

TEST(off_calls_and_evaluates_nothing)
{
	int n = 0;

	syscap_allocation(1, 1, must_not_run, &n);
	syscap_sample(must_not_run, &n);
	SYSCAP_ALLOCATION((uint64_t)++n, 1, must_not_run, &n);
	SYSCAP_SAMPLE(must_not_run, (++n, &n));
	CHECK_EQ(n, 0);
}
