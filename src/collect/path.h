/* SPDX-License-Identifier: BSD-2-Clause */
/* path.h - names of files of the kernel's, put together. */
#ifndef SYC_COLLECT_PATH_H
#define SYC_COLLECT_PATH_H

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

#define SYC_PATH_MAX 192u

/** @parts, up to NULL, one behind the other into SYC_PATH_MAX bytes.  False:
 * they do not fit. */
static inline bool syc_path_make(char *path, const char *const *parts)
{
	struct syc_text text = syc_text_begin(path, SYC_PATH_MAX);
	size_t len = 0;

	for (; *parts != NULL; parts++) {
		len += strlen(*parts);
		syc_text_add(&text, *parts);
	}
	return len < SYC_PATH_MAX;
}

#endif
