/* SPDX-License-Identifier: BSD-2-Clause */
/* mark.c - marks that the inline path does not take. */
#include "emit/mark.h"

#include <string.h>

#include "emit/event.h"

SYC_COLD void syc_mark_slow(const struct syscap_mark_site *site, int64_t begin,
                            int64_t duration, const char *message, size_t len,
                            const void *cfa)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);
	const size_t n =
		len <= SYC_MARK_MESSAGE_MAX
			? len
			: syc_text_cut(message, len, SYC_MARK_MESSAGE_MAX);
	volatile uintptr_t token;

	if (st == NULL)
		return;
	const uint32_t frame_size = syc_mark_frame_len(n);
	const struct syc_long_event event = syc_event_begin_long(
		st, &token, frame_size, SYSCAP_FRAME_MARK, begin, cfa);
	if (event.frame == NULL)
		return;
	syc_mark_fill(event.frame, frame_size, site, duration);
	if (n != 0)
		memcpy(event.frame + sizeof(struct syscap_wire_mark), message,
		       n);
	syc_event_end_long(st, &token, event.frame,
	                   (event.tag_word & SYC_IS_OUTERMOST) != 0,
	                   (event.tag_word & ~SYC_IS_OUTERMOST) |
	                           SYSCAP_FRAME_MARK);
}
