/* SPDX-License-Identifier: BSD-2-Clause */
/* error.c - function that fills a struct syscap_error. */
#include "capture/error.h"

#include <stdarg.h>
#include <stdio.h>

int syc_error_set(struct syscap_error *error, int code, uint64_t offset,
                  const char *format, ...)
{
	if (error) {
		va_list arguments;

		error->code = code;
		error->offset = offset;
		va_start(arguments, format);
		vsnprintf(error->message, sizeof(error->message), format,
		          arguments);
		va_end(arguments);
	}
	return -code;
}
