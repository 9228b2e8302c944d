/* SPDX-License-Identifier: BSD-2-Clause */
/* log.c - LOG frames. */
#define _GNU_SOURCE
#include <string.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/printf.h"

#define MESSAGE_MAX (SYSCAP_FRAME_MAX - sizeof(struct syscap_wire_log) - 1)

static unsigned char *begin_log(struct syc_thread *st, unsigned severity,
                                const char *domain, int64_t now, size_t n)
{
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_log), n);
	unsigned char *const frame =
		syc_reserve(st, len, SYSCAP_FRAME_LOG, now);

	if (frame == NULL)
		return NULL;
	struct syscap_wire_log *const log = (void *)frame;
	syc_store_word(frame + SYC_AT(log, severity), (uint16_t)severity);
	syc_text_put(log->domain, sizeof(log->domain), domain);
	syc_store_word(frame + len - 8, 0);
	return frame;
}

void syscap_log(unsigned severity, const char *domain, const char *message)
{
	volatile uintptr_t token;

	if (!syscap_is_active())
		return;
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_LOG);
	if (st == NULL)
		return;
	size_t n = message != NULL ? strlen(message) : 0;
	if (SYC_UNLIKELY(n > MESSAGE_MAX))
		n = syc_text_cut(message, n, MESSAGE_MAX);
	const int64_t now = syc_clock(st);
	struct syc_place place;
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_log), n);
	if (SYC_LIKELY(syc_begin(st, &token, len, &place))) {
		unsigned char *const frame = place.frame;
		struct syscap_wire_log *const log = (void *)frame;

		syc_store_head(frame, now, place.tag_word | SYSCAP_FRAME_LOG);
		syc_store_word(frame + SYC_AT(log, severity),
		               (uint16_t)severity);
		syc_text_put(log->domain, sizeof(log->domain), domain);
		syc_store_word(frame + len - 8, 0);
		syc_text_copy(log + 1, message, n);
		syc_end(st, &token, &place);
		return;
	}
	const bool outermost = syc_enter(st, &token);
	unsigned char *const frame = begin_log(st, severity, domain, now, n);
	if (frame != NULL) {
		if (n != 0)
			memcpy(frame + sizeof(struct syscap_wire_log), message,
			       n);
		syc_commit(frame, SYSCAP_FRAME_LOG, st->tid_tag);
	}
	syc_leave(st, &token, outermost);
}

void syscap_log_vprintf(unsigned severity, const char *domain,
                        const char *format, va_list args)
{
	struct syc_printf text;
	volatile uintptr_t token;

	if (!syscap_is_active())
		return;
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_LOG);
	if (st == NULL)
		return;
	const int64_t now = syc_clock(st);
	syc_printf_begin(&text, MESSAGE_MAX, format, args);
	const bool outermost = syc_enter(st, &token);
	unsigned char *const frame =
		begin_log(st, severity, domain, now, text.len);
	if (frame != NULL) {
		syc_printf_finish(
			&text, (char *)frame + sizeof(struct syscap_wire_log),
			format, args);
		syc_commit(frame, SYSCAP_FRAME_LOG, st->tid_tag);
	}
	syc_leave(st, &token, outermost);
}

void syscap_log_printf(unsigned severity, const char *domain,
                       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	syscap_log_vprintf(severity, domain, format, args);
	va_end(args);
}
