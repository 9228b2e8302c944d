/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_throttle.c - waits of threads that allocate faster than the recorder
 * reads. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#include "emit/thread.h"
#include "os/seccomp_state.h"
#include "os/syscalls.h"
#include "preload/memory.h"

#define NAP_NS 50000
#define PATIENCE \
	20000      /* naps while the recorder does not read: a second or more */
#define TURNS 2000 /* turns of a busy wait */

static bool ring_has_room(struct syc_state *ts, uint32_t *ret_head)
{
	struct syc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);

	/* The thread gets a ring at its first event; a process that records
	 * itself drains its own rings */
	if (ring == NULL || ts->is_own ||
	    ts->hot.size < 4 * SYC_MEMORY_THROTTLE_SPACE)
		return true;
	const uint32_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	const uint32_t at = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);
	const uint32_t used = at >= head ? at - head : at + ts->hot.size - head;

	*ret_head = head;
	return ts->hot.size - used > SYC_MEMORY_THROTTLE_SPACE;
}

/* Wait in a loop about as long as a nap, which a filter of system calls may
 * forbid. */
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
	/* The nap must be no cancellation point, because malloc() is none */
	syc_raw_syscall(SYS_nanosleep, (long)(intptr_t)&time, 0, 0, 0, 0, 0);
}

void syc_memory_throttle_wait(void)
{
	/* A thread that waited in vain waits again only after a read */
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
