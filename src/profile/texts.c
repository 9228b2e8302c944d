/* SPDX-License-Identifier: BSD-2-Clause */
/* texts.c - interned, displayable texts. */
#define _GNU_SOURCE
#include "profile/texts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"

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
