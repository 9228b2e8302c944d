/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kept_file.h - a file of /proc or /sys that is read again and again: opened
 * once, and once more where what it told of is gone and came back.  Where no
 * descriptor may stay open it is opened for each reading.
 */
#ifndef SYC_COLLECT_KEPT_FILE_H
#define SYC_COLLECT_KEPT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/** All zero is none. */
struct syc_kept_file {
	int fd_1; /* the descriptor, and 1 */
};

/** Where files are read to, one after the other, and how. */
struct syc_kept_place {
	const char *root; /* in front of /proc and /sys: "" */
	bool keeps;       /* descriptors may stay open */
	char *buffer;
	size_t size;
};

/** Read @path to @place.  NULL: it can't be read, or is too long. */
const char *syc_kept_file_read(struct syc_kept_file *file,
                               const struct syc_kept_place *place,
                               const char *path);

void syc_kept_file_close(struct syc_kept_file *file);

#endif
