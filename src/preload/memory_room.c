/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_room.c - threads that allocate faster than the recorder reads wait. */
#define _GNU_SOURCE
#include "preload/memory_room.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#include "emit/thread.h"
#include "os/raw_syscall.h"
#include "os/seccomp_state.h"

#define NAP_NS   50000
#define PATIENCE 20000 /* naps while nobody reads: a second or more */
#define TURNS    2000  /* of a nap that is none */

static bool ring_has_room(struct syc_state *ts, uint32_t *ret_head)
{
	struct syc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);

	/* The first event gets one; rings of our own are another matter */
	if (ring == NULL || ts->is_own || ts->hot.size < 4 * SYC_MEMORY_ROOM)
		return true;
	const uint32_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	const uint32_t at = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);
	const uint32_t used = at >= head ? at - head : at + ts->hot.size - head;

	*ret_head = head;
	return ts->hot.size - used > SYC_MEMORY_ROOM;
}

/* A filter of system calls may forbid a nap: about as long without one. */
static void turn_around(void)
{
	for (unsigned i = 0; i < TURNS; i++)
#if defined(__x86_64__)
		__builtin_ia32_pause();
#else
		__asm__ volatile("" ::: "memory");
#endif
}

static void take_nap(void)
{
	const struct timespec time = { .tv_nsec = NAP_NS };

	if (syc_seccomp_has_filter()) {
		turn_around();
		return;
	}
	/* Not a point of cancellation, as malloc() is none */
	syc_raw_syscall(SYS_nanosleep, (long)(intptr_t)&time, 0, 0, 0, 0, 0);
}

void syc_memory_room_wait_long(void)
{
	/* A thread that waited in vain does so again only once somebody reads */
	static _Thread_local uint32_t given_up_at
		__attribute__((tls_model("initial-exec")));
	struct syc_thread *const st = syc_self;
	uint32_t head = 0, before;
	unsigned naps = 0;

	if (st == NULL || ring_has_room(syc_state_of(st), &head) ||
	    given_up_at == head + 1)
		return;
	for (before = head; naps < PATIENCE; naps++) {
		take_nap();
		if (ring_has_room(syc_state_of(st), &head))
			return;
		if (head != before)
			naps = 0;
		before = head;
	}
	given_up_at = head + 1;
}
