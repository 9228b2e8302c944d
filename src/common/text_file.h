/* SPDX-License-Identifier: BSD-2-Clause */
/* text_file.h - the text of a small file, such as those in /proc are.
 * Context: offline. */
#ifndef SYC_COMMON_TEXT_FILE_H
#define SYC_COMMON_TEXT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * Read at most @size - 1 bytes of the file at @path to @text; a NUL follows,
 * also what could be read before a failure.  Returns how many, or -errno.
 */
ssize_t syc_text_file_read(const char *path, char *text, size_t size);

/** The same of /proc/@pid/@name. */
ssize_t syc_text_file_read_proc(int32_t pid, const char *name, char *text,
                                size_t size);

#endif
