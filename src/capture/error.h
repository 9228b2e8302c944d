/* SPDX-License-Identifier: BSD-2-Clause */
/* error.h - function that fills a struct syscap_error. */
#ifndef SYC_CAPTURE_ERROR_H
#define SYC_CAPTURE_ERROR_H

#include <syscap/capture.h>

/**
 * Fill @error, which may be NULL, with an errno value, an offset in the file,
 * and a sentence without full stop and file name. Returns -@code, for use in a
 * return statement.
 */
int syc_error_set(struct syscap_error *error, int code, uint64_t offset,
                  const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
