/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rest_losses.h - losses that a process which died had not told.
 *
 * A slot's header has two totals of its thread: what was lost, and what loss
 * records told of it.  The second is not exact when the process died at a
 * record: it may say that one was told which was not published, or lack one
 * that the drainer wrote.  The records themselves are, and stay so when a
 * recovery is killed and done again; but they have no more than a thread id,
 * which another thread may have had before.
 *
 *	sc_rest_losses_note(&losses, slot);		the header of each slot
 *	sc_rest_losses_count(&losses, pid, frames, n);	all frames there are
 *	sc_rest_losses_compose(&losses, i, pid, frame);	for each of by_tid
 *
 * Context of all: offline.
 */
#ifndef SC_CAPTURE_REST_LOSSES_H
#define SC_CAPTURE_REST_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/losses.h"
#include "data/array.h"
#include "ring/ring.h"

/** Of one thread id, over all slots that have it. */
struct sc_rest_loss {
	int32_t tid;
	int64_t from, to;
	struct sc_loss lost, told; /* as the slots say */
	struct sc_loss recorded;   /* as the records say */
};

struct sc_rest_losses {
	SC_ARRAY(struct sc_rest_loss) by_tid;
};

/** Note what @ring, a slot's header, says was lost.  False: no memory. */
bool sc_rest_losses_note(struct sc_rest_losses *losses,
                         const struct sc_ring_header *ring);

/** Add up @pid's loss records among the frames in @n @bytes. */
void sc_rest_losses_count(struct sc_rest_losses *losses, int32_t pid,
                          const unsigned char *bytes, uint64_t n);

/**
 * A record of what no record tells of thread @i, at @frame, as
 * sc_losses_compose() has it.  Returns its length; 0: all is told.
 */
uint16_t sc_rest_losses_compose(const struct sc_rest_losses *losses, size_t i,
                                int32_t pid, void *frame);

void sc_rest_losses_fini(struct sc_rest_losses *losses);

#endif
