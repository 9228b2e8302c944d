/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strings.c - UTF-8, interned texts, durations and severities as text, and the
 * text of small files.
 */
#define _GNU_SOURCE
#include "common/strings.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * By a sequence's first byte: the length, and the range of the second byte.
 * The range excludes overlong forms, surrogates and everything above U+10FFFF
 * (Unicode 15, table 3-7).
 */
static size_t expected(unsigned char first, unsigned char *ret_low,
                       unsigned char *ret_high)
{
	*ret_low = 0x80;
	*ret_high = 0xBF;
	if (first >= 0xC2 && first <= 0xDF)
		return 2;
	if (first >= 0xE0 && first <= 0xEF) {
		if (first == 0xE0)
			*ret_low = 0xA0;
		if (first == 0xED)
			*ret_high = 0x9F;
		return 3;
	}
	if (first >= 0xF0 && first <= 0xF4) {
		if (first == 0xF0)
			*ret_low = 0x90;
		if (first == 0xF4)
			*ret_high = 0x8F;
		return 4;
	}
	return 0;
}

size_t syc_utf8_next(const char *text, uint32_t *ret_point)
{
	const unsigned char *bytes = (const unsigned char *)text;
	unsigned char low, high;

	if (bytes[0] < 0x80) {
		*ret_point = bytes[0];
		return 1;
	}

	const size_t len = expected(bytes[0], &low, &high);
	uint32_t point = len ? bytes[0] & (0x7Fu >> len) : 0;
	for (size_t i = 1; i < len; i++) {
		/* The NUL is out of range too, so reading stays within the
		 * text. */
		if (bytes[i] < low || bytes[i] > high) {
			*ret_point = (uint32_t)i;
			return 0;
		}
		point = point << 6 | (bytes[i] & 0x3Fu);
		low = 0x80;
		high = 0xBF;
	}
	*ret_point = len ? point : 1;
	return len;
}

size_t syc_utf8_put(uint32_t point, char *bytes)
{
	const size_t len = point < 0x80      ? 1
	                   : point < 0x800   ? 2
	                   : point < 0x10000 ? 3
	                                     : 4;
	static const unsigned char first[] = { 0, 0, 0xC0, 0xE0, 0xF0 };

	for (size_t i = len; i-- > 1; point >>= 6)
		bytes[i] = (char)(0x80 | (point & 0x3F));
	bytes[0] = (char)(first[len] | point);
	return len;
}

bool syc_utf8_is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7F && point < 0xA0) ||
	       point == 0x061C || point == 0x200E || point == 0x200F ||
	       (point >= 0x2028 && point <= 0x202E) ||
	       (point >= 0x2066 && point <= 0x2069);
}

bool syc_utf8_is_valid(const char *text)
{
	uint32_t point;

	while (*text) {
		const size_t len = syc_utf8_next(text, &point);

		if (len == 0)
			return false;
		text += len;
	}
	return true;
}

size_t syc_utf8_count(const char *text)
{
	size_t n = 0;
	uint32_t point;

	for (; *text; n++) {
		const size_t len = syc_utf8_next(text, &point);

		text += len ? len : point;
	}
	return n;
}

void syc_duration_format(int64_t ns, char *buffer, size_t size)
{
	const double value = (double)ns;
	const double magnitude = value < 0 ? -value : value;

	/* At these limits, rounding to three decimals gives the next unit. */
	if (magnitude < 1e3)
		snprintf(buffer, size, "%" PRId64 " ns", ns);
	else if (magnitude < 999999.5)
		snprintf(buffer, size, "%.3f µs", value / 1e3);
	else if (magnitude < 999999500.0)
		snprintf(buffer, size, "%.3f ms", value / 1e6);
	else
		snprintf(buffer, size, "%.3f s", value / 1e9);
}

/* Reading of small files. */

ssize_t syc_text_file_read(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n = 1;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	while (n != 0 && used < size - 1) {
		n = read(fd, text + used, size - 1 - used);
		if (n > 0)
			used += (size_t)n;
		else if (n < 0 && errno != EINTR)
			break;
	}
	if (n < 0)
		n = -errno;
	close(fd);
	text[used] = '\0';
	return n < 0 ? n : (ssize_t)used;
}

ssize_t syc_text_file_read_proc(int32_t pid, const char *name, char *text,
                                size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return syc_text_file_read(path, text, size);
}

static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 ||
		    (unsigned char)text[i] >= 0x7F)
			return false;
	return true;
}

/* Each byte may become three bytes. */
static char *clean(const char *text, size_t len)
{
	char *const copy = syc_copy_text(text, len);
	char *const result = malloc(3 * len + 1);
	char *to = result;

	if (copy == NULL || result == NULL) {
		free(copy);
		free(result);
		return NULL;
	}
	for (const char *from = copy; *from != 0;) {
		uint32_t point;
		const size_t n = syc_utf8_next(from, &point);

		if (n > 0 && !syc_utf8_is_control(point)) {
			memcpy(to, from, n);
			to += n;
		} else {
			memcpy(to, SYC_UTF8_REPLACEMENT, 3);
			to += 3;
		}
		from += n > 0 ? n : point;
	}
	*to = 0;
	free(copy);
	return result;
}

static int keep(struct syc_texts *texts, const char *text, size_t size,
                const char **ret_text)
{
	size_t number;

	if (syc_map_put(&texts->map, text, size, &number) < 0)
		return -ENOMEM;
	*ret_text = texts->map.keys[number].bytes;
	return 0;
}

int syc_texts_keep(struct syc_texts *texts, const char *text, size_t len,
                   const char **ret_text)
{
	char *cleaned;
	int r;

	if (is_plain(text, len) && text[len] == 0)
		return keep(texts, text, len + 1, ret_text);
	cleaned = clean(text, strnlen(text, len));
	if (cleaned == NULL)
		return -ENOMEM;
	r = keep(texts, cleaned, strlen(cleaned) + 1, ret_text);
	free(cleaned);
	return r;
}

const char *syc_texts_show(struct syc_texts *texts, const char *text)
{
	const size_t len = strlen(text);

	if (is_plain(text, len))
		return text;
	free(texts->shown);
	texts->shown = clean(text, len);
	return texts->shown;
}

void syc_texts_fini(struct syc_texts *texts)
{
	free(texts->shown);
	syc_map_fini(&texts->map);
}

bool syc_counter_is_bytes(const char *category, const char *name,
                          const char *description)
{
	const char *const texts[] = { name, description };

	if (strcmp(category, "Memory") == 0 ||
	    strcmp(category, "Disk Bytes") == 0 ||
	    strcmp(category, "Network") == 0)
		return true;
	for (unsigned i = 0; i < 2; i++) {
		const char *at = strcasestr(texts[i], "bytes");

		if (at != NULL &&
		    (at == texts[i] || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[5]))
			return true;
	}
	return false;
}
