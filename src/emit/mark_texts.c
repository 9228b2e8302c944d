/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_texts.c - marks whose texts are given at the call. */
#include <string.h>

#include "emit/mark.h"

void syscap_mark(const char *group, const char *name, int64_t begin,
                 int64_t duration, const char *message)
{
	volatile uintptr_t token;
	struct syc_place place;

	if (!syscap_is_active())
		return;
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);
	if (st == NULL)
		return;
	const size_t n = message != NULL ? strlen(message) : 0;
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), n);
	if (SYC_UNLIKELY(n > SYC_INLINE_MESSAGE ||
	                 !syc_begin(st, &token, len, &place))) {
		struct syscap_mark_site site;

		syc_mark_fill_site(&site, group, name);
		syc_mark_slow(&site, begin, duration, message, n,
		              __builtin_dwarf_cfa());
		return;
	}
	struct syscap_wire_mark *const mark = (void *)place.frame;
	syc_store_head(place.frame, begin, place.tag_word | SYSCAP_FRAME_MARK);
	mark->duration = duration;
	syc_text_put(mark->group, sizeof(mark->group), group);
	syc_text_put(mark->name, sizeof(mark->name), name);
	syc_store_word(place.frame + len - 8, 0);
	syc_text_copy(mark + 1, message, n);
	syc_end(st, &token, &place);
}
