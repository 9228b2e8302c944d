/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame.h - composers of frames outside of a ring, and names of frame types.
 *
 * <syscap/emit.h> writes the headers of frames in a ring.  Readers, loss
 * records and JSON use the names of this file.
 *
 * The functions are pure.  Context of all functions: any-thread, signal-safe.
 */
#ifndef SYC_BASE_FRAME_H
#define SYC_BASE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <syscap/format.h>

#include "base/text.h"

/* Sysprof declares these fields as C bit-fields, which a big-endian compiler
 * allocates from the top bit down. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
/** The flag of file_chunk.is_last, and for entering in sample.flags. */
#define SYC_FRAME_FLAG 0x8000u
/** The flags SYSCAP_STACK_* that a capture of this machine has. */
#define SYC_FRAME_STACK_FLAGS 0u
/** counter.id and counter.type as one number. */
#define SYC_FRAME_COUNTER_ID(id, type) ((id) << 8 | (type))
/** dbus_message.bus_type: the type of 2 bits, and the flags. */
#define SYC_FRAME_BUS(type, flags) ((type) << 14 | ((flags)&0x3FFFu))
#else
#define SYC_FRAME_FLAG                 1u
#define SYC_FRAME_STACK_FLAGS          (SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED)
#define SYC_FRAME_COUNTER_ID(id, type) ((id) | (type) << 24)
#define SYC_FRAME_BUS(type, flags)     ((type) | (unsigned)(flags) << 2)
#endif

/** The value of padding2 in a frame without a field for @tid.  Returns 0 if
 * @tid is invalid. */
static inline uint32_t syc_frame_tid_tag(int32_t tid)
{
	return tid > 0 && ((uint32_t)tid & SYSCAP_TID_TAG_MASK) == 0
	               ? SYSCAP_TID_TAG | (uint32_t)tid
	               : 0;
}

/** Write the header except its len, without a processor and a thread. */
static inline void syc_frame_begin(struct syscap_wire_frame *frame,
                                   uint8_t type, int32_t pid, int64_t time)
{
	*frame = (struct syscap_wire_frame){
		.cpu = -1,
		.pid = pid,
		.time = time,
		.type = type,
	};
}

/** End the frame @frame at offset @end: clear the rest of the last word, write
 * len, and return len. */
static inline uint16_t syc_frame_end(struct syscap_wire_frame *frame,
                                     size_t end)
{
	const size_t len = (end + 7) & ~(size_t)7;

	memset((unsigned char *)frame + end, 0, len - end);
	frame->len = (uint16_t)len;
	return frame->len;
}

/** Write a METADATA frame to @buffer, which is aligned to 8.  The texts must
 * fit.  Returns the frame's length. */
static inline uint16_t syc_frame_metadata(void *buffer, int32_t pid,
                                          int64_t time, const char *id,
                                          const char *value)
{
	struct syscap_wire_metadata *const metadata = buffer;
	const size_t size = strlen(value) + 1;

	syc_frame_begin(&metadata->frame, SYSCAP_FRAME_METADATA, pid, time);
	memset(metadata->id, 0, sizeof(metadata->id));
	memcpy(metadata->id, id, strlen(id));
	memcpy(metadata + 1, value, size);
	return syc_frame_end(&metadata->frame, sizeof(*metadata) + size);
}

/** Names of all types, in the order of the types. */
#define SYC_FRAME_NAMES                                                     \
	"timestamp sample map process fork exit jitmap ctrdef ctrset mark " \
	"metadata log file_chunk allocation overlay trace dbus_message"

/** Name of frames of @type.  Returns NULL if no frame of a file has @type. */
static inline const char *syc_frame_name(unsigned type)
{
	static const char names[SYSCAP_FRAME_LAST][16] = {
		[SYSCAP_FRAME_TIMESTAMP] = "timestamp",
		[SYSCAP_FRAME_SAMPLE] = "sample",
		[SYSCAP_FRAME_MAP] = "map",
		[SYSCAP_FRAME_PROCESS] = "process",
		[SYSCAP_FRAME_FORK] = "fork",
		[SYSCAP_FRAME_EXIT] = "exit",
		[SYSCAP_FRAME_JITMAP] = "jitmap",
		[SYSCAP_FRAME_CTRDEF] = "ctrdef",
		[SYSCAP_FRAME_CTRSET] = "ctrset",
		[SYSCAP_FRAME_MARK] = "mark",
		[SYSCAP_FRAME_METADATA] = "metadata",
		[SYSCAP_FRAME_LOG] = "log",
		[SYSCAP_FRAME_FILE_CHUNK] = "file_chunk",
		[SYSCAP_FRAME_ALLOCATION] = "allocation",
		[SYSCAP_FRAME_OVERLAY] = "overlay",
		[SYSCAP_FRAME_TRACE] = "trace",
		[SYSCAP_FRAME_DBUS_MESSAGE] = "dbus_message",
	};

	return type != 0 && type < SYSCAP_FRAME_LAST ? names[type] : NULL;
}

/*
 * The frames of a file that is embedded in a capture.
 */

/** Name of the file, and destination of the frames. */
struct syc_file_chunks {
	const char *path;
	int64_t time;
	/* Memory for one chunk, aligned to 8 and of at most SYSCAP_FRAME_MAX
	 * bytes */
	void *buffer;
	size_t size;
	/* Function that receives each frame; if the function returns false, the
	 * emission stops */
	bool (*emit)(void *context, const void *frame, uint32_t len);
	void *context;
};

/** Emit a frame that separates this file from others, then the frames of @size
 * bytes.  Context: any-thread, signal-safe, if emit() is. */
static inline void syc_file_chunks_emit(const struct syc_file_chunks *chunks,
                                        const void *data, size_t size)
{
	const size_t most = chunks->size - SYSCAP_FILE_CHUNK_FIXED;
	struct syscap_wire_file_chunk *const chunk = chunks->buffer;
	struct syscap_wire_frame gap;
	size_t at = 0, n;
	uint16_t len;

	/* Sysprof 3.46 skips the frame after a chunk of another file. */
	syc_frame_begin(&gap, SYSCAP_FRAME_TIMESTAMP, -1, chunks->time);
	len = syc_frame_end(&gap, sizeof(gap));
	if (!chunks->emit(chunks->context, &gap, len))
		return;
	do {
		n = size - at < most ? size - at : most;
		syc_frame_begin(&chunk->frame, SYSCAP_FRAME_FILE_CHUNK, -1,
		                chunks->time);
		chunk->is_last = at + n == size;
		chunk->len = (uint16_t)n;
		syc_text_field(chunk->path, sizeof(chunk->path), chunks->path);
		memcpy((unsigned char *)chunk + SYSCAP_FILE_CHUNK_FIXED,
		       (const unsigned char *)data + at, n);
		len = syc_frame_end(&chunk->frame, SYSCAP_FILE_CHUNK_FIXED + n);
		at += n;
	} while (chunks->emit(chunks->context, chunk, len) && at < size);
}

#endif
