/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_hostile_reader.c - a recorder that writes invalid data into the rings of
 * a program.  Events may be lost, and the capture may be wrong, but the program
 * continues, and writes nothing outside of the rings.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/test.h"

#define RING 8192u

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

/* ---------------------------------------------- one wrong head at a time */

static uint32_t *head_of_own_ring(void)
{
	return &syc_state_of(syc_self)->ring->head;
}

static void emit(const char *name, int n)
{
	for (int i = 0; i < n; i++)
		syscap_mark("test", name, 1, 0, NULL);
}

static void wait_for_head(uint32_t head)
{
	while (__atomic_load_n(head_of_own_ring(), __ATOMIC_ACQUIRE) != head)
		usleep(100);
}

/* The head is wrong, so the next read of the head closes the ring. */
static void find_out(void)
{
	while (get_stats().n_dropped == 0)
		emit("mark", 1);
	emit("late", 1000);
	CHECK(get_stats().n_dropped > 1000);
	CHECK(get_stats().is_active);
	CHECK_STR(get_stats().reason,
	          "a ring was closed: its reader's position is invalid");
}

CHILD(is_read_wrongly)
{
	emit("mark", 10);
	wait_for_head((uint32_t)strtoul(peer_arg(), NULL, 0));
	find_out();
}

static void serve_one(struct peer *peer)
{
	while (peer_serve(peer) == 0)
		usleep(100);
	while (__atomic_load_n(&peer->rings[0].header->tail, __ATOMIC_ACQUIRE) <
	       10 * 104)
		usleep(100);
}

static void check_closed(uint32_t head)
{
	struct peer peer;
	char arg[16];
	int status;

	snprintf(arg, sizeof(arg), "%#x", head);
	peer_start_arg(&peer, "is_read_wrongly", arg, RING, PEER_OURS);
	serve_one(&peer);
	__atomic_store_n(&peer.rings[0].header->head, head, __ATOMIC_RELEASE);
	CHECK_EQ(waitpid(peer.pid, &status, 0), peer.pid);
	if (status != 0)
		test_fail(__FILE__, __LINE__, "head %#x: status %#x", head,
		          (unsigned)status);
	peer_drain(&peer);
	CHECK_EQ(peer_count_marks(&peer, "test", "late"), 0);
	CHECK(peer_lost_total(&peer.rings[0]) > 1000);
	peer_free(&peer);
}

TEST(a_head_outside_of_the_ring_or_inside_of_a_word_closes_the_ring)
{
	check_closed(RING);
	check_closed(RING + 8);
	check_closed(0x80000000);
	check_closed(0xFFFFFFF8);
	check_closed(0xFFFFFFFF);
	check_closed(1);
	check_closed(12);
}

TEST(a_head_beyond_the_tail_closes_the_ring)
{
	check_closed(RING - 8);
}

/* One frame back; a longer way back would look like a reader after a wrap. */
#define HALF_WAY 4160
#define BACK     (HALF_WAY - 104)

CHILD(is_read_backwards)
{
	emit("mark", 50);
	wait_for_head(HALF_WAY);
	emit("mark", 40);
	CHECK_EQ(get_stats().n_dropped, 0);
	CHECK_EQ(syc_state_of(syc_self)->head, HALF_WAY); /* believed */
	emit("ready", 1);
	wait_for_head(BACK);
	find_out();
}

TEST(a_head_that_goes_backwards_closes_the_ring)
{
	struct peer peer;
	int status;

	peer_start(&peer, "is_read_backwards", RING, PEER_OURS);
	serve_one(&peer);
	struct syc_ring_header *const header = peer.rings[0].header;
	while (__atomic_load_n(&header->tail, __ATOMIC_ACQUIRE) < 50 * 104)
		usleep(100);
	__atomic_store_n(&header->head, HALF_WAY, __ATOMIC_RELEASE);
	while (__atomic_load_n(&header->tail, __ATOMIC_ACQUIRE) > 50 * 104)
		usleep(100); /* until the tail has wrapped */
	/* and until the child is ready */
	while (memmem((const char *)header + header->offset, RING, "ready",
	              sizeof("ready")) == NULL)
		usleep(100);
	__atomic_store_n(&header->head, BACK, __ATOMIC_RELEASE);
	CHECK_EQ(waitpid(peer.pid, &status, 0), peer.pid);
	CHECK_EQ(status, 0);
	CHECK(peer_lost_total(&peer.rings[0]) > 1000);
	peer_free(&peer);
}

/* ------------------------------------------------------ all kinds of invalid
 * data */

SYSCAP_COUNTER(a_counter, "test", "counter", "", SYSCAP_INT64);

static void emit_one_of_each(void)
{
	SYSCAP_INSTANT("test", "mark", "message");
	SYSCAP_COUNTER_SET(a_counter, 1);
	SYSCAP_LOG(SYSCAP_INFO, "test", "log");
	SYSCAP_MARK_PRINTF("test", "printf", 1, 2, "%d", 3);
}

static __thread sigjmp_buf out;
static __thread volatile bool may_jump;
static __thread unsigned n_signals;

/* Sometimes abandons an emit, which a later emit must clean up. */
static void on_timer(int signal)
{
	const int saved = errno;

	(void)signal;
	emit_one_of_each();
	errno = saved;
	if (may_jump && ++n_signals % 8 == 0)
		siglongjmp(out, 1);
}

/* Maps inaccessible pages on both sides of this thread's ring. */
static void fence_ring(void)
{
	const struct syc_state *const ts = syc_state_of(syc_self);
	char *const begin = (char *)ts->ring;
	const size_t n = 1 << 16;
	char *const around[2] = { begin - n, begin + 4096 + 2 * RING };

	for (int i = 0; i < 2; i++) {
		const void *const p =
			mmap(around[i], n, PROT_NONE,
		             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		             -1, 0);
		/* or the space is taken */
		CHECK(p == around[i] || p == MAP_FAILED);
	}
}

static bool is_over;

static void *emit_on(void *unused)
{
	struct sigevent event;
	timer_t timer;

	emit_one_of_each();
	if (syc_self != NULL && syc_state_of(syc_self)->ring != NULL)
		fence_ring();
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGUSR1;
	event._sigev_un._tid = gettid();
	CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	const struct itimerspec often = { { 0, 50000 }, { 0, 50000 } };
	if (sigsetjmp(out, 1) == 0)
		timer_settime(timer, 0, &often, NULL);
	may_jump = true;
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		emit_one_of_each();
	may_jump = false;
	timer_delete(timer);
	return unused;
}

CHILD(goes_on)
{
	pthread_t threads[3];

	signal(SIGUSR1, on_timer);
	/* new threads, as rings get closed */
	for (int round = 0; round < 20; round++) {
		is_over = false;
		for (int i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, emit_on, NULL);
		usleep(50000);
		__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
	}
	CHECK_EQ(get_stats().n_rings, 0);
	CHECK(get_stats().n_dropped > 0);
}

static uint32_t random_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) +
	         UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 32);
}

enum scribbling {
	HEAD_SOMEWHERE, /* a plausible position */
	HEAD_ANYTHING,
	TAIL,
	HEADER,
	BODY,
	EVERYTHING
};

static void scribble_range(struct syc_ring_header *header, uint32_t from,
                           uint32_t to, uint64_t *state)
{
	unsigned char *const bytes = (unsigned char *)header;
	const uint32_t words[] = { 0, 0xFFFFFFFF, 24, random_number(state) };
	const uint32_t at =
		(from + random_number(state) % (to - from)) & ~UINT32_C(3);

	__atomic_store_n((uint32_t *)(void *)(bytes + at),
	                 words[random_number(state) % 4], __ATOMIC_RELAXED);
}

static void scribble(struct syc_ring_header *header, enum scribbling what,
                     uint64_t *state)
{
	const uint32_t tail = __atomic_load_n(&header->tail, __ATOMIC_ACQUIRE);
	uint32_t head = tail;

	switch (what) {
	case HEAD_SOMEWHERE:
		head = random_number(state) % RING & ~UINT32_C(7);
		break;
	case HEAD_ANYTHING:
		head = random_number(state);
		break;
	case TAIL:
		__atomic_store_n(&header->tail, random_number(state),
		                 __ATOMIC_RELAXED);
		return;
	case HEADER:
		scribble_range(header, 0, 512, state);
		break;
	case BODY:
		scribble_range(header, 4096, 4096 + RING, state);
		break;
	case EVERYTHING:
		scribble_range(header, 0, 4096 + RING, state);
		return;
	}
	/* sometimes advance the head, so that the ring stays open */
	if (what >= HEADER || random_number(state) % 4096 == 0)
		__atomic_store_n(&header->head, head, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&header->head, tail, __ATOMIC_RELEASE);
}

static void check_goes_on(enum scribbling what)
{
	struct peer peer;
	uint64_t state = test_seed();
	int status;

	peer_start(&peer, "goes_on", RING, PEER_OURS);
	do {
		peer_serve(&peer);
		for (int n = 0; n < 1000; n++)
			for (unsigned i = peer.n_rings < 3 ? 0
			                                   : peer.n_rings - 3;
			     i < peer.n_rings; i++)
				scribble(peer.rings[i].header, what, &state);
	} while (waitpid(peer.pid, &status, WNOHANG) == 0);
	CHECK_EQ(status, 0);
	/* the library refuses a ring that is not empty at first */
	CHECK(peer.n_rings >= 3);
	/* 60, except for threads that a busy machine lets wait in vain */
	CHECK(peer.n_rings >= 45 || what == TAIL || what == HEADER ||
	      what == EVERYTHING);
	peer_free(&peer);
}

TEST(plausible_wrong_heads_are_harmless)
{
	check_goes_on(HEAD_SOMEWHERE);
}

TEST(arbitrary_heads_are_harmless)
{
	check_goes_on(HEAD_ANYTHING);
}

TEST(overwritten_tails_are_harmless)
{
	check_goes_on(TAIL);
}

TEST(overwritten_headers_are_harmless)
{
	check_goes_on(HEADER);
}

TEST(overwritten_frames_are_harmless)
{
	check_goes_on(BODY);
}

TEST(overwritten_rings_are_harmless)
{
	check_goes_on(EVERYTHING);
}
