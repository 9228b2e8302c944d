/* SPDX-License-Identifier: BSD-2-Clause */
/* loss_record.c - writer of loss records. */
#include "base/loss_record.h"

#include <string.h>

#include "base/frame.h"
#include "base/text.h"

const char *syc_loss_record_kind(unsigned type)
{
	return type == 0 ? "abandoned" : syc_frame_name(type);
}

size_t syc_loss_record_write(const struct syc_loss *loss, char *message,
                             size_t size)
{
	struct syc_text text = syc_text_begin(message, size);

	syc_text_add(&text, "frames=");
	syc_text_add_u64(&text, loss->total);
	syc_text_add(&text, " bytes=");
	syc_text_add_u64(&text, loss->bytes);
	syc_text_add(&text, " tid=");
	syc_text_add_i64(&text, loss->tid);
	for (unsigned type = 0; type < SYSCAP_FRAME_LAST; type++) {
		if (loss->frames[type] == 0)
			continue;
		syc_text_add(&text, " ");
		syc_text_add(&text, syc_loss_record_kind(type));
		syc_text_add(&text, "=");
		syc_text_add_u64(&text, loss->frames[type]);
	}
	return (size_t)(text.at - message);
}

void syc_loss_record_fill(struct syscap_wire_mark *mark, int64_t from,
                          int64_t to, const char *message, size_t n)
{
	mark->duration = 0;
	if (to > from && __builtin_sub_overflow(to, from, &mark->duration))
		mark->duration = INT64_MAX;
	syc_text_field(mark->group, sizeof(mark->group), SYC_LOSS_RECORD_GROUP);
	syc_text_field(mark->name, sizeof(mark->name), SYC_LOSS_RECORD_NAME);
	memcpy(mark + 1, message, n);
}
