/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_ring.c - the ring of a thread: its start and end, its free space, and
 * the repair of abandoned frames.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "emit/loss.h"
#include "emit/overflow.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "os/env.h"

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
	syc_thread_mapped(ts)->size = size;
	syc_thread_mapped(ts)->header = ring;
	if (ts->has_syscap_reader) {
		ring->lost = ts->lost;
		syc_thread_ring_sign(ring, ts->hot.pid, ts->tid);
	}
	syc_thread_ring_place(ts, ring, size, at, at);
	if (!ts->has_session_ring)
		ts->hot.limit = at + size - 8 - SYC_RING_ROOM;
	__atomic_add_fetch(&syc_process->n_rings, 1, __ATOMIC_RELAXED);
}

void syc_thread_ring_place(struct syc_state *ts, struct syc_ring_header *ring,
                           uint32_t size, uint32_t at, uint32_t head)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);

	ts->ring = ring;
	ts->head = head;
	ts->hot.size = size;
	ts->hot.body = (unsigned char *)ring + page;
	ts->hot.next = at;
	ts->hot.end = at;
	ts->hot.room_end = 0;
	ts->hot.lap = 0;
	ts->hot.suspect = 0;
	ts->hot.pos = (uint64_t)at << 32 | at;
	ts->hot.headered = ts->hot.pos;
	/* A session's ring has no pages yet: see syc_reserve_slow() */
	ts->pages_since = ts->pages_end = at;
	ts->pages_step = 0;
	ts->hot.limit = at;
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&ts->hot.tail, &ring->tail, __ATOMIC_RELAXED);
}

void syc_thread_ring_close(struct syc_state *ts, const char *why)
{
	if (!syc_thread_is_begun(ts))
		return;
	/* The ring stays mapped, because an interrupted emit may still write a
	 * frame */
	__atomic_store_n(&ts->hot.tail, NULL, __ATOMIC_RELAXED);
	ts->hot.room_end = 0;
	ts->hot.limit = (uint32_t)ts->hot.pos;
	ts->hot.body = NULL;
	/* The store is atomic, because the end of a session looks for closed
	 * rings */
	__atomic_store_n(&ts->retry_at, SYC_RETRY_NEVER, __ATOMIC_RELAXED);
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
	/* Clear the bits now, because a counter checks these bits before its
	 * thread has a ring */
	memset(ts->hot.defined, 0, sizeof(ts->hot.defined));
	__atomic_store_n(&ts->hot.owner, 0, __ATOMIC_RELAXED);
	syc_thread_mapped(ts)->header = NULL;
	if (ts->overflow != NULL)
		syc_overflow_leave(ts);
	else
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

/* Numbers of bytes of a session's ring that get pages at a time. */
#define PAGES_FIRST UINT32_C(4096)
#define PAGES_MOST  UINT32_C(65536)

bool syc_ring_space_look(struct syc_state *ts, uint32_t *ret_limit)
{
	struct syc_thread *const st = &ts->hot;
	const uint32_t size = st->size;

	/* pos and head must be consistent, so load pos first and check pos
	 * again.  Otherwise a handler's reserve between the two loads would
	 * count as free space. */
	for (int i = 0; i < 8; i++) {
		const uint64_t pos =
			__atomic_load_n(&st->pos, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		uint32_t before = __atomic_load_n(&ts->head, __ATOMIC_RELAXED);
		struct syc_ring_header *const ring =
			__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);
		if (ring == NULL)
			return false; /* a child, forked during this call */
		/* W1, pairs with R2 */
		const uint32_t head =
			__atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
		SYC_SIGNAL_FENCE();
		if (__atomic_load_n(&st->pos, __ATOMIC_RELAXED) != pos ||
		    __atomic_load_n(&ts->head, __ATOMIC_RELAXED) != before)
			continue;
		const uint32_t offset = (uint32_t)(pos >> 32);
		const uint32_t used = offset >= before ? offset - before
		                                       : offset + size - before;
		const uint32_t moved =
			head >= before ? head - before : head + size - before;
		/* The reader is not trusted, so head may only move to pos */
		if (head >= size || head % 8 != 0 || moved > used) {
			syc_thread_ring_close(ts,
			                      "a ring was closed: its reader's "
			                      "position is invalid");
			return false;
		}
		/* An interrupting handler may have stored a newer head.  Keep
		 * the newer head.  With an older head, the handler's reserve
		 * would look like a whole ring of free space */
		if (!__atomic_compare_exchange_n(&ts->head, &before, head,
		                                 false, __ATOMIC_RELAXED,
		                                 __ATOMIC_RELAXED))
			continue;
		struct syc_overflow *const overflow = syc_overflow_of(ts);
		*ret_limit = overflow != NULL
		                     ? syc_overflow_limit(ts, overflow)
		                     : (uint32_t)pos + size - 8 -
		                               SYC_RING_ROOM - (used - moved);
		if (ts->slot != NULL &&
		    used - moved >=
		            (ts->has_session_ring ? size / 4 : size / 8 * 3) &&
		    syc_ring_source_of(ts) != NULL)
			syc_ring_source_of(ts)->poke(true);
		return true;
	}
	return false;
}

/* Provide pages for at least all bytes up to @need.  Returns 0 if there is no
 * memory. */
static uint32_t provide_pages(struct syc_state *ts, unsigned char *at,
                              uint32_t count, uint32_t need)
{
	const struct syc_ring_source *const source = syc_ring_source_of(ts);
	const uint32_t whole = ts->pages_since + ts->hot.size;
	const uint32_t step = ts->pages_step == 0           ? PAGES_FIRST
	                      : ts->pages_step < PAGES_MOST ? 2 * ts->pages_step
	                                                    : PAGES_MOST;
	uint32_t to = ts->pages_end + step;

	if ((int32_t)(to - need) < 0)
		to = need;
	to = (to + PAGES_FIRST - 1) & ~(PAGES_FIRST - 1);
	if ((int32_t)(whole - to) < 0)
		to = whole;
	if (source == NULL || source->provide(at, to - count) != 0)
		return 0;
	ts->pages_step = step;
	__atomic_store_n(&ts->pages_end, to, __ATOMIC_RELAXED);
	return to != 0 ? to : whole;
}

/*
 * In its first lap a session's ring gets pages when an emit needs them, a
 * growing number at a time.  Loss records and end markers beyond the limit have
 * pages, too.
 */
void syc_ring_space_limit_to_pages(struct syc_state *ts, uint32_t len,
                                   uint32_t *limit)
{
	const struct syc_thread *const st = &ts->hot;
	const uint64_t pos = __atomic_load_n(&st->pos, __ATOMIC_RELAXED);
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);
	const uint32_t count = (uint32_t)pos;
	const uint32_t whole = ts->pages_since + st->size;
	const uint32_t need = count + len + SYC_LOSS_RECORD_MAX + SYC_RING_ROOM;
	uint32_t end = __atomic_load_n(&ts->pages_end, __ATOMIC_RELAXED);

	if (!ts->has_session_ring || body == NULL || end == whole)
		return;
	if ((int32_t)(end - need) < 0) {
		end = provide_pages(ts, body + (uint32_t)(pos >> 32), count,
		                    need);
		if (end == 0) {
			*limit = count - 2 * SYC_RING_ROOM;
			return;
		}
	}
	if (end != whole && (int32_t)(*limit + SYC_RING_ROOM - end) > 0)
		*limit = end - SYC_RING_ROOM;
}

unsigned char *syc_ring_space_take(struct syc_thread *st, uint32_t limit,
                                   uint32_t len, int64_t time)
{
	return syc_take(st, limit, len, time);
}

/*
 * Store the missing length of a frame whose bytes an interrupted emit has
 * reserved (T3).  So frames remain contiguous even if that emit never
 * continues.  An emit that continues stores the same value.
 */
SYC_COLD void syc_write_missing_header(struct syc_thread *st)
{
	uint64_t known, pos;

	/* The words must be consistent: a handler between the loads moves both
	 * words */
	do {
		known = __atomic_load_n(&st->headered, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		pos = __atomic_load_n(&st->pos, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
	} while (__atomic_load_n(&st->headered, __ATOMIC_RELAXED) != known);
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);
	if (pos == known || body == NULL)
		return;
	unsigned char *const frame = body + (uint32_t)(known >> 32);
	syc_store_word(frame,
	               syc_first_word(st, (uint32_t)pos - (uint32_t)known));
	syc_store_word(frame + SYC_AT(frame, type),
	               SYC_WORD(frame, type, SYSCAP_FRAME_TIMESTAMP));
	SYC_SIGNAL_FENCE();
	syc_exchange_local(&st->headered, known, pos);
}

void syc_repair_write_filler(struct syc_thread *st, unsigned char *frame,
                             uint32_t len)
{
	const bool is_bare = len == SYC_HEAD_SIZE;

	memset(frame + SYC_HEAD_SIZE, 0, len - SYC_HEAD_SIZE);
	syc_store_word(frame + SYC_AT(frame, time), (uint64_t)st->last_ns);
	syc_store_word(frame, is_bare ? syc_head_word(len, -1, -1)
	                              : st->pid_word |
	                                        SYC_WORD(frame, cpu, 0xFFFFu) |
	                                        SYC_WORD(frame, len, len));
	SYC_SIGNAL_FENCE();
	syc_store_word(frame + SYC_AT(frame, type),
	               is_bare ? SYC_WORD(frame, type, SYSCAP_FRAME_TIMESTAMP)
	                       : SYC_WORD(frame, type, SYSCAP_FRAME_JITMAP));
}

void syc_repair_count_abandoned(struct syc_state *ts, unsigned char *frame,
                                uint32_t len)
{
	syc_loss_count(ts, SYC_LOSS_ABANDONED, 0, ts->hot.last_ns);
	syc_repair_write_filler(&ts->hot, frame, len);
}

/* Make fillers of [frame, frame + left), whose header is invalid because the
 * peer overwrote it. */
static void give_up(struct syc_state *ts, unsigned char *frame, uint32_t left)
{
	while (left >= SYC_HEAD_SIZE) {
		uint32_t len = left;

		if (len > SYSCAP_FRAME_MAX)
			len = left - SYSCAP_FRAME_MAX >= SYC_HEAD_SIZE
			              ? SYSCAP_FRAME_MAX
			              : left - SYC_HEAD_SIZE;
		syc_repair_count_abandoned(ts, frame, len);
		frame += len;
		left -= len;
	}
}

/* Repair one frame of [frame, frame + left).  Returns the frame's length. */
static uint32_t repair_frame(struct syc_state *ts, unsigned char *frame,
                             uint32_t left)
{
	uint16_t len;
	int32_t pid;

	memcpy(&len, frame, sizeof(len));
	memcpy(&pid, frame + SYC_AT(frame, pid), sizeof(pid));
	if (len < SYC_HEAD_SIZE || len % 8 != 0 || len > left) {
		give_up(ts, frame, left);
		return left;
	}
	if (frame[SYC_AT(frame, type)] == SYSCAP_FRAME_TIMESTAMP && pid != -1)
		syc_repair_count_abandoned(ts, frame, len);
	return len;
}

SYC_COLD void syc_repair_all(struct syc_thread *st)
{
	struct syc_state *const ts = syc_state_of(st);

	__atomic_store_n(&st->nested, 0, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);
	const uint32_t *const tail =
		__atomic_load_n(&st->tail, __ATOMIC_RELAXED);
	if (body == NULL || tail == NULL)
		return;
	syc_write_missing_header(st);
	const uint32_t end =
		(uint32_t)(__atomic_load_n(&st->pos, __ATOMIC_RELAXED) >> 32);
	uint32_t at = __atomic_load_n(tail, __ATOMIC_RELAXED);
	if (at >= st->size || at % 8 != 0) { /* the peer overwrote it */
		syc_thread_ring_close(ts, "a ring was closed: its tail was "
		                          "overwritten");
		return;
	}
	uint32_t left = end >= at ? end - at : end + st->size - at;
	while (left != 0) {
		const uint32_t len = repair_frame(ts, body + at, left);

		at += len;
		if (at >= st->size)
			at -= st->size;
		left -= len;
	}
	syc_loss_resolve(ts);
}
