/* SPDX-License-Identifier: BSD-2-Clause */
/* loss_take_back.c - loss records that do not reach the capture. */
#include <string.h>

#include "base/loss_record.h"
#include "emit/loss.h"
#include "emit/loss_totals.h"

bool syc_loss_take_back(const unsigned char *frame, uint32_t len, int64_t time,
                        struct syc_ring_losses *to)
{
	const struct syscap_wire_mark *const mark = (const void *)frame;
	char message[SYC_LOSS_RECORD_MAX - sizeof(*mark) + 1];
	struct syc_loss loss;

	if (len <= sizeof(*mark) || len > SYC_LOSS_RECORD_MAX ||
	    mark->frame.type != SYSCAP_FRAME_MARK ||
	    !syc_loss_record_is(mark->group, mark->name))
		return false;
	memcpy(message, mark + 1, len - sizeof(*mark));
	message[len - sizeof(*mark)] = '\0';
	if (!syc_loss_record_parse(message, &loss))
		return false;
	syc_loss_totals_extend(to, time);
	to->bytes += loss.bytes;
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		to->frames[i] += loss.frames[i];
	return true;
}
