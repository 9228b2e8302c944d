/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * embedded.h - a file of ours that is embedded in a capture.
 *
 * Context of all: offline.
 */
#ifndef SYC_CAPTURE_EMBEDDED_H
#define SYC_CAPTURE_EMBEDDED_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "capture/writer.h"

/** Write the frames of a file, and one before them that parts it from others. */
void syc_embedded_write(struct syc_writer *writer, const char *path,
                        const void *data, size_t size, int64_t time);

/**
 * The bytes of the first file that @path is in @reader, which is rewound
 * before and after, from malloc().  1; 0: it has none that is whole, or has
 * more than @most bytes; -ENOMEM.
 */
int syc_embedded_load(struct syscap_reader *reader, const char *path,
                      uint64_t most, unsigned char **ret_bytes,
                      size_t *ret_size);

#endif
