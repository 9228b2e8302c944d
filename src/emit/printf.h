/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * printf.h - a message in printf's form, for a frame whose length must be
 * known before it is taken.
 *
 * Most messages fit into the buffer and are formatted once; a longer one a
 * second time, straight into the frame.
 */
#ifndef SYC_EMIT_PRINTF_H
#define SYC_EMIT_PRINTF_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct syc_printf {
	size_t len; /* of the message, cut to fit */
	char buffer[512];
};

__attribute__((format(printf, 3, 0))) static inline void
syc_printf_begin(struct syc_printf *text, size_t max, const char *format,
                 va_list args)
{
	const int saved = errno;
	va_list copy;

	va_copy(copy, args);
	const int n = format != NULL
	                      ? vsnprintf(text->buffer, sizeof(text->buffer),
	                                  format, copy)
	                      : 0;
	va_end(copy);
	/* What can't be formatted is an empty message */
	text->len = n < 0 ? 0 : (size_t)n;
	if (text->len > max)
		text->len = max;
	errno = saved;
}

/** Put the message and its NUL at @at, where len + 1 bytes are free. */
__attribute__((format(printf, 3, 0))) static inline void
syc_printf_finish(struct syc_printf *text, char *at, const char *format,
                  va_list args)
{
	const int saved = errno;

	if (text->len < sizeof(text->buffer)) {
		memcpy(at, text->buffer, text->len);
		return;
	}
	/* Another thread may have changed a string meanwhile: what is shorter
	 * now leaves zeroes, what is longer is cut. */
	memset(at, 0, text->len + 1);
	if (vsnprintf(at, text->len + 1, format, args) < 0)
		at[0] = '\0';
	/* cut between characters: vsnprintf() cuts between bytes */
	const size_t n = strnlen(at, text->len);
	if (n == text->len) {
		size_t start = n;

		while (start > 0 && n - start < 3 &&
		       ((unsigned char)at[start - 1] & 0xC0) == 0x80)
			start--;
		if (start > 0) {
			const unsigned char lead = (unsigned char)at[start - 1];
			const size_t need = lead >= 0xF0   ? 4
			                    : lead >= 0xE0 ? 3
			                    : lead >= 0xC0 ? 2
			                                   : 1;
			if (need > 1 && n - (start - 1) < need)
				memset(at + start - 1, 0, n - (start - 1));
		}
	}
	errno = saved;
}

#endif
