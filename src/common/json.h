/* SPDX-License-Identifier: BSD-2-Clause */
/* json.h - writer of JSON, and numbers as short text. */
#ifndef SYC_COMMON_JSON_H
#define SYC_COMMON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Size of the largest number, with a sign. */
#define SYC_DIGITS_SIZE 21u

/**
 * Write the digits of @value, at least @least digits, so that the last digit
 * ends at @end.  Returns the first digit. printf() would be slow for millions
 * of numbers.
 */
static inline char *syc_digits(char *end, uint64_t value, unsigned least)
{
	for (const char *const enough = end - least; value != 0 || end > enough;
	     value /= 10)
		*--end = (char)('0' + value % 10);
	return end;
}

/** Like syc_digits(), with a minus sign for negative numbers. */
static inline char *syc_digits_signed(char *end, int64_t value)
{
	if (value >= 0)
		return syc_digits(end, (uint64_t)value, 1);
	end = syc_digits(end, 0 - (uint64_t)value, 1);
	*--end = '-';
	return end;
}

/**
 * Find the shortest decimal that reads back as @value: @ret_units *
 * 10^-@ret_decimals, at most 18 decimals.  Returns false if @value needs an
 * exponent, or is not a number.
 */
bool syc_decimal_find(double value, int64_t *ret_units, unsigned *ret_decimals);

/*
 * Writer of JSON, in order of its calls.
 *
 *	struct syc_json json = { .out = stdout };
 *
 *	syc_json_begin_object(&json);
 *	syc_json_key(&json, "pid");
 *	syc_json_integer(&json, 7);
 *	syc_json_end_object(&json);
 *	syc_json_end_line(&json);
 *
 * The writer inserts commas.  The writer buffers a document.  After the last
 * bracket of a document, @out has the whole document, and any error.  Nesting
 * is at most 32 deep.
 */

struct syc_json {
	FILE *out;
	unsigned depth;
	uint32_t has_items; /* bit d: a comma is due at depth d */
	bool after_key;
	/* The buffer avoids a stdio call for each comma, because the calls
	 * would take most of the time. */
	unsigned n_waiting;
	char waiting[1000];
};

void syc_json_begin_object(struct syc_json *json);
void syc_json_end_object(struct syc_json *json);
void syc_json_begin_array(struct syc_json *json);
void syc_json_end_array(struct syc_json *json);
/** End a document with a newline. */
void syc_json_end_line(struct syc_json *json);

/** Write a key.  @key is a constant that needs no escapes and no quotes. */
void syc_json_key(struct syc_json *json, const char *key);

/** Write a text, or null if @text is NULL.  Invalid UTF-8 becomes U+FFFD. */
void syc_json_text(struct syc_json *json, const char *text);
void syc_json_integer(struct syc_json *json, int64_t value);
void syc_json_unsigned(struct syc_json *json, uint64_t value);
/** Write @value / 10^@decimals exactly; for example, 1234567 and 6 give
 * 1.234567. */
void syc_json_fixed(struct syc_json *json, int64_t value, unsigned decimals);
/** Write @value as the shortest text that reads back as @value.  NaN and
 * infinity become null. */
void syc_json_double(struct syc_json *json, double value);
void syc_json_bool(struct syc_json *json, bool value);
void syc_json_null(struct syc_json *json);
/** Write an address as text, "0x...". */
void syc_json_address(struct syc_json *json, uint64_t address);
void syc_json_base64(struct syc_json *json, const unsigned char *data,
                     size_t size);

/* Write a key and its value. */
void syc_json_member_text(struct syc_json *json, const char *key,
                          const char *text);
void syc_json_member_integer(struct syc_json *json, const char *key,
                             int64_t value);
void syc_json_member_unsigned(struct syc_json *json, const char *key,
                              uint64_t value);
void syc_json_member_address(struct syc_json *json, const char *key,
                             uint64_t address);
void syc_json_member_bool(struct syc_json *json, const char *key, bool value);
/** Write the member "tid"; null if @tid is negative, which means unknown. */
void syc_json_member_tid(struct syc_json *json, int32_t tid);

#endif
