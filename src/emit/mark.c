/* SPDX-License-Identifier: BSD-2-Clause */
/* mark.c - marks that the inline path does not take. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/event.h"
#include "emit/printf.h"

#define MESSAGE_MAX (SYSCAP_FRAME_MAX - sizeof(struct syscap_wire_mark) - 1)

static inline uint32_t frame_len(size_t n)
{
	return syc_text_frame_len(sizeof(struct syscap_wire_mark), n);
}

SYC_COLD void syc_mark_slow(const struct syscap_mark_site *site, int64_t begin,
                            int64_t duration, const char *message, size_t len,
                            const void *cfa)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);
	const size_t n = syc_text_cut(message, len, MESSAGE_MAX);
	volatile uintptr_t token;

	if (st == NULL)
		return;
	const uint32_t frame_size = frame_len(n);
	const struct syc_event event = syc_event_begin_long(
		st, &token, frame_size, SYSCAP_FRAME_MARK, begin, cfa);
	if (event.frame == NULL)
		return;
	syc_mark_fill(event.frame, frame_size, site, duration);
	if (n != 0)
		memcpy(event.frame + sizeof(struct syscap_wire_mark), message,
		       n);
	syc_event_end_long(st, &token, event.frame, event.is_outermost,
	                   event.tag_word | SYSCAP_FRAME_MARK);
}

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
	if (SYC_UNLIKELY(n > MESSAGE_MAX))
		n = syc_text_cut(message, n, MESSAGE_MAX);
	const uint32_t len = frame_len(n);
	if (!syc_event_begin(&event, st, &token, len, SYSCAP_FRAME_MARK, begin))
		return;
	struct syscap_wire_mark *const mark = (void *)event.frame;
	mark->duration = duration;
	syc_text_put(mark->group, sizeof(mark->group), group);
	syc_text_put(mark->name, sizeof(mark->name), name);
	syc_store_word(event.frame + len - 8, 0);
	syc_text_copy(mark + 1, message, n);
	syc_event_end(&event, st, &token, event.tag_word | SYSCAP_FRAME_MARK);
}

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
	syc_text_put(site.group, sizeof(site.group), group);
	syc_text_put(site.name, sizeof(site.name), name);
	syc_printf_begin(&text, MESSAGE_MAX, format, args);
	const uint32_t len = frame_len(text.len);
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
