/* SPDX-License-Identifier: BSD-2-Clause */
/* log.c - LOG frames. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <string.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/event.h"

#define MESSAGE_MAX (SYSCAP_FRAME_MAX - sizeof(struct syscap_wire_log) - 1)

/* Begin a LOG frame for a message of @n bytes, and fill everything except the
 * message. */
static inline __attribute__((always_inline)) bool
begin_log(struct syc_event *event, struct syc_thread *st,
          volatile uintptr_t *token, unsigned severity, const char *domain,
          int64_t now, size_t n)
{
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_log), n);

	if (!syc_event_begin(event, st, token, len, SYSCAP_FRAME_LOG, now))
		return false;
	struct syscap_wire_log *const log = (void *)event->frame;
	syc_store_word(event->frame + SYC_AT(log, severity),
	               SYC_WORD(log, severity, (uint16_t)severity));
	syc_text_put(log->domain, sizeof(log->domain), domain);
	syc_store_word(event->frame + len - 8, 0);
	return true;
}

void syscap_log(unsigned severity, const char *domain, const char *message)
{
	volatile uintptr_t token;
	struct syc_event event;

	if (!syscap_is_active())
		return;
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_LOG);
	if (st == NULL)
		return;
	size_t n = message != NULL ? strlen(message) : 0;
	if (SYC_UNLIKELY(n > MESSAGE_MAX))
		n = syc_text_cut(message, n, MESSAGE_MAX);
	if (!begin_log(&event, st, &token, severity, domain, syc_clock(st), n))
		return;
	syc_text_copy(event.frame + sizeof(struct syscap_wire_log), message, n);
	syc_event_end(&event, st, &token,
	              event.tag_word | SYC_WORD(frame, type, SYSCAP_FRAME_LOG));
}

void syscap_log_vprintf(unsigned severity, const char *domain,
                        const char *format, va_list args)
{
	struct syc_printf text;
	volatile uintptr_t token;
	struct syc_event event;

	if (!syscap_is_active())
		return;
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_LOG);
	if (st == NULL)
		return;
	const int64_t now = syc_clock(st);
	syc_printf_begin(&text, MESSAGE_MAX, format, args);
	if (!begin_log(&event, st, &token, severity, domain, now, text.len))
		return;
	syc_printf_finish(&text,
	                  (char *)event.frame + sizeof(struct syscap_wire_log),
	                  format, args);
	syc_event_end(&event, st, &token,
	              event.tag_word | SYC_WORD(frame, type, SYSCAP_FRAME_LOG));
}

void syscap_log_printf(unsigned severity, const char *domain,
                       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	syscap_log_vprintf(severity, domain, format, args);
	va_end(args);
}
