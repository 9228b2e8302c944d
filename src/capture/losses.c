/* SPDX-License-Identifier: BSD-2-Clause */
/* losses.c - sums of losses. */
#include "capture/losses.h"

#include <string.h>

#include "base/frame.h"
#include "base/loss_record.h"
#include "capture/frame.h"

void syc_losses_count_up(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

void syc_losses_add(struct syc_loss *sum, const struct syc_loss *more)
{
	for (unsigned type = 0; type < SYSCAP_FRAME_LAST; type++)
		syc_losses_count_up(&sum->frames[type], more->frames[type]);
	syc_losses_count_up(&sum->total, more->total);
	syc_losses_count_up(&sum->bytes, more->bytes);
}

bool syc_losses_less(const struct syc_loss *all,
                     const struct syc_loss *reported, struct syc_loss *ret_rest)
{
	memset(ret_rest, 0, sizeof(*ret_rest));
	for (unsigned type = 0; type < SYSCAP_FRAME_LAST; type++)
		if (all->frames[type] > reported->frames[type]) {
			ret_rest->frames[type] =
				all->frames[type] - reported->frames[type];
			syc_losses_count_up(&ret_rest->total,
			                    ret_rest->frames[type]);
		}
	if (all->bytes > reported->bytes)
		ret_rest->bytes = all->bytes - reported->bytes;
	return ret_rest->total > 0;
}

bool syc_losses_remainder(const struct syc_ring_losses *all,
                          const struct syc_loss *reported,
                          struct syc_loss *ret_rest)
{
	struct syc_loss now = { .bytes = __atomic_load_n(&all->bytes,
		                                         __ATOMIC_RELAXED) };

	for (unsigned type = 0; type < SYC_LOSS_KINDS; type++)
		now.frames[type] =
			__atomic_load_n(&all->frames[type], __ATOMIC_RELAXED);
	return syc_losses_less(&now, reported, ret_rest);
}

uint16_t syc_losses_compose(void *frame, const struct syc_loss *loss,
                            int32_t pid, int64_t from, int64_t to)
{
	struct syscap_wire_mark *const mark = frame;
	char message[SYC_LOSS_FRAME_MAX - sizeof(*mark)];
	const size_t size =
		syc_loss_record_write(loss, message, sizeof(message)) + 1;

	syc_frame_begin(&mark->frame, SYSCAP_FRAME_MARK, pid, from);
	mark->frame.padding2 = syc_frame_tid_tag(loss->tid);
	syc_loss_record_fill(mark, from, to, message, size);
	return syc_frame_end(&mark->frame, sizeof(*mark) + size);
}

static void add(uint32_t *sum, uint64_t more)
{
	*sum = more > UINT32_MAX - *sum ? UINT32_MAX : *sum + (uint32_t)more;
}

static void extend(struct syc_header_losses *losses, int64_t from, int64_t to)
{
	if (losses->from == 0 || from < losses->from)
		losses->from = from;
	if (to > losses->to)
		losses->to = to;
}

void syc_unwritten_count(struct syc_header_losses *losses, const void *frame)
{
	struct syscap_frame header;
	struct syc_loss lost;
	int64_t to;

	syc_frame_header(frame, SYC_HOST_IS_BIG, &header);
	losses->name = SYC_HEADER_LOSSES_NAME;
	to = header.time;
	if (header.type == SYSCAP_FRAME_MARK &&
	    syc_frame_decode(&header, SYC_HOST_IS_BIG, NULL) == 0 &&
	    syc_losses_read(&header, &lost)) {
		for (unsigned i = 0; i < SYSCAP_FRAME_LAST; i++)
			add(&losses->frames[i], lost.frames[i]);
		syc_losses_count_up(&losses->bytes, lost.bytes);
		if (__builtin_add_overflow(header.time, header.mark.duration,
		                           &to))
			to = INT64_MAX;
	} else if (header.type < SYSCAP_FRAME_LAST) {
		add(&losses->frames[header.type], 1);
		syc_losses_count_up(&losses->bytes, header.len);
	}
	extend(losses, header.time, to);
}
