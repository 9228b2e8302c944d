/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * name.c - names of frames' code objects, without a call into Python
 * (walker.h).
 *
 * The innermost frame may be in the middle of its removal, so its code and the
 * code's texts may already be freed (sound.c).  All reads are bounded.
 */
#include <stdio.h>
#include <string.h>

#include "walker/walker.h"

#define TEXT_MAX 1024 /* characters */

static bool shows_lines;

void name_show_lines(bool show)
{
	__atomic_store_n(&shows_lines, show, __ATOMIC_RELAXED);
}

/* Works like PyUnicode_DATA(), without assertions. */
static const void *text_data(const PyASCIIObject *text)
{
	return text->state.ascii
	               ? (const void *)(text + 1)
	               : (const void *)((const PyCompactUnicodeObject *)text +
	                                1);
}

static bool text_is_sound(PyObject *object)
{
	const PyASCIIObject *const text = (const PyASCIIObject *)object;

	if (!object_is_sound(object, &PyUnicode_Type,
	                     sizeof(PyCompactUnicodeObject)) ||
	    !text->state.compact || text->length < 0 || text->length > 1 << 20)
		return false;
	const unsigned kind = text->state.kind;
	if (kind != 1 && kind != 2 && kind != 4)
		return false;
	const size_t n =
		text->length < TEXT_MAX ? (size_t)text->length : TEXT_MAX;
	return bridge->readable(text_data(text), n * kind + 1);
}

static size_t put_character(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xC0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if ((c >= 0xD800 && c < 0xE000) || c > 0x10FFFF)
		c = 0xFFFD;
	if (c < 0x10000) {
		to[0] = (char)(0xE0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 63));
		to[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	to[0] = (char)(0xF0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 63));
	to[2] = (char)(0x80 | (c >> 6 & 63));
	to[3] = (char)(0x80 | (c & 63));
	return 4;
}

/* Takes at most 4 * TEXT_MAX bytes of @to. */
static size_t put_text(char *to, PyObject *object)
{
	const PyASCIIObject *const text = (const PyASCIIObject *)object;
	const void *const data = text_data(text);
	const size_t n =
		text->length < TEXT_MAX ? (size_t)text->length : TEXT_MAX;
	size_t to_n = 0;

	if (text->state.ascii) {
		memcpy(to, data, n);
		return n;
	}
	for (size_t i = 0; i < n; i++) {
		const uint32_t c =
			text->state.kind == 1   ? ((const uint8_t *)data)[i]
			: text->state.kind == 2 ? ((const uint16_t *)data)[i]
						: ((const uint32_t *)data)[i];
		to_n += put_character(to + to_n, c);
	}
	return to_n;
}

static size_t put_number(char *to, unsigned number)
{
	char digits[10];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	for (size_t i = 0; i < n; i++)
		to[i] = digits[n - 1 - i];
	return n;
}

static int line_of(const _PyInterpreterFrame *frame, const PyCodeObject *code,
                   bool careful)
{
	int line = 0;

	if (__atomic_load_n(&shows_lines, __ATOMIC_RELAXED))
		line = code_line(code, frame_instruction(frame, code), careful);
	return line > 0 ? line : code->co_firstlineno;
}

int frame_name(const _PyInterpreterFrame *frame, bool careful, char *to,
               size_t size)
{
	PyObject *const object = frame_code(frame);
	const PyCodeObject *const code = (const PyCodeObject *)object;
	size_t n;

	if (size < 8 * TEXT_MAX + 16)
		return -1;
	if (careful && (!object_is_sound(object, &PyCode_Type, sizeof(*code)) ||
	                !text_is_sound(code->co_qualname) ||
	                !text_is_sound(code->co_filename)))
		return -1;
	n = put_text(to, code->co_qualname);
	to[n++] = ' ';
	to[n++] = '(';
	n += put_text(to + n, code->co_filename);
	const int line = line_of(frame, code, careful);
	if (line > 0) {
		to[n++] = ':';
		n += put_number(to + n, (unsigned)line);
	}
	to[n++] = ')';
	return (int)n;
}
