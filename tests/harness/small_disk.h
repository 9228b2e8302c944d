/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * small_disk.h - a file system that is soon full, seen by one test only.
 */
#ifndef SYSCAP_SMALL_DISK_H
#define SYSCAP_SMALL_DISK_H

/**
 * Mount a tmpfs of @kib KiB at a new folder, in a mount namespace of this
 * process.  Skips the test where that can't be done.  The folder is free()d
 * by small_disk_remove().
 */
char *small_disk_make(unsigned kib);

/** Make it larger, or smaller. */
void small_disk_resize(const char *dir, unsigned kib);

void small_disk_remove(char *dir);

#endif
