/* SPDX-License-Identifier: BSD-2-Clause */
/* mark.c - marks that the inline path does not take. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/printf.h"

#define MESSAGE_MAX (SYSCAP_FRAME_MAX - sizeof(struct syscap_wire_mark) - 1)

/* Everything of a mark but its message; room for which is zeroed at the end. */
static unsigned char *begin_mark(struct syc_thread *st,
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
	const size_t n = syc_text_cut(message, len, MESSAGE_MAX);
	volatile uintptr_t token;

	if (st == NULL)
		return;
	const bool outermost = syc_enter_from(st, &token, cfa);
	unsigned char *const frame = begin_mark(st, site, begin, duration, n);
	if (frame != NULL) {
		if (n != 0)
			memcpy(frame + sizeof(struct syscap_wire_mark), message,
			       n);
		syc_commit(frame, SYSCAP_FRAME_MARK, st->tid_tag);
	}
	syc_leave(st, &token, outermost);
}

static void fill_site(struct syscap_mark_site *site, const char *group,
                      const char *name)
{
	syc_text_put(site->group, sizeof(site->group), group);
	syc_text_put(site->name, sizeof(site->name), name);
}

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

		fill_site(&site, group, name);
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
	fill_site(&site, group, name);
	syc_printf_begin(&text, MESSAGE_MAX, format, args);
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
		begin_mark(st, &site, begin, duration, text.len);
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
