/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.c - the ring source of a recorder: slots of the process's arena,
 * rings that the recorder sends, and reports of stray losses.
 */
#define _GNU_SOURCE
#include "emit/recorder.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "copies/copies.h"
#include "emit/loss.h"
#include "emit/overflow.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "os/fd.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "ring/clock.h"

static void sign_slot(struct syc_ring_header *ring)
{
	ring->outcome = 0;
	ring->since = syc_clock_kernel();
	memset(&ring->told, 0, sizeof(ring->told));
	memset(&ring->late, 0, sizeof(ring->late));
	ring->recorder_version = 1;
	ring->recorder_magic = SYC_RING_RECORDER_MAGIC;
}

static int begin_slot(struct syc_state *ts)
{
	uint32_t busy = syc_slot_word(ts->hot.pid, SYC_SLOT_BUSY);
	struct syc_slot slot;

	if (syc_slot_stop_if_over())
		return -ECONNRESET;
	const int r = syc_handed_arena_claim(ts->hot.pid, &slot);
	/* If the recorder has ended, the claim has turned recording off */
	if (r != 0)
		return __atomic_load_n(&syc_active, __ATOMIC_RELAXED) == 0
		               ? -ECONNRESET
		               : r;
	/*
	 * The recorder may write to this word, too, so load the word once, then
	 * check the copy
	 */
	const uint32_t at = __atomic_load_n(&slot.ring->tail, __ATOMIC_RELAXED);
	ts->has_session_ring = false;
	ts->has_syscap_reader = true;
	ts->slot = slot.word;
	sign_slot(slot.ring);
	syc_thread_ring_begin(ts, slot.ring, slot.size,
	                      at < slot.size && at % 8 == 0 ? at : 0);
	syc_loss_mirror(ts);
	if (__atomic_compare_exchange_n(
		    slot.word, &busy, syc_slot_word(ts->hot.pid, SYC_SLOT_LIVE),
		    false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return 0;
	/* Another program overwrote the word, so the slot is unusable */
	syc_thread_ring_unmap(ts);
	ts->slot = NULL;
	return -EBADMSG;
}

void syc_slot_end(const struct syc_state *ts)
{
	uint32_t live = syc_slot_word(ts->hot.pid, SYC_SLOT_LIVE);

	__atomic_compare_exchange_n(ts->slot, &live,
	                            syc_slot_word(ts->hot.pid, SYC_SLOT_ENDED),
	                            false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

struct syc_arena_head *syc_slot_arena_head(void)
{
	const struct syc_handed_arena *const h = syc_handed_arena_newest();
	const uint32_t phase =
		h != NULL ? syc_handed_arena_phase(h) : SYC_HANDED_NONE;

	/* A child must not use its parent's unsent arena */
	return phase == SYC_HANDED_SENT || (phase == SYC_HANDED_UNSENT &&
	                                    h->pid == syc_process->pid)
	               ? syc_arena_head(&h->arena)
	               : NULL;
}

/* Return whether the recorder has refused an arena, or the recording is
 * over. */
static bool is_closed(void)
{
	for (const struct syc_handed_arena *h = syc_handed_arena_newest();
	     h != NULL; h = h->older)
		if (syc_handed_arena_phase(h) == SYC_HANDED_SENT &&
		    syc_slot_state(__atomic_load_n(
			    &syc_arena_head(&h->arena)->reader,
			    __ATOMIC_SEQ_CST)) == SYC_ARENA_CLOSED)
			return true;
	return false;
}

static void send_arena(struct syc_handed_arena *h, bool at_exit)
{
	struct syc_undisturbed before;

	if (syc_handed_arena_phase(h) != SYC_HANDED_UNSENT)
		return;
	if (!at_exit && syc_clock_kernel() <
	                        __atomic_load_n(&h->try_at, __ATOMIC_RELAXED)) {
		__atomic_store_n(&syc_look_due, 1, __ATOMIC_RELAXED);
		return;
	}
	/* A vfork() child has other fds, and any other child has not begun
	 * yet */
	if (h->pid != getpid())
		return;
	syc_undisturbed_begin(&before);
	syc_handed_arena_try(h, at_exit);
	syc_undisturbed_end(&before);
}

static void send_arenas(bool at_exit)
{
	if (syc_seccomp_has_filter()) /* may forbid sending */
		return;
	for (struct syc_handed_arena *h = syc_handed_arena_newest(); h != NULL;
	     h = h->older)
		send_arena(h, at_exit);
}

bool syc_slot_stop_if_over(void)
{
	if (!is_closed())
		return false;
	syc_process_turn_off("the recording is over");
	return true;
}

/* Count by the steps of ring/ring_file.h, except that there may be no reader
 * yet. */
static bool count_stray(uint8_t kind, uint32_t len, int64_t time)
{
	struct syc_arena_head *const head = syc_slot_arena_head();

	if (head == NULL)
		return false;
	__atomic_add_fetch(&head->counting, 1, __ATOMIC_SEQ_CST);
	const bool is_read = !is_closed();
	if (is_read)
		syc_loss_totals_add(&head->lost, kind, len, time);
	__atomic_sub_fetch(&head->counting, 1, __ATOMIC_RELEASE);
	return is_read;
}

static bool is_recorder_syscap(const struct syc_ring_header *ring)
{
	return __atomic_load_n(&ring->recorder_magic, __ATOMIC_RELAXED) ==
	       SYC_RING_RECORDER_MAGIC;
}

/* Map the ring in @fd, and close @fd. */
static int map_ring(int fd, struct syc_ring_header **ret_ring,
                    uint32_t *ret_size)
{
	struct syc_ring_header *ring;
	uint32_t size;
	const int r = syc_ring_map(fd, &ring, &size);

	syc_fd_close(fd);
	if (r != 0)
		return r;
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	if (__atomic_load_n(&ring->offset, __ATOMIC_RELAXED) != page ||
	    __atomic_load_n(&ring->size, __ATOMIC_RELAXED) != size ||
	    __atomic_load_n(&ring->head, __ATOMIC_RELAXED) != 0 ||
	    __atomic_load_n(&ring->tail, __ATOMIC_RELAXED) != 0 ||
	    size < 2 * SYC_RING_ROOM) {
		syc_ring_unmap(ring, size);
		return -EBADMSG;
	}
	*ret_ring = ring;
	*ret_size = size;
	return 0;
}

static bool connect_to_recorder(struct syc_state *ts)
{
	struct syc_ring_header *ring;
	uint32_t size;
	int r = begin_slot(ts);

	if (r == 0 || r == -ECONNRESET)
		return r == 0;
	r = syc_ring_request(ts);
	if (r >= 0)
		r = map_ring(r, &ring, &size);
	if (r != 0) {
		syc_ring_request_note_failure(ts, r);
		return false;
	}
	ts->has_session_ring = false;
	ts->has_syscap_reader = is_recorder_syscap(ring);
	syc_thread_ring_begin(ts, ring, size, 0);
	syc_ring_request_note_ring();
	return true;
}

/* ---------------------------------------------- reports of stray losses */

static bool has_stray_losses(void)
{
	return syc_destination_sink() == SYC_SINK_CONTROL &&
	       syc_loss_is_stray_pending();
}

/*
 * Report in an emit of the report's own, which may use @reserve bytes beyond
 * the limit.  A ring of another epoch accepts no further frames.  If another
 * emit is in progress, write nothing: if the process exits in this handler, the
 * outer emit never publishes.
 */
static void report_in_own_ring(uint32_t reserve)
{
	struct syc_thread *const st = syc_self;
	volatile uintptr_t token;
	uint32_t limit;

	if (st == NULL || st->body == NULL || st->owner != 0 ||
	    st->epoch != __atomic_load_n(&syc_active, __ATOMIC_RELAXED))
		return;
	struct syc_state *const ts = syc_state_of(st);
	const bool outermost = syc_enter(st, &token);
	if (ts->overflow != NULL)
		syc_overflow_move(ts, ts->overflow);
	if (st->body != NULL && ts->overflow == NULL &&
	    syc_ring_space_look(ts, &limit))
		syc_loss_report(ts, limit + reserve);
	syc_leave(st, &token, outermost);
}

/*
 * Write a requested report, after the thread's own event.  Arenas are sent
 * last, because an arena that can't be sent yet sets syc_look_due again.
 * Otherwise the report's own emit would find the word set, and call this
 * function again.
 */
static bool report_stray(void)
{
	if (has_stray_losses()) {
		report_in_own_ring(0);
		/*
		 * There is no ring or no space, so the next thread reports the
		 * losses
		 */
		if (syc_loss_is_stray_pending() &&
		    __atomic_load_n(&syc_process->n_rings, __ATOMIC_RELAXED) !=
		            0)
			__atomic_store_n(&syc_look_due, 1, __ATOMIC_RELAXED);
	}
	if (syc_destination_sink() == SYC_SINK_CONTROL)
		send_arenas(false);
	return true;
}

/* Write only a report of stray losses into a new ring. */
static void report_in_new_ring(struct syc_ring_header *ring, uint32_t size)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	unsigned char *const body = (unsigned char *)ring + page;
	const uint32_t len = syc_loss_compose_last(body, syc_process->pid);

	if (is_recorder_syscap(ring))
		syc_thread_ring_sign(ring, syc_process->pid, gettid());
	syc_store_word(body + len, syc_head_word(SYC_HEAD_SIZE, -1, -1));
	syc_store_head(body + len, syc_clock_kernel(),
	               SYC_WORD(frame, type, SYSCAP_FRAME_RING_END));
	/* W2, pairs with R1 */
	__atomic_store_n(&ring->tail, len + SYC_HEAD_SIZE, __ATOMIC_RELEASE);
	syc_ring_unmap(ring, size);
}

/*
 * A recorder that does not read the client block gets reports of losses only by
 * records.  Threads that still run no longer write records.  (A thread that
 * writes such a record before the process has ended reports its losses twice.)
 */
static void adopt_losses_of_others(void)
{
	const uint32_t n =
		__atomic_load_n(&syc_process->high_water, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++) {
		struct syc_state *const ts = syc_state_at(i);

		if (&ts->hot != syc_self &&
		    __atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
		            SYC_STATE_ALIVE)
			syc_loss_leave_behind(ts);
	}
}

/*
 * Report the remaining losses in this thread's ring, before the process ends.
 * The reserve has space for a record even if the ring is full.  A thread
 * without a ring requests one for the report.
 */
static bool report_at_exit(void)
{
	const int64_t deadline =
		syc_clock_kernel() + SYC_CONTROL_TIMEOUT_MS * INT64_C(1000000);
	struct syc_ring_header *ring;
	uint32_t size;
	int fd = -ECANCELED;

	/* Under a seccomp filter, the counts remain in memory that the recorder
	 * reads */
	if (__atomic_load_n(&syc_active, __ATOMIC_RELAXED) == 0 ||
	    syc_seccomp_has_filter())
		return true;
	send_arenas(true);
	if (syc_destination_sink() != SYC_SINK_CONTROL)
		return true;
	adopt_losses_of_others();
	report_in_own_ring(SYC_LOSS_RECORD_MAX);
	if (syc_loss_is_stray_pending())
		fd = syc_ring_request_at_exit(deadline);
	if (fd >= 0 && map_ring(fd, &ring, &size) == 0)
		report_in_new_ring(ring, size);
	return true;
}

/* Check the recorder if a ring fills up, and at no other time. */
static void look_at_recorder(bool is_filling)
{
	if (is_filling)
		syc_slot_stop_if_over();
}

const struct syc_ring_source syc_recorder = {
	.connect = connect_to_recorder,
	.forgo = syc_ring_request_leave,
	.poke = look_at_recorder,
	.count_stray = count_stray,
	.look = report_stray,
	.end = report_at_exit,
};
