/* SPDX-License-Identifier: BSD-2-Clause */
/* plain_file.h - open a file, and nothing else that has a name. */
#ifndef SYC_CAPTURE_PLAIN_FILE_H
#define SYC_CAPTURE_PLAIN_FILE_H

#include <syscap/capture.h>

/**
 * Open @path with @flags if it is a regular file.  Anything else is looked at
 * and not opened: that may be an order to a device, and wait for a pipe's
 * other end.  Returns the descriptor, or -errno and @error (or NULL) filled.
 */
int syc_plain_file_open(const char *path, int flags,
                        struct syscap_error *error);

#endif
