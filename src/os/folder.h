/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folder.h - the names in a folder of the kernel's.
 *
 * Uses bare system calls and a buffer of the caller.  Does not allocate,
 * touches only errno of the C library, and is no cancellation point.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_OS_FOLDER_H
#define SYC_OS_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/** A descriptor of the folder at @path, or -errno. */
int syc_folder_open(const char *path);

void syc_folder_close(int fd);

/** A walk through it. */
struct syc_folder {
	int fd;
	long at, n; /* in entries */
	bool has_failed;
	char entries[2048] __attribute__((aligned(8)));
};

struct syc_folder_entry {
	const char *name; /* until the next step */
	uint64_t inode;
};

/** Begins again with the first one. */
void syc_folder_begin(struct syc_folder *folder, int fd);

/** Steps to the next that does not begin with a dot.  False: there is no more,
 * or reading failed. */
bool syc_folder_next(struct syc_folder *folder,
                     struct syc_folder_entry *ret_entry);

#endif
