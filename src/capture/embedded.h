/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * embedded.h - files that are embedded in a capture.
 *
 * Context of all functions: offline.
 */
#ifndef SYC_CAPTURE_EMBEDDED_H
#define SYC_CAPTURE_EMBEDDED_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "capture/writer.h"
#include "common/containers.h"

/** Chunks of a file.  A zero-initialized struct is empty.  The owner frees
 * bytes.items. */
struct syc_chunks {
	SYC_ARRAY(unsigned char) bytes;
};

/**
 * Add a FILE_CHUNK.  Returns 1 after the last chunk, 0 if more chunks follow,
 * or -ENOMEM.
 */
int syc_chunks_add(struct syc_chunks *chunks, const struct syscap_frame *frame);

/**
 * Write a frame that separates the file from other files, and the frames of the
 * file.
 */
void syc_embedded_write(struct syc_writer *writer, const char *path,
                        const void *data, size_t size, int64_t time);

/**
 * Load the first file with the path @path in @reader into memory from malloc().
 * The function rewinds @reader before and after.  Returns 1, -ENOMEM, or 0 if
 * the capture has no complete file with this path, or the file has more than
 * @most bytes.
 */
int syc_embedded_load(struct syscap_reader *reader, const char *path,
                      uint64_t most, unsigned char **ret_bytes,
                      size_t *ret_size);

#endif
