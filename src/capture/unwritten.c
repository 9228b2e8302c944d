/* SPDX-License-Identifier: BSD-2-Clause */
/* unwritten.c - counts frames that a writer could not write. */
#include "capture/unwritten.h"

#include "base/loss_record.h"
#include "capture/frame.h"
#include "capture/losses.h"

static void add(uint32_t *sum, uint64_t more)
{
	*sum = more > UINT32_MAX - *sum ? UINT32_MAX : *sum + (uint32_t)more;
}

/* What is lost with it, if it is a loss record. */
static bool read_record(struct syscap_frame *frame, struct syc_loss *ret_loss)
{
	return frame->type == SYSCAP_FRAME_MARK &&
	       syc_frame_decode(frame, false, NULL) == 0 &&
	       syc_loss_record_is(frame->mark.group, frame->mark.name) &&
	       syc_loss_record_parse(frame->mark.message, ret_loss);
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

	syc_frame_header(frame, false, &header);
	losses->name = SYC_HEADER_LOSSES_NAME;
	to = header.time;
	if (read_record(&header, &lost)) {
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
