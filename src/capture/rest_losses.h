/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rest_losses.h - losses that a process which died had not told.
 *
 * A slot's header has two totals of its thread: what was lost, and what loss
 * records told of it.  So has the arena's head of threads that had no slot: of
 * these the thread id is 0.  The second is not exact when the process died at a
 * record: it may say that one was told which was not published, or lack one
 * that the drainer wrote.  The records themselves are, and stay so when a
 * recovery is killed and done again; but they have no more than a thread id,
 * which another thread may have had before.
 *
 *	syc_rest_losses_note(&losses, pid, tid, &totals);	the head; each slot
 *	syc_rest_losses_count(&losses, frames, n);	all frames there are
 *	syc_rest_losses_compose(&losses, i, frame);	for each of by_tid
 *
 * Context of all: offline.
 */
#ifndef SYC_CAPTURE_REST_LOSSES_H
#define SYC_CAPTURE_REST_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/losses.h"
#include "data/array.h"
#include "ring/ring.h"

/** Of one thread id, over all slots that have it. */
struct syc_rest_loss {
	int32_t pid, tid;
	int64_t from, to;
	struct syc_loss lost, told; /* as the slots say */
	struct syc_loss recorded;   /* as the records say */
};

struct syc_rest_losses {
	SYC_ARRAY(struct syc_rest_loss) by_tid;
};

/** What a header says. */
struct syc_rest_totals {
	const struct syc_ring_losses *lost, *told;
	int64_t since; /* when it was begun */
};

/** Note what a header says that @tid of @pid lost.  False: no memory. */
bool syc_rest_losses_note(struct syc_rest_losses *losses, int32_t pid,
                          int32_t tid, const struct syc_rest_totals *totals);

/** Add up the loss records among the frames in @n @bytes. */
void syc_rest_losses_count(struct syc_rest_losses *losses,
                           const unsigned char *bytes, uint64_t n);

/**
 * A record of what no record tells of thread @i, at @frame, as
 * syc_losses_compose() has it.  Returns its length; 0: all is told.
 */
uint16_t syc_rest_losses_compose(const struct syc_rest_losses *losses, size_t i,
                                 void *frame);

void syc_rest_losses_fini(struct syc_rest_losses *losses);

#endif
