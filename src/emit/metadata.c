/* SPDX-License-Identifier: BSD-2-Clause */
/* metadata.c - METADATA frames. */
#define _GNU_SOURCE
#include "emit/metadata_frame.h"

#define METADATA_MAX \
	(SYSCAP_FRAME_MAX - sizeof(struct syscap_wire_metadata) - 1)

void syscap_metadata(const char *id, const char *value)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_METADATA);
	volatile uintptr_t token;

	if (!syscap_is_active() || st == NULL)
		return;
	if (value == NULL)
		value = "";
	const size_t n = syc_text_cut(value, strnlen(value, METADATA_MAX + 1),
	                              METADATA_MAX);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_metadata), n);
	const int64_t now = syc_clock(st);
	const bool outermost = syc_enter(st, &token);
	unsigned char *const frame =
		syc_reserve(st, len, SYSCAP_FRAME_METADATA, now);
	if (frame != NULL) {
		syc_metadata_fill(frame, len, id, value, n);
		syc_commit(frame, SYSCAP_FRAME_METADATA, st->tid_tag);
	}
	syc_leave(st, &token, outermost);
}
