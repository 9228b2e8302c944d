/* SPDX-License-Identifier: BSD-2-Clause */
/* file_chunks.h - the frames of a file that is embedded in a capture. */
#ifndef SYC_BASE_FILE_CHUNKS_H
#define SYC_BASE_FILE_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

/** Name of the file, and destination of the frames. */
struct syc_file_chunks {
	const char *path;
	int64_t time;
	/* memory for one chunk: aligned to 8, SYSCAP_FRAME_MAX bytes at most */
	void *buffer;
	size_t size;
	/* Function that receives each frame; the result false stops the
	 * emission */
	bool (*emit)(void *context, const void *frame, uint32_t len);
	void *context;
};

/** Emit a frame that separates this file from others, then the frames of @n
 * bytes.  Context: any-thread, signal-safe, if emit() is. */
void syc_file_chunks_emit(const struct syc_file_chunks *chunks,
                          const void *data, size_t n);

#endif
