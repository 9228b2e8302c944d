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
