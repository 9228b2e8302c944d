/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_ring.c - the ring of a thread: got, begun, closed, left, not inherited. */
#define _GNU_SOURCE
#include "emit/thread_ring.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "emit/announce.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/thread_claim.h"
#include "os/env.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "ring/clock.h"

void syc_thread_ring_sign(struct syc_ring_header *ring, int32_t pid,
                          int32_t tid)
{
	ring->client_version = 1;
	ring->pid = pid;
	ring->tid = tid;
	prctl(PR_GET_NAME, ring->name);
	__atomic_store_n(&ring->client_magic, SYC_RING_CLIENT_MAGIC,
	                 __ATOMIC_RELEASE);
}

void syc_thread_ring_begin(struct syc_state *ts, struct syc_ring_header *ring,
                           uint32_t size, uint32_t at)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);

	ts->ring = ring;
	ts->head = at;
	syc_thread_mapped(ts)->size = size;
	syc_thread_mapped(ts)->header = ring;
	if (ts->is_ours) {
		ring->lost = ts->lost;
		syc_thread_ring_sign(ring, ts->hot.pid, ts->tid);
	}
	ts->hot.size = size;
	ts->hot.body = (unsigned char *)ring + page;
	ts->hot.next = at;
	ts->hot.end = at;
	ts->hot.room_end = 0;
	ts->hot.lap = 0;
	ts->hot.suspect = 0;
	ts->hot.pos = (uint64_t)at << 32 | at;
	ts->hot.headered = ts->hot.pos;
	/* of our own, there are no pages yet: see syc_reserve_slow() */
	ts->pages_since = ts->pages_end = at;
	ts->pages_step = 0;
	ts->hot.limit = at + (ts->is_own ? 0 : size - 8 - SYC_RING_ROOM);
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&ts->hot.tail, &ring->tail, __ATOMIC_RELAXED);
	__atomic_add_fetch(&syc_process->n_rings, 1, __ATOMIC_RELAXED);
}

void syc_thread_ring_close(struct syc_state *ts, const char *why)
{
	if (!syc_thread_is_begun(ts))
		return;
	/* The ring stays mapped: an interrupted emit may still write a frame */
	__atomic_store_n(&ts->hot.tail, NULL, __ATOMIC_RELAXED);
	ts->hot.room_end = 0;
	ts->hot.limit = (uint32_t)ts->hot.pos;
	ts->hot.body = NULL;
	ts->retry_at = SYC_RETRY_NEVER;
	syc_process_set_reason(why);
	syc_diag_say(why, NULL);
}

void syc_thread_ring_unmap(struct syc_state *ts)
{
	ts->hot.tail = NULL;
	ts->hot.limit = (uint32_t)ts->hot.pos;
	ts->hot.body = NULL;
	ts->hot.room_end = 0;
	ts->hot.next = 0;
	ts->hot.end = 0;
	ts->hot.disturbed = 0;
	/* Not when the next ring begins: a counter looks before it has one */
	memset(ts->hot.defined, 0, sizeof(ts->hot.defined));
	__atomic_store_n(&ts->hot.owner, 0, __ATOMIC_RELAXED);
	syc_thread_mapped(ts)->header = NULL;
	syc_ring_unmap(ts->ring, ts->hot.size);
	ts->ring = NULL;
	ts->hot.size = 0;
	__atomic_sub_fetch(&syc_process->n_rings, 1, __ATOMIC_RELAXED);
}

void syc_thread_ring_drop_inherited(const struct syc_state *ts,
                                    bool may_be_written)
{
	struct syc_mapped *const mapped = syc_thread_mapped(ts);
	struct syc_ring_header *const header = mapped->header;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (header == NULL)
		return;
	if (may_be_written)
		mmap(header, page + 2 * (size_t)mapped->size,
		     PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
		     -1, 0);
	else
		syc_ring_unmap(header, mapped->size);
	mapped->header = NULL;
}

SYC_COLD bool syc_thread_connect(struct syc_state *ts)
{
	const struct syc_ring_source *const source = syc_ring_source_current();
	struct syc_undisturbed before;

	if (ts->is_connecting || ts->ring != NULL || syc_seccomp_has_filter())
		return false; /* a fault in set-up; closed for good; forbidden */
	if (source == NULL)
		return false; /* another copy's recording, whose events may */
	if (ts->retry_at != 0 && (ts->retry_at == SYC_RETRY_NEVER ||
	                          syc_clock_kernel() < ts->retry_at))
		return false;
	syc_undisturbed_begin(&before);
	if (!syc_thread_is_begun(ts))
		syc_thread_claim(); /* an event that a fork interrupted */
	/* atomic: threads that look for a state pass by */
	if (ts->hot.body == NULL &&
	    __atomic_load_n(&ts->phase, __ATOMIC_RELAXED) == SYC_STATE_ALIVE) {
		ts->is_connecting = true;
		if (source->connect(ts))
			syc_announce(ts);
		ts->is_connecting = false;
	}
	syc_undisturbed_end(&before);
	return ts->hot.body != NULL;
}
