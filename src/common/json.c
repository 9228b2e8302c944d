/* SPDX-License-Identifier: BSD-2-Clause */
/* json.c - writer of JSON, and numbers as short text. */
#define _GNU_SOURCE
#include "common/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"

#define MOST_UNITS 1e15

/*
 * Most values are short decimals, or quotients of short decimals.  A @value
 * with few decimals is a whole number of units of 10^-@ret_decimals.  The
 * number of units is small enough to be exact as a double, so one division
 * gives @value.
 */
static bool is_decimal(double value, int64_t *ret_units, unsigned *ret_decimals)
{
	double unit = 1;

	for (unsigned decimals = 0; decimals <= 6; decimals++, unit *= 10) {
		const double units = value * unit;

		if (!(fabs(units) < MOST_UNITS))
			return false;
		*ret_units = (int64_t)(units < 0 ? units - 0.5 : units + 0.5);
		*ret_decimals = decimals;
		if ((double)*ret_units / unit == value)
			return *ret_units != 0 || !signbit(value);
	}
	return false;
}

#if defined(__SIZEOF_INT128__)
/*
 * For other doubles, compute in integers of 128 bits the fewest decimals that
 * are nearer to @value than to any other double.  Printing a number and reading
 * it back would be much slower.
 */
static bool is_nearest(double value, int64_t *ret_units, unsigned *ret_decimals)
{
	const uint64_t one = UINT64_C(1) << 52;
	uint64_t bits, unit = 1;

	memcpy(&bits, &value, sizeof(bits));
	/* @value is @whole / 2^@shift. */
	const uint64_t whole = (bits & (one - 1)) | one;
	const int shift = 1075 - (int)(bits >> 52 & 0x7ff);
	/* Below a power of two doubles are twice as close. */
	const unsigned closeness = whole == one ? 4 : 2;

	/* Larger numbers are printed with an exponent. */
	if (shift < 4 || shift > 56)
		return false;
	for (unsigned decimals = 0; decimals <= 18; decimals++, unit *= 10) {
		const unsigned __int128 exact = (unsigned __int128)whole * unit;
		const unsigned __int128 units =
			(exact >> shift) + (exact >> (shift - 1) & 1);
		const unsigned __int128 told = units << shift;
		const unsigned __int128 error =
			told > exact ? told - exact : exact - told;

		if (units > INT64_MAX)
			return false;
		if (error * closeness >= unit)
			continue;
		*ret_units = value < 0 ? -(int64_t)units : (int64_t)units;
		*ret_decimals = decimals;
		return true;
	}
	return false;
}
#else
/* Without 128-bit integers, syc_json_double() prints 15 to 17 digits. */
static bool is_nearest(double value, int64_t *ret_units, unsigned *ret_decimals)
{
	(void)value, (void)ret_units, (void)ret_decimals;
	return false;
}
#endif

bool syc_decimal_find(double value, int64_t *ret_units, unsigned *ret_decimals)
{
	return is_decimal(value, ret_units, ret_decimals) ||
	       is_nearest(value, ret_units, ret_decimals);
}

static void flush(struct syc_json *json)
{
	fwrite_unlocked(json->waiting, 1, json->n_waiting, json->out);
	json->n_waiting = 0;
}

static void put_byte(struct syc_json *json, char byte)
{
	if (json->n_waiting == sizeof(json->waiting))
		flush(json);
	json->waiting[json->n_waiting++] = byte;
}

static void put_bytes(struct syc_json *json, const char *bytes, size_t n)
{
	if (n > sizeof(json->waiting) - json->n_waiting)
		flush(json);
	if (n > sizeof(json->waiting)) {
		fwrite_unlocked(bytes, 1, n, json->out);
		return;
	}
	memcpy(json->waiting + json->n_waiting, bytes, n);
	json->n_waiting += (unsigned)n;
}

static void put_text(struct syc_json *json, const char *text)
{
	put_bytes(json, text, strlen(text));
}

/* Separators before a value, a key, or an opening bracket. */
static void separate(struct syc_json *json)
{
	const uint32_t bit = UINT32_C(1) << json->depth;

	if (json->after_key) {
		json->after_key = false;
		return;
	}
	if (json->depth > 0 && (json->has_items & bit))
		put_byte(json, ',');
	json->has_items |= bit;
}

/* Flush the document after its last bracket. */
static void finish(struct syc_json *json)
{
	if (json->depth == 0)
		flush(json);
}

static void open_bracket(struct syc_json *json, char bracket)
{
	separate(json);
	put_byte(json, bracket);
	json->depth++;
	json->has_items &= ~(UINT32_C(1) << json->depth);
}

static void close_bracket(struct syc_json *json, char bracket)
{
	json->depth--;
	put_byte(json, bracket);
	finish(json);
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
	put_byte(json, '\n');
	finish(json);
}

static void write_escape(struct syc_json *json, uint32_t point)
{
	char text[16];

	switch (point) {
	case '"':
		put_text(json, "\\\"");
		break;
	case '\\':
		put_text(json, "\\\\");
		break;
	case '\n':
		put_text(json, "\\n");
		break;
	case '\t':
		put_text(json, "\\t");
		break;
	case '\r':
		put_text(json, "\\r");
		break;
	default:
		snprintf(text, sizeof(text), "\\u%04x", (unsigned)point);
		put_text(json, text);
		break;
	}
}

/* The characters that need no escape. */
static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

/* Write the beginning of @text that needs no escape, as much as fits.  Returns
 * the rest of @text. */
static const char *put_plain(struct syc_json *json, const char *text)
{
	char *to = json->waiting + json->n_waiting;
	const char *const end = json->waiting + sizeof(json->waiting);

	while (to < end && is_plain(*text))
		*to++ = *text++;
	json->n_waiting = (unsigned)(to - json->waiting);
	if (to == end)
		flush(json);
	return text;
}

static void write_text(struct syc_json *json, const char *text)
{
	uint32_t point;

	put_byte(json, '"');
	for (;;) {
		text = put_plain(json, text);
		if (*text == '\0')
			break;
		const size_t len = syc_utf8_next(text, &point);
		if (len == 0)
			put_text(json, SYC_UTF8_REPLACEMENT);
		else if (is_plain((char)point) && len == 1)
			continue; /* the buffer became full */
		else if (point == '"' || point == '\\' ||
		         syc_utf8_is_control(point))
			write_escape(json, point);
		else
			put_bytes(json, text, len);
		text += len > 0 ? len : point;
	}
	put_byte(json, '"');
}

void syc_json_key(struct syc_json *json, const char *key)
{
	separate(json);
	put_byte(json, '"');
	put_text(json, key);
	put_bytes(json, "\":", 2);
	json->after_key = true;
}

void syc_json_text(struct syc_json *json, const char *text)
{
	if (!text) {
		syc_json_null(json);
		return;
	}
	separate(json);
	write_text(json, text);
	finish(json);
}

static void write_number(struct syc_json *json, const char *first,
                         const char *end)
{
	separate(json);
	put_bytes(json, first, (size_t)(end - first));
	finish(json);
}

void syc_json_integer(struct syc_json *json, int64_t value)
{
	char text[SYC_DIGITS_SIZE], *const end = text + sizeof(text);

	write_number(json, syc_digits_signed(end, value), end);
}

void syc_json_unsigned(struct syc_json *json, uint64_t value)
{
	char text[SYC_DIGITS_SIZE], *const end = text + sizeof(text);

	write_number(json, syc_digits(end, value, 1), end);
}

void syc_json_fixed(struct syc_json *json, int64_t value, unsigned decimals)
{
	const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char text[2 * SYC_DIGITS_SIZE + 1], *first = text + sizeof(text);
	char *end = first;
	uint64_t unit = 1;

	for (unsigned i = 0; i < decimals; i++)
		unit *= 10;
	if (size % unit != 0) {
		first = syc_digits(end, size % unit, decimals);
		while (end[-1] == '0')
			end--;
		*--first = '.';
	}
	first = syc_digits(first, size / unit, 1);
	if (value < 0)
		*--first = '-';
	write_number(json, first, end);
}

void syc_json_double(struct syc_json *json, double value)
{
	unsigned decimals;
	int64_t units;
	char text[32];

	if (syc_decimal_find(value, &units, &decimals)) {
		syc_json_fixed(json, units, decimals);
		return;
	}
	if (!isfinite(value)) {
		syc_json_null(json);
		return;
	}
	/* 17 digits always read back exactly.  Usually 15 or 16 digits suffice,
	 * and are shorter. */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	separate(json);
	put_text(json, text);
	finish(json);
}

void syc_json_bool(struct syc_json *json, bool value)
{
	separate(json);
	put_text(json, value ? "true" : "false");
	finish(json);
}

void syc_json_null(struct syc_json *json)
{
	separate(json);
	put_text(json, "null");
	finish(json);
}

void syc_json_address(struct syc_json *json, uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "\"0x%" PRIx64 "\"", address);
	separate(json);
	put_text(json, text);
	finish(json);
}

void syc_json_base64(struct syc_json *json, const unsigned char *data,
                     size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz"
				     "0123456789+/";

	separate(json);
	put_byte(json, '"');
	for (size_t i = 0; i < size; i += 3) {
		const size_t n = size - i < 3 ? size - i : 3;
		const uint32_t word = (uint32_t)data[i] << 16 |
		                      (n > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
		                      (n > 2 ? data[i + 2] : 0u);

		put_byte(json, digits[word >> 18]);
		put_byte(json, digits[word >> 12 & 63]);
		put_byte(json, n > 1 ? digits[word >> 6 & 63] : '=');
		put_byte(json, n > 2 ? digits[word & 63] : '=');
	}
	put_byte(json, '"');
	finish(json);
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
