/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame.h - the header of a frame that is put together in memory of its own.
 *
 * For all that compose frames outside of a ring: what goes into a ring has its
 * header from <syscap/emit.h>.
 *
 * Pure.  Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_BASE_FRAME_H
#define SYC_BASE_FRAME_H

#include <stddef.h>
#include <string.h>

#include <syscap/format.h>

/** padding2 of a frame that has no other place for @tid; 0: there can't be
 * such a thread. */
static inline uint32_t syc_frame_tid_tag(int32_t tid)
{
	return tid > 0 && ((uint32_t)tid & SYSCAP_TID_TAG_MASK) == 0
	               ? SYSCAP_TID_TAG | (uint32_t)tid
	               : 0;
}

/** Write the header but its len: of no processor and no thread. */
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

/** All of the frame up to @end is written: clear what remains of its last word,
 * and write len, which is returned. */
static inline uint16_t syc_frame_end(struct syscap_wire_frame *frame,
                                     size_t end)
{
	const size_t len = (end + 7) & ~(size_t)7;

	memset((unsigned char *)frame + end, 0, len - end);
	frame->len = (uint16_t)len;
	return frame->len;
}

/** A METADATA frame at @buffer, aligned to 8, of texts that fit.  Returns its
 * length. */
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

#endif
