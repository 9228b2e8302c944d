/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena_head.h - what a process and its forked children share of an arena
 * besides the rings: whose each slot is, and who drains them.
 *
 * One of them drains all slots, and is told when a ring fills up by a futex
 * here.  Everything may be overwritten by any of them: nobody uses a word of
 * this as an offset, or to find something.  What an emitter or a drainer has to
 * rely on (where the slots are, how large, how far each has been read) it keeps
 * in memory of its own.
 */
#ifndef SYC_RING_ARENA_HEAD_H
#define SYC_RING_ARENA_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/ring.h"

/**
 * What becomes of a slot, in its word, with the pid of whose it is.  Its owner
 * takes it from FREE to BUSY, LIVE and ENDED; the drainer back to FREE, from
 * ENDED, or when the owner's process is gone, by compare-exchange.  Which is
 * first, the thread that leaves or the drainer that has seen the last of it that
 * will be in the capture, the ring's `outcome` decides.
 */
enum {
	SYC_SLOT_FREE = 0, /* head == tail, nothing untold; no pid */
	SYC_SLOT_BUSY,     /* claimed, the client block is being written */
	SYC_SLOT_LIVE,
	SYC_SLOT_ENDED, /* its thread is done: what is left is to be read */
	SYC_SLOT_OVER,  /* its reader is done: what else is in it the thread
	                 * counts, when it leaves */
};

static inline uint32_t syc_slot_word(int32_t pid, uint32_t state)
{
	return (uint32_t)pid << 8 | state;
}

static inline uint32_t syc_slot_state(uint32_t word)
{
	return word & 0xFF;
}

static inline int32_t syc_slot_pid(uint32_t word)
{
	return (int32_t)(word >> 8);
}

/**
 * Who drains, in a word with its pid.  Only that process goes from one to the
 * next; another takes its place by a compare-exchange, from CLOSED, or when the
 * process is gone: to CLOSING with its own pid, and to DRAINED once it can.
 *
 * That nothing falls between two drainers, all of these sequentially
 * consistent:
 *
 * - A guest claims a slot (BUSY), then looks here, and puts frames into it only
 *   where it finds DRAINED.  A drainer stores CLOSING, then looks at the words.
 *   So frames are in no slot that a drainer has not seen before its end; and
 *   a guest that finds no DRAINED gives the slot back as it was.
 * - A drainer that ends looks which of its relatives live, then reads all slots
 *   to their end, then looks at the words.  A slot is done if its process was
 *   gone before it was read.  If there is another, the rings stay for it; else
 *   they go, and no frame or loss is left in them.
 * - A guest that exits while somebody is CLOSING waits for CLOSED, and takes
 *   over: its last frames may have come behind the last reading.
 * - A loss without a slot goes into `lost` between a step of `counting` up and
 *   one down, and only where DRAINED is found in between.  A drainer that is
 *   CLOSING waits a little for 0 before it reads `lost` for the last time.
 */
enum {
	SYC_ARENA_DRAINED = 1,
	SYC_ARENA_CLOSING, /* slots are not given any more, or not yet */
	SYC_ARENA_CLOSED,  /* nobody drains any more */
};

struct syc_arena_head {
	uint32_t drainer; /* pid and SYC_ARENA_* */
	uint32_t wakes;   /* futex: counts what the drainer should wake for */
	uint32_t asks;    /* 1: one of those is a ring that fills up */
	uint32_t n_used; /* slots from here on were never claimed; grows only */
	/* By threads that have no slot, of any of the processes; and what of it
	 * the drainer has told */
	struct syc_ring_losses lost;
	struct syc_ring_losses told;
	uint32_t counting; /* threads that are about to add to `lost` */
};

#endif
