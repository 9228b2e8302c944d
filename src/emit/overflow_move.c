/* SPDX-License-Identifier: BSD-2-Clause */
/* overflow_move.c - transfer of frames from overflows into rings, with signals
 * blocked. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "emit/loss.h"
#include "emit/overflow.h"
#include "emit/process.h"
#include "os/seccomp_state.h"
#include "os/syscalls.h"
#include "ring/clock.h"

#define MS INT64_C(1000000)
/* Limits of the wait at exit: without progress, and in total. */
#define STUCK_NS (250 * MS)
#define END_NS   (1000 * MS)

/* Free an empty overflow that no thread uses, under the lock. */
void syc_overflow_make_free(struct syc_overflow *o)
{
	/* Many free overflows keep no memory, because other overflows may need
	 * the memory */
	const uint32_t used = __atomic_load_n(&syc_process->overflow_bytes,
	                                      __ATOMIC_RELAXED) -
	                      o->provided;
	const uint32_t kept =
		used < SYC_OVERFLOWS_MOST / 4 ? SYC_OVERFLOW_STEP : 0;

	if (o->provided > kept && !syc_seccomp_has_filter()) {
		madvise(syc_overflow_body(&o->ring) + kept, o->provided - kept,
		        MADV_DONTNEED);
		__atomic_sub_fetch(&syc_process->overflow_bytes,
		                   o->provided - kept, __ATOMIC_RELAXED);
		o->provided = kept;
	}
	o->is_bad = false;
	o->ring.head = o->ring.tail = 0;
	__atomic_store_n(&o->phase, SYC_OVERFLOW_FREE, __ATOMIC_RELEASE);
}

/* ---------------------------------------------------- moves, under the lock */

/* Find the free bytes of the target.  Returns false if the position of the
 * target's reader is invalid. */
static bool find_room(struct syc_overflow *o, uint32_t *ret_room)
{
	const uint32_t size = o->target_size;
	/* W1, pairs with R2 */
	const uint32_t head =
		__atomic_load_n(&o->target->head, __ATOMIC_ACQUIRE);
	const uint32_t used = (o->target_tail - o->target_head + size) % size;
	const uint32_t moved = (head - o->target_head + size) % size;
	const uint32_t most = size - 8 - SYC_RING_ROOM;

	if (head >= size || head % 8 != 0 || moved > used)
		return false;
	__atomic_store_n(&o->target_head, head, __ATOMIC_RELAXED);
	*ret_room = used - moved < most ? most - (used - moved) : 0;
	return true;
}

void syc_overflow_publish(struct syc_overflow *o, uint32_t n)
{
	o->target_tail = (o->target_tail + n) % o->target_size;
	/* W2, pairs with R1 */
	__atomic_store_n(&o->target->tail, o->target_tail, __ATOMIC_RELEASE);
}

/* Count the frames that the recorder will not read.  The thread may still add
 * frames. */
static void count_rest(struct syc_overflow *o)
{
	const unsigned char *const body = syc_overflow_body(&o->ring);
	const uint32_t end = __atomic_load_n(&o->ring.tail, __ATOMIC_ACQUIRE);

	for (uint32_t at = o->ring.head; at < end;) {
		const struct syscap_wire_frame *const frame =
			(const void *)(body + at);

		syc_loss_count_stray(frame->type, frame->len, frame->time);
		at += frame->len;
	}
	__atomic_store_n(&o->ring.head, end, __ATOMIC_RELEASE);
}

/* Move the frames that fit.  Returns the number of bytes. */
uint32_t syc_overflow_move_frames(struct syc_overflow *o)
{
	const unsigned char *const from = syc_overflow_body(&o->ring);
	const uint32_t head = o->ring.head;
	const uint32_t end = __atomic_load_n(&o->ring.tail, __ATOMIC_ACQUIRE);
	uint32_t room, n = 0;

	if (head == end)
		return 0;
	if (o->is_bad || !find_room(o, &room)) {
		o->is_bad = true;
		count_rest(o);
		return 0;
	}
	while (head + n < end) {
		uint16_t len;

		memcpy(&len, from + head + n, sizeof(len));
		if (len > room - n)
			break;
		n += len;
	}
	if (n == 0)
		return 0;
	memcpy(syc_overflow_body(o->target) + o->target_tail, from + head, n);
	syc_overflow_publish(o, n);
	__atomic_store_n(&o->ring.head, head + n, __ATOMIC_RELEASE);
	return n;
}

/* Finish the overflow of an ended thread, after its last frame.  The ring keeps
 * space for the end marker. */
static void finish_left(struct syc_overflow *o)
{
	count_rest(o);
	if (!o->is_bad) {
		unsigned char *const at =
			syc_overflow_body(o->target) + o->target_tail;

		syc_store_word(at, syc_head_word(SYC_HEAD_SIZE, -1, -1));
		syc_store_head(at, syc_clock_kernel(),
		               SYC_WORD(frame, type, SYSCAP_FRAME_RING_END));
		syc_overflow_publish(o, SYC_HEAD_SIZE);
	}
	syc_ring_unmap(o->target, o->target_size);
	syc_overflow_make_free(o);
}

/* Move the frames that fit, of any thread, with signals blocked.  Returns false
 * if frames remain. */
bool syc_overflow_move_any(struct syc_overflow *o, uint32_t *n_moved)
{
	if (syc_overflow_phase(o) == SYC_OVERFLOW_FREE)
		return true;
	if (!syc_overflow_try_lock(o))
		return false;
	const uint32_t phase = syc_overflow_phase(o);
	if (phase != SYC_OVERFLOW_FREE)
		*n_moved += syc_overflow_move_frames(o);
	const bool is_done = o->is_bad || syc_overflow_is_empty(o);
	if (phase == SYC_OVERFLOW_LEFT && is_done)
		finish_left(o);
	syc_overflow_unlock(o);
	return is_done;
}

bool syc_overflow_move_each(uint32_t *n_moved)
{
	bool is_done = true;

	for (struct syc_overflow *o = syc_overflow_first(); o != NULL;
	     o = o->next)
		is_done &= syc_overflow_move_any(o, n_moved);
	return is_done;
}

/* ------------------------------------------------------- the process's end */

void syc_overflow_end(void)
{
	const int64_t began = syc_clock_kernel();
	int64_t moved_at = began, now = began;
	bool is_done;

	if (syc_overflow_first() == NULL)
		return;
	do {
		uint32_t n = 0;

		is_done = syc_overflow_move_each(&n);
		if (is_done)
			break;
		syc_futex_nap();
		now = syc_clock_kernel();
		if (n != 0)
			moved_at = now;
	} while (now - moved_at < STUCK_NS && now - began < END_NS);
	for (struct syc_overflow *o = syc_overflow_first();
	     o != NULL && !is_done; o = o->next)
		if (syc_overflow_phase(o) != SYC_OVERFLOW_FREE &&
		    syc_overflow_try_lock(o)) {
			count_rest(o);
			if (syc_overflow_phase(o) == SYC_OVERFLOW_LEFT)
				finish_left(o);
			syc_overflow_unlock(o);
		}
}
