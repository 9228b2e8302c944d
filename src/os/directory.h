/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * directory.h - names in a directory of /proc or /sys.
 *
 * The functions use bare system calls and a buffer of the caller.  The
 * functions do not allocate, change only errno of the C library, and are no
 * cancellation points.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_OS_DIRECTORY_H
#define SYC_OS_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

/** An fd of the directory at @path, or -errno. */
int syc_directory_open(const char *path);

void syc_directory_close(int fd);

/** A walk through a directory. */
struct syc_directory {
	int fd;
	long at, n; /* positions in the entries */
	bool has_failed;
	char entries[2048] __attribute__((aligned(8)));
};

struct syc_directory_entry {
	const char *name; /* valid until the next step */
	uint64_t inode;
};

/** Begin again with the first name. */
void syc_directory_begin(struct syc_directory *folder, int fd);

/** Step to the next name that does not begin with a dot.  False: no name is
 * left, or reading failed. */
bool syc_directory_next(struct syc_directory *folder,
                        struct syc_directory_entry *ret_entry);

#endif
