/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * small_disk.h - a small file system that only one test sees.
 */
#ifndef SYSCAP_SMALL_DISK_H
#define SYSCAP_SMALL_DISK_H

/**
 * Mount a tmpfs of @kib KiB at a new directory, in a mount namespace of this
 * process.  The test skips if the mount fails.  small_disk_remove() frees the
 * name of the directory.
 */
char *small_disk_make(unsigned kib);

/** Make the file system larger or smaller. */
void small_disk_resize(const char *dir, unsigned kib);

void small_disk_remove(char *dir);

#endif
