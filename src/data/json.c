/* SPDX-License-Identifier: BSD-2-Clause */
/* json.c - write JSON as it comes. */
#define _GNU_SOURCE
#include "data/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/utf8.h"

/* What goes before a value, a key, or an opening bracket. */
static void separate(struct syc_json *json)
{
	const uint32_t bit = UINT32_C(1) << json->depth;

	if (json->after_key) {
		json->after_key = false;
		return;
	}
	if (json->depth > 0 && (json->has_items & bit))
		putc_unlocked(',', json->out);
	json->has_items |= bit;
}

static void open_bracket(struct syc_json *json, char bracket)
{
	separate(json);
	putc_unlocked(bracket, json->out);
	json->depth++;
	json->has_items &= ~(UINT32_C(1) << json->depth);
}

static void close_bracket(struct syc_json *json, char bracket)
{
	json->depth--;
	putc_unlocked(bracket, json->out);
}

void syc_json_begin_object(struct syc_json *json)
{
	open_bracket(json, '{');
}

void syc_json_end_object(struct syc_json *json)
{
	close_bracket(json, '}');
}

void syc_json_begin_array(struct syc_json *json)
{
	open_bracket(json, '[');
}

void syc_json_end_array(struct syc_json *json)
{
	close_bracket(json, ']');
}

void syc_json_end_line(struct syc_json *json)
{
	putc_unlocked('\n', json->out);
}

static void write_escape(FILE *out, uint32_t point)
{
	switch (point) {
	case '"':
		fputs("\\\"", out);
		break;
	case '\\':
		fputs("\\\\", out);
		break;
	case '\n':
		fputs("\\n", out);
		break;
	case '\t':
		fputs("\\t", out);
		break;
	case '\r':
		fputs("\\r", out);
		break;
	default:
		fprintf(out, "\\u%04x", (unsigned)point);
		break;
	}
}

/* How many bytes from @text on can be written as they are. */
static size_t plain_run(const char *text)
{
	const char *p = text;
	uint32_t point;

	for (;;) {
		const size_t len = syc_utf8_next(p, &point);

		if (len == 0 || point == '"' || point == '\\' ||
		    syc_utf8_is_control(point))
			return (size_t)(p - text);
		p += len;
	}
}

static void write_text(FILE *out, const char *text)
{
	uint32_t point;

	putc_unlocked('"', out);
	for (;;) {
		const size_t run = plain_run(text);

		fwrite_unlocked(text, 1, run, out);
		text += run;
		if (*text == '\0')
			break;
		const size_t len = syc_utf8_next(text, &point);
		if (len == 0)
			fputs(SYC_UTF8_REPLACEMENT, out);
		else
			write_escape(out, point);
		text += len > 0 ? len : point;
	}
	putc_unlocked('"', out);
}

void syc_json_key(struct syc_json *json, const char *key)
{
	separate(json);
	write_text(json->out, key);
	putc_unlocked(':', json->out);
	json->after_key = true;
}

void syc_json_text(struct syc_json *json, const char *text)
{
	if (!text) {
		syc_json_null(json);
		return;
	}
	separate(json);
	write_text(json->out, text);
}

/* What exports are full of: most of their time would be printf(). */
static void write_unsigned(FILE *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while ((value /= 10) != 0);
	fwrite_unlocked(digits + at, 1, sizeof(digits) - at, out);
}

void syc_json_integer(struct syc_json *json, int64_t value)
{
	separate(json);
	if (value < 0)
		putc_unlocked('-', json->out);
	write_unsigned(json->out,
	               value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void syc_json_unsigned(struct syc_json *json, uint64_t value)
{
	separate(json);
	write_unsigned(json->out, value);
}

void syc_json_fixed(struct syc_json *json, int64_t value, unsigned decimals)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	uint64_t unit = 1;
	unsigned digits = decimals;

	for (unsigned i = 0; i < decimals; i++)
		unit *= 10;
	separate(json);
	fprintf(json->out, "%s%" PRIu64, value < 0 ? "-" : "", size / unit);
	size %= unit;
	for (; size > 0 && size % 10 == 0; digits--)
		size /= 10;
	if (size > 0)
		fprintf(json->out, ".%0*" PRIu64, (int)digits, size);
}

void syc_json_double(struct syc_json *json, double value)
{
	char text[32];

	if (!isfinite(value)) {
		syc_json_null(json);
		return;
	}
	/* 17 digits always read back; mostly 15 or 16 do, and look better. */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	separate(json);
	fputs(text, json->out);
}

void syc_json_bool(struct syc_json *json, bool value)
{
	separate(json);
	fputs(value ? "true" : "false", json->out);
}

void syc_json_null(struct syc_json *json)
{
	separate(json);
	fputs("null", json->out);
}

void syc_json_address(struct syc_json *json, uint64_t address)
{
	separate(json);
	fprintf(json->out, "\"0x%" PRIx64 "\"", address);
}

void syc_json_base64(struct syc_json *json, const unsigned char *data,
                     size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz"
				     "0123456789+/";
	FILE *out = json->out;

	separate(json);
	putc_unlocked('"', out);
	for (size_t i = 0; i < size; i += 3) {
		const size_t n = size - i < 3 ? size - i : 3;
		const uint32_t word = (uint32_t)data[i] << 16 |
		                      (n > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
		                      (n > 2 ? data[i + 2] : 0u);

		putc_unlocked(digits[word >> 18], out);
		putc_unlocked(digits[word >> 12 & 63], out);
		putc_unlocked(n > 1 ? digits[word >> 6 & 63] : '=', out);
		putc_unlocked(n > 2 ? digits[word & 63] : '=', out);
	}
	putc_unlocked('"', out);
}

void syc_json_member_text(struct syc_json *json, const char *key,
                          const char *text)
{
	syc_json_key(json, key);
	syc_json_text(json, text);
}

void syc_json_member_integer(struct syc_json *json, const char *key,
                             int64_t value)
{
	syc_json_key(json, key);
	syc_json_integer(json, value);
}

void syc_json_member_unsigned(struct syc_json *json, const char *key,
                              uint64_t value)
{
	syc_json_key(json, key);
	syc_json_unsigned(json, value);
}

void syc_json_member_address(struct syc_json *json, const char *key,
                             uint64_t address)
{
	syc_json_key(json, key);
	syc_json_address(json, address);
}

void syc_json_member_bool(struct syc_json *json, const char *key, bool value)
{
	syc_json_key(json, key);
	syc_json_bool(json, value);
}

void syc_json_member_tid(struct syc_json *json, int32_t tid)
{
	syc_json_key(json, "tid");
	if (tid < 0)
		syc_json_null(json);
	else
		syc_json_integer(json, tid);
}
