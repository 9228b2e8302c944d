/* SPDX-License-Identifier: BSD-2-Clause */
/* slot.c - a thread's ring in the arena that was handed over. */
#include "emit/slot.h"

#include <errno.h>
#include <string.h>

#include "emit/hand_over.h"
#include "emit/loss.h"
#include "emit/loss_totals.h"
#include "emit/process.h"
#include "emit/thread_ring.h"
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

int syc_slot_begin(struct syc_state *ts)
{
	uint32_t busy = syc_slot_word(ts->hot.pid, SYC_SLOT_BUSY);
	struct syc_slot slot;

	if (syc_slot_stop_if_over())
		return -ECONNRESET;
	const int r = syc_hand_over_claim(ts->hot.pid, &slot);
	/* Who finds that nobody is there any more has switched us off */
	if (r != 0)
		return __atomic_load_n(&syc_active, __ATOMIC_RELAXED) == 0
		               ? -ECONNRESET
		               : r;
	/* The recorder may write there, too: read once, then checked */
	const uint32_t at = __atomic_load_n(&slot.ring->tail, __ATOMIC_RELAXED);
	ts->is_own = false;
	ts->is_ours = true;
	ts->slot = slot.word;
	sign_slot(slot.ring);
	syc_thread_ring_begin(ts, slot.ring, slot.size,
	                      at < slot.size && at % 8 == 0 ? at : 0);
	syc_loss_mirror(ts);
	if (__atomic_compare_exchange_n(
		    slot.word, &busy, syc_slot_word(ts->hot.pid, SYC_SLOT_LIVE),
		    false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return 0;
	/* Overwritten: it is nobody's any more */
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

bool syc_slot_stop_if_over(void)
{
	if (!syc_hand_over_is_closed())
		return false;
	syc_process_turn_off("the recording is over");
	return true;
}

/* As arena_head.h has it, but that nobody has to drain yet. */
bool syc_slot_count_stray(uint8_t kind, uint32_t len, int64_t time)
{
	struct syc_arena_head *const head = syc_hand_over_head();

	if (head == NULL)
		return false;
	__atomic_add_fetch(&head->counting, 1, __ATOMIC_SEQ_CST);
	const bool is_read = !syc_hand_over_is_closed();
	if (is_read)
		syc_loss_totals_add(&head->lost, kind, len, time);
	__atomic_sub_fetch(&head->counting, 1, __ATOMIC_RELEASE);
	return is_read;
}
