/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kept_file.h - a file of /proc or /sys that is read again and again: opened
 * once, and once more where what it told of is gone and came back.
 */
#ifndef SYC_COLLECT_KEPT_FILE_H
#define SYC_COLLECT_KEPT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** All zero is none. */
struct syc_kept_file {
	int fd_1;         /* the descriptor, and 1 */
	const char *text; /* NULL: it could not be read the last time */
	char *buffer;
	size_t size;
};

/** Read @path below @root to its text. */
bool syc_kept_file_read(struct syc_kept_file *file, const char *root,
                        const char *path);

/** The same; what it holds is a number. */
bool syc_kept_file_number(struct syc_kept_file *file, const char *root,
                          const char *path, int64_t *ret_number);

void syc_kept_file_close(struct syc_kept_file *file);

#endif
