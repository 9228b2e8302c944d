/* SPDX-License-Identifier: BSD-2-Clause */
/* same_file.h - whether a number is still the descriptor that it was. */
#ifndef SYC_OS_SAME_FILE_H
#define SYC_OS_SAME_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * Whether @fd leads to that file: the program may have closed it, and have
 * opened another under the number.
 *
 * Context: any-thread, signal-safe; may set errno.
 */
bool syc_same_file(int fd, dev_t dev, ino_t ino);

#endif
