/* SPDX-License-Identifier: BSD-2-Clause */
/* embedded.h - write a file into a capture. */
#ifndef SYC_CAPTURE_EMBEDDED_H
#define SYC_CAPTURE_EMBEDDED_H

#include <stddef.h>
#include <stdint.h>

#include "capture/writer.h"

/** Write @size bytes as the file @path, of less than 256 bytes. */
void syc_embedded_write(struct syc_writer *writer, const char *path,
                        const void *data, size_t size, int64_t time);

#endif
