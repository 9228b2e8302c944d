/* SPDX-License-Identifier: BSD-2-Clause */
/* mark.c - marks that the inline path does not take. */
#include "emit/mark.h"

#include <string.h>

unsigned char *syc_mark_begin(struct syc_thread *st,
                              const struct syscap_mark_site *site,
                              int64_t begin, int64_t duration, size_t n)
{
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), n);
	unsigned char *const frame =
		syc_reserve(st, len, SYSCAP_FRAME_MARK, begin);

	if (frame == NULL)
		return NULL;
	syc_store_word(frame + SYC_AT(mark, duration), (uint64_t)duration);
	memcpy(frame + SYC_AT(mark, group), site, sizeof(*site));
	syc_store_word(frame + len - 8, 0);
	return frame;
}

SYC_COLD void syc_mark_slow(const struct syscap_mark_site *site, int64_t begin,
                            int64_t duration, const char *message, size_t len,
                            const void *cfa)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);
	const size_t n = syc_text_cut(message, len, SYC_MARK_MESSAGE_MAX);
	volatile uintptr_t token;

	if (st == NULL)
		return;
	const bool outermost = syc_enter_from(st, &token, cfa);
	unsigned char *const frame =
		syc_mark_begin(st, site, begin, duration, n);
	if (frame != NULL) {
		if (n != 0)
			memcpy(frame + sizeof(struct syscap_wire_mark), message,
			       n);
		syc_commit(frame, SYSCAP_FRAME_MARK, st->tid_tag);
	}
	syc_leave(st, &token, outermost);
}
