/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_printf.c - marks with a message in printf's form. */
#define _GNU_SOURCE
#include <string.h>

#include "emit/mark.h"
#include "emit/printf.h"

void syscap_mark_vprintf(const char *group, const char *name, int64_t begin,
                         int64_t duration, const char *format, va_list args)
{
	struct syscap_mark_site site;
	struct syc_printf text;
	volatile uintptr_t token;

	if (!syscap_is_active())
		return;
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);
	if (st == NULL)
		return;
	syc_mark_fill_site(&site, group, name);
	syc_printf_begin(&text, SYC_MARK_MESSAGE_MAX, format, args);
	struct syc_place place;
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), text.len);
	if (SYC_LIKELY(syc_begin(st, &token, len, &place))) {
		syc_store_head(place.frame, begin,
		               place.tag_word | SYSCAP_FRAME_MARK);
		syc_store_word(place.frame + SYC_AT(mark, duration),
		               (uint64_t)duration);
		memcpy(place.frame + SYC_AT(mark, group), &site, sizeof(site));
		syc_store_word(place.frame + len - 8, 0);
		syc_printf_finish(&text,
		                  (char *)place.frame +
		                          sizeof(struct syscap_wire_mark),
		                  format, args);
		syc_end(st, &token, &place);
		return;
	}
	const bool outermost = syc_enter(st, &token);
	unsigned char *const frame =
		syc_mark_begin(st, &site, begin, duration, text.len);
	if (frame != NULL) {
		syc_printf_finish(
			&text, (char *)frame + sizeof(struct syscap_wire_mark),
			format, args);
		syc_commit(frame, SYSCAP_FRAME_MARK, st->tid_tag);
	}
	syc_leave(st, &token, outermost);
}

void syscap_mark_printf(const char *group, const char *name, int64_t begin,
                        int64_t duration, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	syscap_mark_vprintf(group, name, begin, duration, format, args);
	va_end(args);
}
