/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_messages.c - marks whose message the library composes: in printf's form,
 * or with a link to other marks.
 *
 * The beginnings of messages link the parts of one operation, and the ends of
 * one arrow.  docs/marks.md describes this form, which readers use.
 */
#define _GNU_SOURCE
#include <string.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/event.h"

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
	syc_event_end(&event, st, &token,
	              event.tag_word |
	                      SYC_WORD(frame, type, SYSCAP_FRAME_MARK));
}

void syscap_mark_printf(const char *group, const char *name, int64_t begin,
                        int64_t duration, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	syscap_mark_vprintf(group, name, begin, duration, format, args);
	va_end(args);
}

#define MESSAGE_MAX (SYSCAP_FRAME_MAX - sizeof(struct syscap_wire_mark) - 1)

static const struct {
	const char *key, *phase;
} links[] = {
	[SYSCAP_LINK_WHOLE] = { "async=", " phase=whole" },
	[SYSCAP_LINK_BEGIN] = { "async=", " phase=begin" },
	[SYSCAP_LINK_STEP] = { "async=", " phase=step" },
	[SYSCAP_LINK_END] = { "async=", " phase=end" },
	[SYSCAP_LINK_OUT] = { "flow=", " phase=out" },
	[SYSCAP_LINK_IN] = { "flow=", " phase=in" },
};

#define N_LINKS (sizeof(links) / sizeof(links[0]))

struct linked_text {
	char head[48];
	size_t n_head, n_text;
	const char *text;
};

static void write_message(struct linked_text *message, unsigned link,
                          uint64_t id, const char *text)
{
	struct syc_text head =
		syc_text_begin(message->head, sizeof(message->head));
	const size_t n = text != NULL ? strlen(text) : 0;

	syc_text_add(&head, links[link].key);
	syc_text_add_hex(&head, id);
	syc_text_add(&head, links[link].phase);
	if (n != 0)
		syc_text_add(&head, " ");
	message->n_head = (size_t)(head.at - message->head);
	message->n_text = syc_text_cut(text, n, MESSAGE_MAX - message->n_head);
	message->text = text;
}

void syscap_linked_at(const struct syscap_mark_site *site, unsigned link,
                      uint64_t id, int64_t begin, int64_t duration,
                      const char *message)
{
	struct linked_text whole;
	volatile uintptr_t token;
	struct syc_event event;

	if (!syscap_is_active() || link >= N_LINKS)
		return;
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);
	if (st == NULL)
		return;
	write_message(&whole, link, id, message);
	const uint32_t len = syc_text_frame_len(
		sizeof(struct syscap_wire_mark) + whole.n_head, whole.n_text);
	if (!syc_event_begin(&event, st, &token, len, SYSCAP_FRAME_MARK, begin))
		return;
	char *const text =
		(char *)event.frame + sizeof(struct syscap_wire_mark);
	syc_mark_fill(event.frame, len, site, duration);
	memcpy(text, whole.head, whole.n_head);
	if (whole.n_text != 0)
		memcpy(text + whole.n_head, whole.text, whole.n_text);
	syc_event_end(&event, st, &token,
	              event.tag_word |
	                      SYC_WORD(frame, type, SYSCAP_FRAME_MARK));
}

void syscap_linked(const char *group, const char *name, unsigned link,
                   uint64_t id, const char *message)
{
	struct syscap_mark_site site;

	/* Call this before other functions of the C library: see syc_active */
	if (!syscap_is_active() || syc_thread_get(SYSCAP_FRAME_MARK) == NULL)
		return;
	syc_text_field(site.group, sizeof(site.group), group);
	syc_text_field(site.name, sizeof(site.name), name);
	syscap_linked_at(&site, link, id, syscap_clock(), 0, message);
}
