/* SPDX-License-Identifier: BSD-2-Clause */
/* text_file.h - the text of a small file, such as a file in /proc. Context:
 * offline. */
#ifndef SYC_COMMON_TEXT_FILE_H
#define SYC_COMMON_TEXT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * Read at most @size - 1 bytes of the file at @path into @text, and add a NUL,
 * also after a failure. Returns the number of bytes, or -errno.
 */
ssize_t syc_text_file_read(const char *path, char *text, size_t size);

/** The same for /proc/@pid/@name. */
ssize_t syc_text_file_read_proc(int32_t pid, const char *name, char *text,
                                size_t size);

#endif
