/* SPDX-License-Identifier: BSD-2-Clause */
/* metadata.c - METADATA frames of the program. */
#define _GNU_SOURCE
#include "emit/event.h"

#define METADATA_MAX \
	(SYSCAP_FRAME_MAX - sizeof(struct syscap_wire_metadata) - 1)

void syscap_metadata(const char *id, const char *value)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_METADATA);
	volatile uintptr_t token;
	struct syc_event event;

	if (!syscap_is_active() || st == NULL)
		return;
	if (value == NULL)
		value = "";
	const size_t n = syc_text_cut(value, strnlen(value, METADATA_MAX + 1),
	                              METADATA_MAX);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_metadata), n);
	if (!syc_event_begin(&event, st, &token, len, SYSCAP_FRAME_METADATA,
	                     syc_clock(st)))
		return;
	syc_metadata_fill(event.frame, len, id, value, n);
	syc_event_end(&event, st, &token,
	              event.tag_word |
	                      SYC_WORD(frame, type, SYSCAP_FRAME_METADATA));
}
