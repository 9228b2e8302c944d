/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overflow.h - frames for which a recorder's ring has no space at present.
 *
 * A recorder that sends one small ring per thread (Sysprof: 128 KiB) needs some
 * time to make and read the ring.  Meanwhile the thread emits into an overflow:
 * anonymous memory, with the same header as a ring.  The frames move into the
 * ring, in order, as soon as the ring has space.  When the overflow is empty,
 * the thread emits into its ring again.  No event waits.
 *
 * An overflow is filled once, from its start to its end, and does not wrap.
 *
 *	FREE ──a thread's ring is full──▶ USED ──the thread ends──▶ LEFT
 *	  ▲                                │ empty                   │ empty
 *	  └────────────────────────────────┴─────────────────────────┘
 *
 * Invariants:
 * - While a thread has an overflow (ts->overflow), only the holder of `lock`
 *   writes the thread's ring and the fields marked "lock".  The holder has
 *   signals blocked.
 * - Only the thread adds frames (ring.tail), and only the holder of `lock`
 *   removes frames (ring.head).
 * - Only the thread itself switches from its ring to an overflow and back, in
 *   an outermost emit without other emits (docs/ring.md).
 * - No loss record is in an overflow.  The thread's next event in the ring, or
 *   the end of the process, writes the loss record.
 *
 * - If the process is killed, or ends by _exit() or exec, its frames in
 *   overflows are lost, and are not reported.
 *
 * A forked child has no overflow: the list is in struct syc_process, and the
 * kernel clears the memory of the overflows.
 */
#ifndef SYC_EMIT_OVERFLOW_H
#define SYC_EMIT_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "emit/process.h"
#include "emit/thread.h"
#include "ring/ring.h"

/** Bytes of one overflow, with a page for its header. */
#define SYC_OVERFLOW_SIZE (UINT32_C(8) << 20)
/** Maximum memory of all overflows of a process, in bytes. */
#define SYC_OVERFLOWS_MOST (UINT32_C(16) << 20)
/** Unit in which memory is counted.  A free overflow keeps at most this
 * much. */
#define SYC_OVERFLOW_STEP UINT32_C(65536)

/** The overflow of @ts, or NULL.  Context: owner. */
static inline struct syc_overflow *syc_overflow_of(const struct syc_state *ts)
{
	return __atomic_load_n(&ts->overflow, __ATOMIC_RELAXED);
}

struct syc_overflow {
	/* The writer uses head and tail; the rest is unused */
	struct syc_ring_header ring;
	struct syc_overflow *next; /* constant */
	uint32_t lock;             /* 1: held */
	uint32_t phase;            /* SYC_OVERFLOW_* */
	bool is_bad;               /* the reader's position is invalid; lock */
	uint32_t provided; /* bytes of the body that count as memory; thread */
	/* The thread's ring; lock */
	struct syc_ring_header *target;
	uint32_t target_size;
	uint32_t target_head; /* the last accepted position of its reader */
	uint32_t target_tail; /* end of the published frames */
};

enum {
	SYC_OVERFLOW_FREE = 0,
	SYC_OVERFLOW_USED,
	SYC_OVERFLOW_LEFT,
};

_Static_assert(sizeof(struct syc_overflow) <= 4096, "one page");

/**
 * Let @ts emit into an overflow, inside an emit that has found no space in the
 * ring.  Returns false if this is impossible, and the caller counts the event.
 *
 * Context: owner, signal-safe.
 */
bool syc_overflow_begin(struct syc_state *ts);

/**
 * Move frames of @o, the overflow of @ts, into the ring.  If the overflow is
 * then empty, and no other emit is in progress, @ts emits into its ring again.
 *
 * Context: owner, inside an emit, signal-safe.
 */
void syc_overflow_move(struct syc_state *ts, struct syc_overflow *o);

static inline unsigned char *syc_overflow_body(struct syc_ring_header *ring)
{
	return (unsigned char *)ring + sysconf(_SC_PAGESIZE);
}

static inline bool syc_overflow_try_lock(struct syc_overflow *o)
{
	return __atomic_exchange_n(&o->lock, 1, __ATOMIC_ACQUIRE) == 0;
}

static inline void syc_overflow_unlock(struct syc_overflow *o)
{
	__atomic_store_n(&o->lock, 0, __ATOMIC_RELEASE);
}

static inline bool syc_overflow_is_empty(const struct syc_overflow *o)
{
	return __atomic_load_n(&o->ring.head, __ATOMIC_RELAXED) ==
	       __atomic_load_n(&o->ring.tail, __ATOMIC_ACQUIRE);
}

static inline struct syc_overflow *syc_overflow_first(void)
{
	return __atomic_load_n(&syc_process->overflows, __ATOMIC_ACQUIRE);
}

static inline uint32_t syc_overflow_phase(const struct syc_overflow *o)
{
	return __atomic_load_n(&o->phase, __ATOMIC_ACQUIRE);
}

/*
 * A handler may fork on top of an emit.  In the child ts->overflow is NULL, and
 * an overflow that the emit has looked up is zeroed.
 */

/** Return whether the recorder has read frames since the last move.  Context:
 * owner. */
static inline bool syc_overflow_has_room(const struct syc_overflow *o)
{
	const struct syc_ring_header *const target =
		__atomic_load_n(&o->target, __ATOMIC_RELAXED);

	return target != NULL &&
	       __atomic_load_n(&target->head, __ATOMIC_RELAXED) !=
	               __atomic_load_n(&o->target_head, __ATOMIC_RELAXED);
}

/** Return whether @o, the overflow of @ts, has no space for a frame of @len
 * bytes, and no frame can move.  Context: owner. */
static inline bool syc_overflow_is_full(const struct syc_overflow *o,
                                        const struct syc_state *ts,
                                        uint32_t len)
{
	return !syc_overflow_has_room(o) &&
	       ts->hot.next + len + SYC_LOSS_RECORD_MAX + SYC_RING_ROOM >
	               o->provided;
}

/** End of the space in @o, the overflow of @ts, in the unit of `pos`.  Context:
 * owner, inside an emit, signal-safe. */
uint32_t syc_overflow_limit(struct syc_state *ts, struct syc_overflow *o);

/**
 * Leave the overflow of @ts, as the thread ends: move the frames, or leave the
 * frames to other threads.  The overflow then owns the thread's ring.
 *
 * Context: owner, or the thread that finishes a dead thread's state;
 * signal-safe.
 */
void syc_overflow_leave(struct syc_state *ts);

/** Move frames of all threads, also of ended threads, at the end of any
 * thread's event.  Context: any-thread, signal-safe. */
void syc_overflow_move_all(void);

/* ------------------------------------------------------ overflow_move.c */

/* Context of the following functions: any-thread, signal-safe, all signals
 * blocked. */

/** Move the frames that fit into the ring.  Returns the number of bytes.  The
 * caller has the lock. */
uint32_t syc_overflow_move_frames(struct syc_overflow *o);

/** Move the ring's tail by @n bytes.  The caller has the lock, or made @o. */
void syc_overflow_publish(struct syc_overflow *o, uint32_t n);

/** Free @o, which is empty and which no thread uses.  The caller has the
 * lock. */
void syc_overflow_make_free(struct syc_overflow *o);

/** Move the frames that fit, of any thread, and finish an empty overflow that
 * its thread has left.  Adds the bytes to *@n_moved.  Returns false if frames
 * remain. */
bool syc_overflow_move_any(struct syc_overflow *o, uint32_t *n_moved);
bool syc_overflow_move_each(uint32_t *n_moved);

/** Move all frames at the end of the process, and wait while the recorder
 * reads.  Count the frames that remain. */
void syc_overflow_end(void);

#endif
