/* SPDX-License-Identifier: BSD-2-Clause */
/* rest_losses.c - losses that a process which died had not told. */
#define _GNU_SOURCE
#include "capture/rest_losses.h"

#include <stdlib.h>

#include "capture/frame.h"

static struct syc_rest_loss *find_thread(const struct syc_rest_losses *losses,
                                         int32_t pid, int32_t tid)
{
	for (size_t i = 0; i < losses->by_tid.n; i++)
		if (losses->by_tid.items[i].pid == pid &&
		    losses->by_tid.items[i].tid == tid)
			return &losses->by_tid.items[i];
	return NULL;
}

static struct syc_rest_loss *find_or_add(struct syc_rest_losses *losses,
                                         int32_t pid, int32_t tid)
{
	struct syc_rest_loss *const found = find_thread(losses, pid, tid);
	const struct syc_rest_loss fresh = { .pid = pid, .tid = tid };

	if (found != NULL)
		return found;
	if (syc_array_push(&losses->by_tid, fresh) < 0)
		return NULL;
	return &losses->by_tid.items[losses->by_tid.n - 1];
}

bool syc_rest_losses_note(struct syc_rest_losses *losses, int32_t pid,
                          int32_t tid, const struct syc_rest_totals *totals)
{
	const struct syc_loss nothing = { .total = 0 };
	struct syc_loss lost, told;

	if (!syc_losses_remainder(totals->lost, &nothing, &lost))
		return true;
	(void)syc_losses_remainder(totals->told, &nothing, &told);
	struct syc_rest_loss *const loss = find_or_add(losses, pid, tid);
	if (loss == NULL)
		return false;
	syc_losses_add(&loss->lost, &lost);
	syc_losses_add(&loss->told, &told);
	const int64_t from =
		totals->lost->from != 0 ? totals->lost->from : totals->since;
	if (loss->from == 0 || from < loss->from)
		loss->from = from;
	if (totals->lost->to > loss->to)
		loss->to = totals->lost->to;
	return true;
}

void syc_rest_losses_count(struct syc_rest_losses *losses,
                           const unsigned char *bytes, uint64_t n)
{
	struct syscap_frame frame;
	struct syc_rest_loss *of;
	struct syc_loss one;

	for (uint64_t at = 0; n - at >= sizeof(struct syscap_wire_frame);) {
		syc_frame_header(bytes + at, false, &frame);
		if (frame.len < sizeof(struct syscap_wire_frame) ||
		    frame.len % 8 != 0 || frame.len > n - at)
			return;
		at += frame.len;
		if (frame.type == SYSCAP_FRAME_MARK &&
		    syc_frame_decode(&frame, false, NULL) == 0 &&
		    syc_loss_record_is(frame.mark.group, frame.mark.name) &&
		    syc_loss_record_parse(frame.mark.message, &one) &&
		    (of = find_thread(losses, frame.pid, one.tid)) != NULL)
			syc_losses_add(&of->recorded, &one);
	}
}

/* More in records than was lost: some are of who had the id before.  Of threads
 * without a slot, who drained before may have told in a capture of its own. */
static const struct syc_loss *told_of(const struct syc_rest_loss *loss)
{
	const bool is_told_elsewhere =
		loss->tid == 0 && loss->recorded.total < loss->told.total;

	return loss->recorded.total > loss->lost.total || is_told_elsewhere
	               ? &loss->told
	               : &loss->recorded;
}

uint16_t syc_rest_losses_compose(const struct syc_rest_losses *losses, size_t i,
                                 void *frame)
{
	const struct syc_rest_loss *const loss = &losses->by_tid.items[i];
	struct syc_loss untold;

	if (!syc_losses_less(&loss->lost, told_of(loss), &untold))
		return 0;
	untold.tid = loss->tid;
	return syc_losses_compose(frame, &untold, loss->pid, loss->from,
	                          loss->to);
}

void syc_rest_losses_fini(struct syc_rest_losses *losses)
{
	free(losses->by_tid.items);
	*losses = (struct syc_rest_losses){ 0 };
}
