/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rest_losses.c - losses that a process which died had not told.
 *
 * A slot's header has two totals of its thread: what was lost, and what loss
 * records told of it.  The second is not exact when the process died at a
 * record: it may say that one was told which was not published, or lack one
 * that the drainer wrote.  The records themselves are, and stay so when a
 * recovery is killed and done again; but they have no more than a thread id,
 * which another thread may have had before.
 */
#define _GNU_SOURCE
#include "capture/rest.h"

#include <stdlib.h>
#include <string.h>

#include "capture/frame.h"
#include "capture/losses.h"

#define HEADER_SIZE 256u

/* Of one thread id, over all slots that have it. */
struct sc_rest_loss {
	int32_t tid;
	int64_t from, to;
	struct sc_loss lost, told; /* as the slots say */
	struct sc_loss recorded;   /* as the records say */
};

static struct sc_rest_loss *find_thread(const struct sc_rest *rest, int32_t tid)
{
	for (uint32_t i = 0; i < rest->n_losses; i++)
		if (rest->losses[i].tid == tid)
			return &rest->losses[i];
	return NULL;
}

static struct sc_rest_loss *find_or_add(struct sc_rest *rest, int32_t tid)
{
	struct sc_rest_loss *more = find_thread(rest, tid);

	if (more != NULL)
		return more;
	more = realloc(rest->losses, (rest->n_losses + 1) * sizeof(*more));
	if (more == NULL)
		return NULL;
	rest->losses = more;
	more += rest->n_losses++;
	memset(more, 0, sizeof(*more));
	more->tid = tid;
	return more;
}

bool sc_rest_losses_note(struct sc_rest *rest,
                         const struct sc_ring_header *ring)
{
	const struct sc_loss nothing = { .total = 0 };
	struct sc_loss lost, told;

	if ((ring->slot_state != SC_SLOT_LIVE &&
	     ring->slot_state != SC_SLOT_ENDED) ||
	    !sc_losses_remainder(&ring->lost, &nothing, &lost))
		return true;
	(void)sc_losses_remainder(&ring->told, &nothing, &told);
	struct sc_rest_loss *const loss = find_or_add(rest, ring->tid);
	if (loss == NULL)
		return false;
	sc_losses_add(&loss->lost, &lost);
	sc_losses_add(&loss->told, &told);
	const int64_t from =
		ring->lost.from != 0 ? ring->lost.from : ring->since;
	if (loss->from == 0 || from < loss->from)
		loss->from = from;
	if (ring->lost.to > loss->to)
		loss->to = ring->lost.to;
	return true;
}

/* Add up the loss records among the frames in @bytes. */
static void sum_records(struct sc_rest *rest, const unsigned char *bytes,
                        uint64_t n)
{
	struct syscap_frame frame;
	struct sc_rest_loss *of;
	struct sc_loss one;

	for (uint64_t at = 0; n - at >= sizeof(struct syscap_wire_frame);) {
		sc_frame_header(bytes + at, false, &frame);
		if (frame.len < sizeof(struct syscap_wire_frame) ||
		    frame.len % 8 != 0 || frame.len > n - at)
			return;
		at += frame.len;
		if (frame.type == SYSCAP_FRAME_MARK &&
		    frame.pid == rest->facts.pid &&
		    sc_frame_decode(&frame, false, NULL) == 0 &&
		    sc_loss_record_is(frame.mark.group, frame.mark.name) &&
		    sc_loss_record_parse(frame.mark.message, &one) &&
		    (of = find_thread(rest, one.tid)) != NULL)
			sc_losses_add(&of->recorded, &one);
	}
}

/* More in records than was lost: some are of who had the id before. */
static const struct sc_loss *told_of(const struct sc_rest_loss *loss)
{
	return loss->recorded.total > loss->lost.total ? &loss->told
	                                               : &loss->recorded;
}

bool sc_rest_losses_add(struct sc_rest *rest, const unsigned char *capture)
{
	_Alignas(8) unsigned char frame[SC_LOSS_FRAME_MAX];

	if (rest->n_losses == 0)
		return true;
	if (rest->capture_size > HEADER_SIZE)
		sum_records(rest, capture + HEADER_SIZE,
		            rest->capture_size - HEADER_SIZE);
	sum_records(rest, rest->bytes, rest->n_bytes);
	for (uint32_t i = 0; i < rest->n_losses; i++) {
		const struct sc_rest_loss *const loss = &rest->losses[i];
		struct sc_loss untold;

		if (!sc_losses_less(&loss->lost, told_of(loss), &untold))
			continue;
		untold.tid = loss->tid;
		const uint16_t len = sc_losses_compose(
			frame, &untold, rest->facts.pid, loss->from, loss->to);
		if (!sc_rest_reserve(rest, len))
			return false;
		memcpy(rest->bytes + rest->n_bytes, frame, len);
		rest->n_bytes += len;
		rest->n_frames++;
		rest->n_told++;
	}
	return true;
}

void sc_rest_losses_forget(struct sc_rest *rest)
{
	free(rest->losses);
	rest->losses = NULL;
	rest->n_losses = 0;
}
