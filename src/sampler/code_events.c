/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_events.c - machine code that a runtime creates, moves and frees, as
 * METADATA frames with the id "syscap.code":
 *
 *	add START LEN NAME
 *	move FROM TO LEN
 *	remove START LEN
 *
 * Numbers are hexadecimal, without 0x.  NAME is the rest of the value.
 */
#define _GNU_SOURCE
#include <string.h>

#include <syscap.h>
#include <syscap/runtime.h>

#include "base/text.h"

#define ID           "syscap.code"
#define NAME_MAX_LEN 4095u
#define DIGITS       16u

/* A verb and three numbers at most, and a NUL. */
struct code_text {
	size_t n;
	char text[8 + 3 * (DIGITS + 1) + 1];
};

static void add_text(struct code_text *event, const char *text)
{
	const size_t n = strlen(text);

	memcpy(event->text + event->n, text, n);
	event->n += n;
}

static void add_number(struct code_text *event, uint64_t number)
{
	struct syc_text text = syc_text_begin(event->text + event->n,
	                                      sizeof(event->text) - event->n);

	syc_text_add(&text, " ");
	syc_text_add_hex(&text, number);
	event->n = (size_t)(text.at - event->text);
}

/* Append a space and the @n bytes of @name, unless @name is NULL.  If @time is
 * NULL, use the current time. */
static bool emit_code_event(const struct code_text *event, const int64_t *time,
                            const char *name, size_t n)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_METADATA);
	const size_t size = event->n + (name != NULL ? 1 + n : 0);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_metadata), size);
	volatile uintptr_t token;

	if (st == NULL)
		return false;
	const int64_t now = time != NULL ? *time : syc_clock(st);
	const bool outermost = syc_enter(st, &token);
	unsigned char *const frame =
		syc_reserve(st, len, SYSCAP_FRAME_METADATA, now);
	if (frame != NULL) {
		struct syscap_wire_metadata *const metadata = (void *)frame;
		char *const text = (char *)(metadata + 1);

		syc_text_put(metadata->id, sizeof(metadata->id), ID);
		syc_store_word(frame + len - 8, 0);
		memcpy(text, event->text, event->n);
		if (name != NULL) {
			text[event->n] = ' ';
			memcpy(text + event->n + 1, name, n);
		}
		syc_commit(frame, SYSCAP_FRAME_METADATA, st->tid_tag);
	}
	syc_leave(st, &token, outermost);
	return frame != NULL;
}

static bool emit_add(const int64_t *time, uintptr_t start, size_t len,
                     const char *name)
{
	struct code_text event = { .n = 0 };

	if (!syscap_is_active())
		return true;
	if (name == NULL)
		name = "";
	add_text(&event, "add");
	add_number(&event, start);
	add_number(&event, len);
	return emit_code_event(&event, time, name,
	                       syc_text_cut(name,
	                                    strnlen(name, NAME_MAX_LEN + 1),
	                                    NAME_MAX_LEN));
}

static bool emit_move(const int64_t *time, uintptr_t from, uintptr_t to,
                      size_t len)
{
	struct code_text event = { .n = 0 };

	if (!syscap_is_active())
		return true;
	add_text(&event, "move");
	add_number(&event, from);
	add_number(&event, to);
	add_number(&event, len);
	return emit_code_event(&event, time, NULL, 0);
}

static bool take_away(const int64_t *time, uintptr_t start, size_t len)
{
	struct code_text event = { .n = 0 };

	if (!syscap_is_active())
		return true;
	add_text(&event, "remove");
	add_number(&event, start);
	add_number(&event, len);
	return emit_code_event(&event, time, NULL, 0);
}

bool syscap_code_add(uintptr_t start, size_t len, const char *name)
{
	return emit_add(NULL, start, len, name);
}

bool syscap_code_move(uintptr_t from, uintptr_t to, size_t len)
{
	return emit_move(NULL, from, to, len);
}

bool syscap_code_remove(uintptr_t start, size_t len)
{
	return take_away(NULL, start, len);
}

bool syscap_code_add_at(int64_t time, uintptr_t start, size_t len,
                        const char *name)
{
	return emit_add(&time, start, len, name);
}

bool syscap_code_move_at(int64_t time, uintptr_t from, uintptr_t to, size_t len)
{
	return emit_move(&time, from, to, len);
}

bool syscap_code_remove_at(int64_t time, uintptr_t start, size_t len)
{
	return take_away(&time, start, len);
}
