/* SPDX-License-Identifier: BSD-2-Clause */
/* slot.c - a thread's ring in the arena that was handed over. */
#include "emit/slot.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "copies/copies.h"
#include "emit/hand_over.h"
#include "emit/handed_arena.h"
#include "emit/loss.h"
#include "emit/loss_totals.h"
#include "emit/process.h"
#include "emit/thread_ring.h"
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

/* syc_block leads to the newest. */
static struct syc_handed_arena *find_newest(void)
{
	return __atomic_load_n(&syc_block->hand_over, __ATOMIC_ACQUIRE);
}

struct syc_arena_head *syc_slot_arena_head(void)
{
	const struct syc_handed_arena *const h = find_newest();
	const uint32_t phase =
		h != NULL ? syc_handed_arena_phase(h) : SYC_HANDED_NONE;

	/* A child that has not begun has nothing to do with what is unsent */
	return phase == SYC_HANDED_SENT || (phase == SYC_HANDED_UNSENT &&
	                                    h->pid == syc_process->pid)
	               ? syc_arena_head(&h->arena)
	               : NULL;
}

/* The recorder has refused one, or the recording is over. */
static bool is_closed(void)
{
	for (const struct syc_handed_arena *h = find_newest(); h != NULL;
	     h = h->older)
		if (syc_handed_arena_phase(h) == SYC_HANDED_SENT &&
		    syc_slot_state(__atomic_load_n(
			    &syc_arena_head(&h->arena)->drainer,
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
		__atomic_store_n(&syc_drain_sleeping, 1, __ATOMIC_RELAXED);
		return;
	}
	/* A vfork() child has descriptors of its own; any other one has not
	 * begun yet */
	if (h->pid != getpid())
		return;
	syc_undisturbed_begin(&before);
	syc_handed_arena_try(h, at_exit);
	syc_undisturbed_end(&before);
}

void syc_slot_send_arenas(bool at_exit)
{
	if (syc_seccomp_has_filter()) /* sending may be forbidden */
		return;
	for (struct syc_handed_arena *h = find_newest(); h != NULL;
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

/* See ring_file.h; but the arena may have no drainer yet. */
bool syc_slot_count_stray(uint8_t kind, uint32_t len, int64_t time)
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
