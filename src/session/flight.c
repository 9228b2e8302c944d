/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flight.c - flight mode: a ring keeps the last events of its thread.
 *
 * The thread itself moves its ring's head over whole frames, in the slow path of
 * an event.  So a quarter of the ring is always free.  Only snapshots read the
 * ring, and they only copy (docs/flight.md).  The orderings are R3 and R4 in
 * ring/ring.h.
 *
 * Frames that other frames need are definitions.  Before the head moves over a
 * definition, the thread copies it to the ring of a second slot, where it stays.
 * A pair of slots stays a pair, because threads of other pairs may need its
 * definitions.
 */
#define _GNU_SOURCE
#include <string.h>

#include <syscap/format.h>

#include "base/frame.h"
#include "emit/loss.h"
#include "emit/thread.h"
#include "os/process.h"
#include "os/signals.h"
#include "ring/arena.h"
#include "session/session.h"
#include "session/spill.h"

/* ThreadSanitizer does not know fences, and gcc warns. */
#if defined(__SANITIZE_THREAD__)
#define THREAD_FENCE(order) __sync_synchronize()
#else
#define THREAD_FENCE(order) __atomic_thread_fence(order)
#endif

#define BIT(type) (UINT32_C(1) << (type))
#define DEFINITIONS                                                  \
	(BIT(SYSCAP_FRAME_MAP) | BIT(SYSCAP_FRAME_PROCESS) |         \
	 BIT(SYSCAP_FRAME_CTRDEF) | BIT(SYSCAP_FRAME_JITMAP) |       \
	 BIT(SYSCAP_FRAME_METADATA) | BIT(SYSCAP_FRAME_FILE_CHUNK) | \
	 BIT(SYSCAP_FRAME_OVERLAY))

static bool is_definition(const unsigned char *frame, uint32_t len)
{
	const uint8_t type = frame[SYC_AT(frame, type)];

	/* A JITMAP without names is a filler */
	return (BIT(type & 31) & DEFINITIONS) != 0 &&
	       (type != SYSCAP_FRAME_JITMAP ||
	        (len > SYSCAP_JITMAP_FIXED &&
	         frame[SYC_AT(jitmap, n_jitmaps)] != 0));
}

/* The ring of definitions, in the arena's mapping.  The slots follow the page of
 * their words.  (Functions of arena.c have no unwind tables.) */
static struct syc_ring_header *
definitions_of(const struct syc_ring_header *ring, const uint32_t *word,
               uint32_t size)
{
	const uintptr_t page = ring->offset;
	const uintptr_t words = (uintptr_t)word & ~(page - 1);

	return (struct syc_ring_header *)(words + page +
	                                  ring->kept_slot * (page + size));
}

/*
 * Copy the definition @frame of @ring to the ring of definitions.  Returns
 * false without space.
 *
 * A child that is forked here would return to a copy without an arena, so
 * handlers wait.  A child of an earlier handler has no slot.
 */
static bool keep(const struct syc_state *ts, const uint32_t *word,
                 const struct syc_ring_header *ring, uint32_t size,
                 const unsigned char *frame, uint32_t len)
{
	bool is_kept = true;
	uint64_t mask;

	syc_all_signals_block(&mask);
	if (__atomic_load_n(&ts->slot, __ATOMIC_RELAXED) == word) {
		struct syc_ring_header *const to =
			definitions_of(ring, word, size);
		const uint32_t tail =
			__atomic_load_n(&to->tail, __ATOMIC_RELAXED);
		unsigned char *const at =
			(unsigned char *)to + to->offset + tail;

		/* Memory comes with the first frame that reaches a page */
		is_kept = size - tail > len &&
		          (((tail ^ (tail + len - 1)) < to->offset) ||
		           syc_pages_provide(at, len) == 0);
		if (is_kept) {
			memcpy(at, frame, len);
			__atomic_store_n(&to->tail, tail + len,
			                 __ATOMIC_RELEASE);
		}
	}
	syc_all_signals_restore(&mask);
	return is_kept;
}

/*
 * A handler may leave this function by siglongjmp() again and again, so each
 * frame counts.  The next call repeats an unfinished frame.
 *
 * If a handler forks, the child finds a zeroed state and a zeroed ring, and has
 * no arena.  So the function loads the state first.
 */
void syc_flight_give_up(struct syc_state *ts, uint32_t rest, bool moves)
{
	struct syc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);
	uint32_t *const word = __atomic_load_n(&ts->slot, __ATOMIC_RELAXED);
	const uint32_t size = __atomic_load_n(&ts->hot.size, __ATOMIC_RELAXED);

	if (ring == NULL || word == NULL)
		return;
	uint64_t passed = __atomic_load_n(&ring->passed, __ATOMIC_RELAXED);
	uint32_t left = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED) -
	                (uint32_t)passed;

	if ((int32_t)left < 0)
		left += size;
	const unsigned char *frame =
		(const unsigned char *)ring + ring->offset + (uint32_t)passed;
	uint32_t len = UINT32_MAX; /* the length of no frame */
	while (left > rest) {
		uint16_t next;

		memcpy(&next, frame, sizeof(next));
		/* Most frames have the length of the frame before.  The
		 * processor continues with this length before it has read the
		 * next length, if the compiler does not join the two cases */
		if (next != len) {
			len = next;
			__asm__("" : "+r"(len));
			if (len < SYC_HEAD_SIZE)
				return;
		}
		if (is_definition(frame, len) &&
		    !keep(ts, word, ring, size, frame, len))
			syc_loss_count(ts, frame[SYC_AT(frame, type)], len,
			               ts->hot.last_ns);
		/* The body is mapped twice, so that frames are contiguous */
		frame += len;
		left -= len;
		passed += len;
		if ((uint32_t)passed >= size) {
			passed += (UINT64_C(1) << 32) - size;
			frame -= size;
		}
		if (!moves)
			continue;
		__atomic_store_n(&ring->passed, passed, __ATOMIC_RELAXED);
		THREAD_FENCE(__ATOMIC_RELEASE); /* R3 */
		__atomic_store_n(&ring->head, (uint32_t)passed,
		                 __ATOMIC_RELEASE);
	}
}

/*
 * A count of the session's users would never fall again if a handler left this
 * function by siglongjmp().  But the owner of an emit keeps the session's memory
 * as well.  syc_end_session() first removes the session, then waits for owners.
 * If an owner is left, the function does not free the memory.
 */
bool syc_flight_pass(void)
{
	struct syc_state *const ts =
		syc_self != NULL ? syc_state_of(syc_self) : NULL;

	const struct syc_ring_header *const ring =
		ts != NULL ? __atomic_load_n(&ts->ring, __ATOMIC_RELAXED)
			   : NULL;

	if (ring == NULL || !ts->has_session_ring || ring->kept_slot == 0)
		return false;
	/* A nested emit may have interrupted this function.  Such an emit uses
	 * the free quarter. */
	if (__atomic_load_n(&ts->hot.owner, __ATOMIC_RELAXED) == 0 ||
	    __atomic_load_n(&ts->hot.nested, __ATOMIC_RELAXED) != 0)
		return true;
	THREAD_FENCE(__ATOMIC_SEQ_CST); /* owner, then session */
	/* An emit of another epoch has a ring of another session */
	if (__atomic_load_n(&syc_process->session, __ATOMIC_SEQ_CST) != NULL &&
	    ts->hot.epoch == __atomic_load_n(&syc_active, __ATOMIC_RELAXED))
		syc_flight_give_up(ts, ts->hot.size / 4 * 3, true);
	return true;
}
