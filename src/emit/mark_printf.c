/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_printf.c - marks with a message in printf's form. */
#define _GNU_SOURCE
#include "emit/event.h"
#include "emit/mark.h"
#include "emit/printf.h"

void syscap_mark_vprintf(const char *group, const char *name, int64_t begin,
                         int64_t duration, const char *format, va_list args)
{
	struct syscap_mark_site site;
	struct syc_printf text;
	volatile uintptr_t token;
	struct syc_event event;

	if (!syscap_is_active())
		return;
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);
	if (st == NULL)
		return;
	syc_mark_fill_site(&site, group, name);
	syc_printf_begin(&text, SYC_MARK_MESSAGE_MAX, format, args);
	const uint32_t len = syc_mark_frame_len(text.len);
	if (!syc_event_begin(&event, st, &token, len, SYSCAP_FRAME_MARK, begin))
		return;
	syc_mark_fill(event.frame, len, &site, duration);
	syc_printf_finish(&text,
	                  (char *)event.frame + sizeof(struct syscap_wire_mark),
	                  format, args);
	syc_event_end(&event, st, &token, event.tag_word | SYSCAP_FRAME_MARK);
}

void syscap_mark_printf(const char *group, const char *name, int64_t begin,
                        int64_t duration, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	syscap_mark_vprintf(group, name, begin, duration, format, args);
	va_end(args);
}
