/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text.h - bounded texts for frames.  No locale, no printf, no allocation.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SC_TEXT_H
#define SC_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * How many of the first @len bytes of @text fit into @max without cutting a
 * UTF-8 sequence in half.
 */
size_t sc_text_cut(const char *text, size_t len, size_t max);

/**
 * Fill a fixed field: copy @text (NULL: nothing), cut to @size - 1 bytes,
 * and zero the rest.
 */
void sc_text_field(char *field, size_t size, const char *text);

/**
 * The same where @size is a constant, 24 to 40: a third of the time.  Moves
 * of 16 bytes that overlap instead of calls that find out how many.
 */
static inline __attribute__((always_inline)) void
sc_text_put(char *field, size_t size, const char *text)
{
	const size_t n = text != NULL ? strlen(text) : 0;

	if (__builtin_expect(n >= size, 0)) {
		sc_text_field(field, size, text);
		return;
	}
	memset(field, 0, size);
	if (n >= 16) {
		char middle[8], last[16];

		memcpy(field, text, 16);
		if (size > 32 && n > 32) {
			memcpy(middle, text + 16, 8);
			memcpy(field + 16, middle, 8);
		}
		memcpy(last, text + n - 16, 16);
		memcpy(field + n - 16, last, 16);
	} else if (n >= 8) {
		memcpy(field, text, 8);
		memcpy(field + n - 8, text + n - 8, 8);
	} else if (n >= 4) {
		memcpy(field, text, 4);
		memcpy(field + n - 4, text + n - 4, 4);
	} else if (n != 0) {
		field[0] = text[0];
		field[n / 2] = text[n / 2];
		field[n - 1] = text[n - 1];
	}
}

/** A text under construction; what does not fit is left out. */
struct sc_text {
	char *at;  /* where the next byte goes */
	char *end; /* the last byte, kept for the NUL */
};

struct sc_text sc_text_begin(char *buffer, size_t size);
void sc_text_add(struct sc_text *text, const char *string);
void sc_text_add_u64(struct sc_text *text, uint64_t number);
void sc_text_add_i64(struct sc_text *text, int64_t number);

#endif
