/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strings.h - UTF-8, interned texts, durations and severities as text, and the
 * text of small files.
 */
#ifndef SYC_COMMON_STRINGS_H
#define SYC_COMMON_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "common/containers.h"

/** Return whether the values of a counter are bytes, by its three texts. */
bool syc_counter_is_bytes(const char *category, const char *name,
                          const char *description);

/** The ending of a regular plural, if @n things are several. */
static inline const char *syc_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/** U+FFFD, which replaces unreadable bytes. */
#define SYC_UTF8_REPLACEMENT "\xEF\xBF\xBD"

/**
 * Decode the first character of the NUL-terminated @text, which is not empty.
 *
 * Returns the length of the character, and the character in @ret_point.
 * Returns 0 for invalid bytes; @ret_point then has the number of bytes that one
 * U+FFFD replaces.  As Unicode recommends, U+FFFD replaces the longest prefix
 * of a character, at least one byte.
 */
size_t syc_utf8_next(const char *text, uint32_t *ret_point);

/**
 * Return whether @point is a control character, ends a line, or changes the
 * direction of text.  Characters like these could disguise the text around
 * them.
 */
bool syc_utf8_is_control(uint32_t point);

/**
 * Write the character into @bytes, which has space for 4.  Returns the length
 * of the sequence.
 */
size_t syc_utf8_put(uint32_t point, char *bytes);

/** Return whether all of @text is valid UTF-8. */
bool syc_utf8_is_valid(const char *text);

/** The number of characters in @text. An invalid part counts as one. */
size_t syc_utf8_count(const char *text);

/**
 * Copy @len bytes without a NUL, and append a NUL.  Returns NULL without
 * memory.  The caller frees the copy.
 */
static inline char *syc_copy_text(const char *text, size_t len)
{
	char *const copy = malloc(len + 1);

	if (copy != NULL) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return copy;
}

/** Write @ns into @buffer in ns, µs, ms or s: "12.345 ms". */
void syc_duration_format(int64_t ns, char *buffer, size_t size);

/*
 * Number of severities: GLib's level bits 2 to 7, the worst first, and "other".
 */
#define SYC_SEVERITIES 7

static inline unsigned syc_severity_index(uint16_t severity)
{
	unsigned i = 0;

	while (i + 1 < SYC_SEVERITIES && !(severity & 4u << i))
		i++;
	return i;
}

static inline const char *syc_severity_name(unsigned index)
{
	static const char *const names[SYC_SEVERITIES] = {
		"error", "critical", "warning", "message",
		"info",  "debug",    "other"
	};

	return names[index];
}

/* The text of a small file, such as a file in /proc. Context: offline. */

/**
 * Read at most @size - 1 bytes of the file at @path into @text, and add a NUL,
 * also after a failure. Returns the number of bytes, or -errno.
 */
ssize_t syc_text_file_read(const char *path, char *text, size_t size);

/** syc_text_file_read() for /proc/@pid/@name. */
ssize_t syc_text_file_read_proc(int32_t pid, const char *name, char *text,
                                size_t size);

/*
 * Interned, displayable texts.
 *
 * Invalid UTF-8 and control characters become U+FFFD, so a text is always one
 * line.  Texts never move.
 */

/** A zero-initialized struct is empty. */
struct syc_texts {
	struct syc_map map;
	char *shown; /* the text shown last */
};

/** Intern the first @len bytes of @text.  Returns 0 or -ENOMEM. */
int syc_texts_keep(struct syc_texts *texts, const char *text, size_t len,
                   const char **ret_text);

/**
 * The form in which @text would be interned, valid until the next call.
 * Returns NULL without memory.
 */
const char *syc_texts_show(struct syc_texts *texts, const char *text);

void syc_texts_fini(struct syc_texts *texts);

#endif
