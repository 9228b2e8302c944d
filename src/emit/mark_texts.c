/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_texts.c - marks whose texts are arguments of the call. */
#define _GNU_SOURCE
#include <string.h>

#include "emit/event.h"

void syscap_mark(const char *group, const char *name, int64_t begin,
                 int64_t duration, const char *message)
{
	volatile uintptr_t token;
	struct syc_event event;

	if (!syscap_is_active())
		return;
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);
	if (st == NULL)
		return;
	size_t n = message != NULL ? strlen(message) : 0;
	const size_t n_group = group != NULL ? strlen(group) : 0;
	const size_t n_name = name != NULL ? strlen(name) : 0;
	if (SYC_UNLIKELY(n > SYC_MARK_MESSAGE_MAX))
		n = syc_text_cut(message, n, SYC_MARK_MESSAGE_MAX);
	const uint32_t len = syc_mark_frame_len(n);
	if (!syc_event_begin(&event, st, &token, len, SYSCAP_FRAME_MARK, begin))
		return;
	struct syscap_wire_mark *const mark = (void *)event.frame;
	mark->duration = duration;
	syc_text_put_known(mark->group, sizeof(mark->group), group, n_group);
	syc_text_put_known(mark->name, sizeof(mark->name), name, n_name);
	syc_store_word(event.frame + len - 8, 0);
	syc_text_copy(mark + 1, message, n);
	syc_event_end(&event, st, &token,
	              event.tag_word |
	                      SYC_WORD(frame, type, SYSCAP_FRAME_MARK));
}
