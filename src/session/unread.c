/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unread.c - count of frames in our rings that will not be in the capture.
 *
 * An event that read syc_active before a stop may take its first step after the
 * stop.  Such a thread does not notice that its ring is no longer read; its
 * next event, or its end, calls this file.
 */
#include "session/unread.h"

#include <string.h>
#include <unistd.h>

#include <syscap/format.h>

#include "emit/loss.h"
#include "emit/loss_totals.h"

/* Count the frame at @at.  True: the frame is no loss record, and was counted
 * itself. */
static bool lose_frame(const unsigned char *body, uint32_t size, uint32_t at,
                       uint16_t len, bool only_records,
                       struct syc_ring_losses *lost)
{
	unsigned char record[SYC_LOSS_RECORD_MAX] __attribute__((aligned(8)));
	const uint8_t type = body[(at + SYC_AT(frame, type)) % size];
	int64_t time;

	memcpy(&time, body + (at + SYC_AT(frame, time)) % size, sizeof(time));
	if (len <= sizeof(record)) {
		const uint32_t first = len < size - at ? len : size - at;

		memcpy(record, body + at, first);
		memcpy(record + first, body, len - first);
		if (syc_loss_take_back(record, len, time, lost))
			return false;
	}
	if (only_records)
		return false;
	syc_loss_totals_add(lost,
	                    type < SYC_LOSS_KINDS ? type : SYC_LOSS_ABANDONED,
	                    len, time);
	return true;
}

uint64_t syc_unread_sum(const unsigned char *body, uint32_t size, uint32_t from,
                        uint32_t to, bool only_records,
                        struct syc_ring_losses *lost)
{
	uint64_t n_frames = 0;
	uint32_t left = size;

	/* The memory is our own, but a program may overwrite it */
	while (from != to && from < size && to < size && from % 8 == 0) {
		uint16_t len;

		memcpy(&len, body + from, sizeof(len));
		if (len < SYC_HEAD_SIZE || len % 8 != 0 || len > left)
			break;
		left -= len;
		n_frames +=
			lose_frame(body, size, from, len, only_records, lost);
		from = (from + len) % size;
	}
	return n_frames;
}

void syc_unread_lose(const unsigned char *body, uint32_t size, uint32_t from,
                     uint32_t to, bool only_records,
                     const struct syc_ring_losses *also)
{
	struct syc_ring_losses lost = { .bytes = 0 };

	if (also != NULL)
		lost = *also;
	const uint64_t n_frames =
		syc_unread_sum(body, size, from, to, only_records, &lost);
	syc_loss_add_stray(&lost, n_frames);
}

/*
 * The capture has the losses that were reported at the session's end (late),
 * and the losses of the thread's loss records that were read.  Losses of unread
 * records are added again.
 */
void syc_unread_count(struct syc_state *ts)
{
	const struct syc_ring_header *const ring = ts->ring;
	struct syc_ring_losses untold = ts->lost;

	syc_loss_totals_subtract(&untold, &ts->told[ts->bank & 1]);
	syc_loss_totals_subtract(&untold, &ring->late);
	syc_unread_lose(
		(const unsigned char *)ring + sysconf(_SC_PAGESIZE),
		ts->hot.size, __atomic_load_n(&ring->head, __ATOMIC_RELAXED),
		__atomic_load_n(&ring->tail, __ATOMIC_RELAXED), false, &untold);
}
