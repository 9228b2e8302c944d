/* SPDX-License-Identifier: BSD-2-Clause */
/* loss.c - count what could not be kept; what of it is untold. */
#include "emit/loss.h"

#include "emit/loss_totals.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/sink.h"
#include "ring/clock.h"

/* Between two calls for a teller, where many events are lost. */
#define CALL_NS INT64_C(10000000)

/* Whoever drains a ring was called when it filled, and is again each so many
 * frames that it has no room for. */
#define CALL_EACH 16u

static void count_for_process(uint8_t kind)
{
	__atomic_add_fetch(&syc_process->n_dropped, 1, __ATOMIC_RELAXED);
	if (kind == SYC_LOSS_ABANDONED)
		__atomic_add_fetch(&syc_process->n_abandoned, 1,
		                   __ATOMIC_RELAXED);
}

bool syc_loss_is_stray_pending(void)
{
	return syc_loss_totals_sum(&syc_process->lost) !=
	       syc_loss_totals_sum(&syc_process->told);
}

/* A drain thread tells such losses.  Towards a recorder there is none, so one
 * of the program's threads is called to tell them behind its next event. */
void syc_loss_call_for_teller(bool at_once)
{
	static int64_t not_before; /* ns */
	int64_t at = __atomic_load_n(&not_before, __ATOMIC_RELAXED);

	if (syc_destination_sink() != SYC_SINK_CONTROL ||
	    __atomic_load_n(&syc_process->n_rings, __ATOMIC_RELAXED) == 0 ||
	    !syc_loss_is_stray_pending())
		return;
	const int64_t now = syc_clock_kernel();
	if (!at_once &&
	    (now < at || !__atomic_compare_exchange_n(
				 &not_before, &at, now + CALL_NS, false,
				 __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
		return;
	syc_copies_set_sleeping(1);
}

void syc_loss_count_stray(uint8_t type, uint32_t len, int64_t time)
{
	const uint8_t kind = type < SYC_LOSS_KINDS ? type : SYC_LOSS_ABANDONED;

	if (!syc_process_is_there())
		return;
	const struct syc_ring_source *const source = syc_ring_source_current();
	if (source == NULL || source->count_stray == NULL ||
	    !source->count_stray(kind, len, time))
		syc_loss_totals_add(&syc_process->lost, kind, len, time);
	count_for_process(kind);
	syc_loss_call_for_teller(false);
}

void syc_loss_count(struct syc_state *ts, uint8_t type, uint32_t len,
                    int64_t time)
{
	const uint8_t kind = type < SYC_LOSS_KINDS ? type : SYC_LOSS_ABANDONED;

	/* The header first: should we die between the two, the recorder tells
	 * of what no record of ours will. */
	struct syc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);
	if (!syc_thread_is_begun(ts))
		return; /* the parent has the event */
	if (ring == NULL) {
		syc_loss_count_stray(type, len, time);
	} else {
		if (ts->is_ours)
			syc_loss_totals_add_own(&ring->lost, kind, len, time);
		syc_loss_totals_add_own(&ts->lost, kind, len, time);
		count_for_process(kind);
		/* A ring of our own wakes its drainer as it looks for room */
		if (!ts->is_own && ts->slot != NULL &&
		    ts->lost.frames[kind] % CALL_EACH == 0)
			syc_ring_source_of(ts)->poke(true);
	}
	/* The next emit looks for room, and tells of this */
	__atomic_store_n(
		&ts->hot.limit,
		(uint32_t)__atomic_load_n(&ts->hot.pos, __ATOMIC_RELAXED),
		__ATOMIC_RELAXED);
}

bool syc_loss_is_own_pending(const struct syc_state *ts)
{
	const uint32_t bank = __atomic_load_n(&ts->bank, __ATOMIC_RELAXED);
	const struct syc_ring_losses *const told = &ts->told[bank & 1];

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		if (__atomic_load_n(&ts->lost.frames[i], __ATOMIC_RELAXED) !=
		    __atomic_load_n(&told->frames[i], __ATOMIC_RELAXED))
			return true;
	return false;
}

bool syc_loss_is_pending(const struct syc_state *ts)
{
	return syc_loss_is_own_pending(ts) || syc_loss_is_stray_pending();
}

void syc_loss_add_stray(const struct syc_ring_losses *more, uint64_t n_frames)
{
	struct syc_ring_losses *const to = &syc_process->lost;

	syc_loss_totals_return_range(to, more);
	__atomic_add_fetch(&to->bytes, more->bytes, __ATOMIC_RELAXED);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		__atomic_add_fetch(&to->frames[i], more->frames[i],
		                   __ATOMIC_RELAXED);
	__atomic_add_fetch(&syc_process->n_dropped, n_frames, __ATOMIC_RELAXED);
}

void syc_loss_leave_behind(struct syc_state *ts)
{
	const uint32_t bank = __atomic_load_n(&ts->bank, __ATOMIC_RELAXED);
	struct syc_ring_losses untold = {
		.from = __atomic_load_n(&ts->lost.from, __ATOMIC_RELAXED),
		.to = __atomic_load_n(&ts->lost.to, __ATOMIC_RELAXED),
	};

	/* Our recorder finds them in the ring header */
	if (!syc_loss_is_own_pending(ts) || (ts->is_ours && ts->ring != NULL))
		return;
	syc_loss_totals_copy(&untold, &ts->lost);
	syc_loss_totals_subtract(&untold, &ts->told[bank & 1]);
	syc_loss_add_stray(&untold, 0);
}

void syc_loss_mirror(const struct syc_state *ts)
{
	syc_loss_totals_copy(&ts->ring->told, &ts->told[ts->bank & 1]);
}

void syc_loss_resolve(struct syc_state *ts)
{
	const uint64_t at = __atomic_load_n(&ts->telling_at, __ATOMIC_RELAXED);
	int32_t self = ts->tid;

	/* a record of stray losses that was left half-way */
	__atomic_compare_exchange_n(&syc_process->telling, &self, 0, false,
	                            __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	if (at == 0)
		return;
	if (at != SYC_TELLING_NOWHERE && ts->hot.body != NULL &&
	    ts->hot.body[at - 1 + SYC_AT(frame, type)] == SYSCAP_FRAME_MARK) {
		ts->bank = ts->telling_bank;
		if (ts->slot != NULL && ts->ring != NULL)
			syc_loss_mirror(ts);
	} else {
		syc_loss_totals_return_range(&ts->lost,
		                             &ts->told[ts->telling_bank & 1]);
	}
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
}
