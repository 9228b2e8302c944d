/* SPDX-License-Identifier: BSD-2-Clause */
/* copy.h - a string of bytes that no NUL has to follow. */
#ifndef SYC_DATA_COPY_H
#define SYC_DATA_COPY_H

#include <stdlib.h>
#include <string.h>

/** @len bytes, none a NUL, and a NUL; NULL: no memory.  The caller frees. */
static inline char *syc_copy_text(const char *text, size_t len)
{
	char *const copy = malloc(len + 1);

	if (copy != NULL) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return copy;
}

#endif
