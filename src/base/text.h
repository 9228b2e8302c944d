/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text.h - bounded texts for frames, without locale, printf() and allocation.
 *
 * Context of all functions: any-thread, signal-safe.
 */
#ifndef SYC_BASE_TEXT_H
#define SYC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * Number of bytes that fit into @max, among the first @len bytes of @text,
 * without a cut within a UTF-8 sequence.
 */
size_t syc_text_cut(const char *text, size_t len, size_t max);

/**
 * Fill a field of @size bytes: copy @text (NULL: nothing), cut to @size - 1
 * bytes, and clear the rest.
 */
void syc_text_field(char *field, size_t size, const char *text);

/** Return whether the @len bytes at @text are @word, and nothing else. */
static inline bool syc_text_is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/** Copy @n bytes.  For few bytes this function is faster than memcpy(). */
static inline __attribute__((always_inline)) void
syc_text_copy(void *to, const char *text, size_t n)
{
	char *const at = to;

	if (__builtin_expect(n > 32, 0)) {
		memcpy(at, text, n);
	} else if (n >= 16) {
		char first[16], last[16];

		memcpy(first, text, 16);
		memcpy(last, text + n - 16, 16);
		memcpy(at, first, 16);
		memcpy(at + n - 16, last, 16);
	} else if (n >= 8) {
		char first[8], last[8];

		memcpy(first, text, 8);
		memcpy(last, text + n - 8, 8);
		memcpy(at, first, 8);
		memcpy(at + n - 8, last, 8);
	} else if (n >= 4) {
		char first[4], last[4];

		memcpy(first, text, 4);
		memcpy(last, text + n - 4, 4);
		memcpy(at, first, 4);
		memcpy(at + n - 4, last, 4);
	} else if (n != 0) {
		at[0] = text[0];
		at[n / 2] = text[n / 2];
		at[n - 1] = text[n - 1];
	}
}

/** Like syc_text_field(), for a constant @size and a text of the known length
 * @n.  This function takes a third of the time of syc_text_field(). */
static inline __attribute__((always_inline)) void
syc_text_put_known(char *field, size_t size, const char *text, size_t n)
{
	if (__builtin_expect(n >= size, 0)) {
		syc_text_field(field, size, text);
		return;
	}
	memset(field, 0, size);
	syc_text_copy(field, text, n);
}

static inline __attribute__((always_inline)) void
syc_text_put(char *field, size_t size, const char *text)
{
	syc_text_put_known(field, size, text, text != NULL ? strlen(text) : 0);
}

/** Read a number of base 10 or 16 (lower case).  Returns the text after the
 * number. */
const char *syc_text_take(const char *text, unsigned base,
                          uint64_t *ret_number);

/** A text under construction; excess bytes are omitted. */
struct syc_text {
	char *at;  /* position of the next byte */
	char *end; /* the last byte, kept for the NUL */
};

struct syc_text syc_text_begin(char *buffer, size_t size);
void syc_text_add(struct syc_text *text, const char *string);
void syc_text_add_u64(struct syc_text *text, uint64_t number);
void syc_text_add_i64(struct syc_text *text, int64_t number);
/** Append a number in base 16, without the prefix 0x. */
void syc_text_add_hex(struct syc_text *text, uint64_t number);

/* Removal of const, for functions that free or unmap memory. */

/** The pointer @it without const, for free(), munmap(), madvise(), and callers
 * that may write to this memory. */
static inline void *syc_unconst(const void *it)
{
	return (void *)(uintptr_t)it;
}

#endif
