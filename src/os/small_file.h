/* SPDX-License-Identifier: BSD-2-Clause */
/* small_file.h - the text of a small file of the kernel's, by one read(). */
#ifndef SYC_OS_SMALL_FILE_H
#define SYC_OS_SMALL_FILE_H

#include <stddef.h>

/**
 * As much as fits, and a NUL behind it, also where there is none.  Returns how
 * much that is; 0: it can't be read, or is empty.
 *
 * Context: any-thread, signal-safe.
 */
size_t syc_small_file_read(const char *path, char *text, size_t size);

#endif
