/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder.c - rings that a recorder reads: get one, and tell what was lost. */
#define _GNU_SOURCE
#include "emit/recorder.h"

#include <errno.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/ask.h"
#include "emit/control.h"
#include "emit/loss.h"
#include "emit/loss_compose.h"
#include "emit/loss_tell.h"
#include "emit/process.h"
#include "emit/room.h"
#include "emit/slot.h"
#include "emit/thread_ring.h"
#include "os/fd.h"
#include "os/seccomp_state.h"
#include "ring/clock.h"

static bool knows_us(const struct syc_ring_header *ring)
{
	return __atomic_load_n(&ring->recorder_magic, __ATOMIC_RELAXED) ==
	       SYC_RING_RECORDER_MAGIC;
}

/* @fd is closed. */
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
	int r = syc_slot_begin(ts);

	if (r == 0 || r == -ECONNRESET)
		return r == 0;
	r = syc_ask_for_ring(ts);
	if (r >= 0)
		r = map_ring(r, &ring, &size);
	if (r != 0) {
		syc_ask_note_failure(ts, r);
		return false;
	}
	ts->is_own = false;
	ts->is_ours = knows_us(ring);
	syc_thread_ring_begin(ts, ring, size, 0);
	syc_ask_note_ring();
	return true;
}

/* ------------------------------------------- telling what nobody has told */

static bool has_untold(void)
{
	return syc_destination_sink() == SYC_SINK_CONTROL &&
	       syc_loss_is_stray_pending();
}

/*
 * An emit of its own, which may use @reserve bytes beyond the limit.  A ring
 * of another epoch takes nothing more.  On top of another emit nothing is
 * written: if the process exits in this handler, that emit never publishes it.
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
	if (st->body != NULL && syc_room_look(ts, &limit))
		syc_loss_tell(ts, limit + reserve);
	syc_leave(st, &token, outermost);
}

/*
 * The thread that was asked for a report writes it, behind its own event.
 * Arenas are sent last.  One that can't be sent yet sets the word again.  The
 * report's own emit would find the word, and call this function without end.
 */
static bool tell_untold(void)
{
	if (has_untold()) {
		report_in_own_ring(0);
		/* No ring, or no room: the next thread reports */
		if (syc_loss_is_stray_pending() &&
		    __atomic_load_n(&syc_process->n_rings, __ATOMIC_RELAXED) !=
		            0)
			__atomic_store_n(&syc_drain_sleeping, 1,
			                 __ATOMIC_RELAXED);
	}
	if (syc_destination_sink() == SYC_SINK_CONTROL)
		syc_slot_send_arenas(false);
	return true;
}

/* A ring that holds nothing but what is untold. */
static void tell_in_new_ring(struct syc_ring_header *ring, uint32_t size)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	unsigned char *const body = (unsigned char *)ring + page;
	const uint32_t len = syc_loss_compose_last(body, syc_process->pid);

	if (knows_us(ring))
		syc_thread_ring_sign(ring, syc_process->pid, gettid());
	syc_store_word(body + len, syc_head_word(SYC_HEAD_SIZE, -1, -1));
	syc_store_head(body + len, syc_clock_kernel(), SYSCAP_FRAME_RING_END);
	/* W2, pairs with R1 */
	__atomic_store_n(&ring->tail, len + SYC_HEAD_SIZE, __ATOMIC_RELEASE);
	syc_ring_unmap(ring, size);
}

/*
 * A recorder that does not know our part of the header has no other report of
 * losses than a record.  Threads that are still running write no more of them.
 * (One that does, between this and the process' end, reports its losses twice.)
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
 * Losses that no record reports are lost for good if the process ends now.
 * They are reported in this thread's ring, whose reserve has room for a record
 * though the ring is full, or in one that is requested for them.
 */
static bool report_at_exit(void)
{
	const int64_t deadline =
		syc_clock_kernel() + SYC_CONTROL_TIMEOUT_MS * INT64_C(1000000);
	struct syc_ring_header *ring;
	uint32_t size;
	int fd = -ECANCELED;

	/* In a box what was counted stays where the recorder finds it */
	if (__atomic_load_n(&syc_active, __ATOMIC_RELAXED) == 0 ||
	    syc_seccomp_has_filter())
		return true;
	syc_slot_send_arenas(true);
	if (syc_destination_sink() != SYC_SINK_CONTROL)
		return true;
	adopt_losses_of_others();
	report_in_own_ring(SYC_LOSS_RECORD_MAX);
	if (syc_loss_is_stray_pending())
		fd = syc_ask_at_exit(deadline);
	if (fd >= 0 && map_ring(fd, &ring, &size) == 0)
		tell_in_new_ring(ring, size);
	return true;
}

/* Only when a ring fills up do we ask whether anybody still reads. */
static void look_at_recorder(bool is_filling)
{
	if (is_filling)
		syc_slot_stop_if_over();
}

const struct syc_ring_source syc_recorder = {
	.connect = connect_to_recorder,
	.forgo = syc_ask_leave,
	.poke = look_at_recorder,
	.count_stray = syc_slot_count_stray,
	.wake = tell_untold,
	.end = report_at_exit,
};
