/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame.h - decoder of one frame of either byte order, with checks of all
 * bounds.
 *
 * The decoder turns bytes into struct syscap_frame, without allocation or
 * system call.
 */
#ifndef SYC_CAPTURE_FRAME_H
#define SYC_CAPTURE_FRAME_H

#include <string.h>

#include <syscap/capture.h>

#include "common/frame_layout.h"
#include "common/load.h"

/* Return the text at @at if the text ends within @size bytes, otherwise
 * NULL. */
static inline const char *syc_frame_text(const struct syscap_frame *frame,
                                         size_t at, size_t size)
{
	const unsigned char *text = frame->bytes + at;

	return memchr(text, 0, size) ? (const char *)text : NULL;
}

/* Return the id of an existing slot of a CTRSET. */
static inline const unsigned char *
syc_frame_slot_id(const struct syscap_frame *frame, unsigned slot)
{
	return frame->bytes + sizeof(struct syscap_wire_ctrset) +
	       slot / 8 * sizeof(struct syscap_wire_values) +
	       slot % 8 * sizeof(uint32_t);
}

/**
 * Decode the common frame header from the 24 bytes at @bytes, unchecked.  Zero
 * the rest of @ret_frame.
 */
static inline void syc_frame_header(const unsigned char *bytes, bool big,
                                    struct syscap_frame *ret_frame)
{
	*ret_frame = (struct syscap_frame){
		.bytes = bytes,
		.len = syc_load_u16(bytes + SYC_AT(frame, len), big),
		.cpu = (int16_t)syc_load_u16(bytes + SYC_AT(frame, cpu), big),
		.pid = syc_load_i32(bytes + SYC_AT(frame, pid), big),
		.tid = -1,
		.time = syc_load_i64(bytes + SYC_AT(frame, time), big),
		.type = bytes[SYC_AT(frame, type)],
		.padding2 = syc_load_u32(bytes + SYC_AT(frame, padding2), big),
	};
}

/** Return whether a frame can have the length @len. */
static inline bool syc_frame_is_length(unsigned len)
{
	return len >= sizeof(struct syscap_wire_frame) && len % 8 == 0;
}

/**
 * Return whether a file may end @left bytes after the start of a frame of @len
 * bytes, after a partial write.
 */
static inline bool syc_frame_is_torn(unsigned len, uint64_t left)
{
	return left < sizeof(struct syscap_wire_frame) ||
	       (len > left && len % 8 == 0);
}

/**
 * Like syc_frame_header(), if @bytes begins with a whole frame within @left
 * bytes.
 */
static inline bool syc_frame_take(const unsigned char *bytes, uint64_t left,
                                  bool big, struct syscap_frame *ret_frame)
{
	if (left < sizeof(struct syscap_wire_frame))
		return false;
	syc_frame_header(bytes, big, ret_frame);
	return syc_frame_is_length(ret_frame->len) && ret_frame->len <= left;
}

/**
 * Decode the type's own fields.  @frame comes from syc_frame_header(), and the
 * caller has checked that frame->len bytes exist.  Returns 0, even for unknown
 * types, or -EILSEQ, without decoded fields, if the content does not fit the
 * length.
 */
int syc_frame_decode(struct syscap_frame *frame, bool big,
                     struct syscap_error *error);

/*
 * Implementations of the public functions of <syscap/capture.h> with similar
 * names.
 */
bool syc_frame_counter(const struct syscap_frame *frame, bool big, unsigned i,
                       struct syscap_counter_info *ret_counter);
bool syc_frame_slot(const struct syscap_frame *frame, bool big, unsigned slot,
                    uint32_t *ret_id, uint64_t *ret_bits);
bool syc_frame_value(const struct syscap_frame *frame, bool big, unsigned i,
                     uint32_t *ret_id, uint64_t *ret_bits);
bool syc_frame_addr(const struct syscap_frame *frame, bool big, unsigned i,
                    uint64_t *ret_addr);
bool syc_frame_jit_name(const struct syscap_frame *frame, bool big,
                        size_t *cursor, uint64_t *ret_addr,
                        const char **ret_name);

/**
 * Copy @frame to @buffer, of SYSCAP_FRAME_MAX bytes, in little-endian order.
 * @big: the frame's file is big-endian.  The function copies texts, padding and
 * other bytes without order unchanged.
 *
 * Returns false for an unknown type of a big-endian file, and converts only the
 * 24 bytes of the common header.
 *
 * Context: offline.
 */
bool syc_frame_order_copy(const struct syscap_frame *frame, bool big,
                          unsigned char *buffer);

/* Weight of a sample, and flags of stacks. */

/**
 * Return the number of ticks that the sample @frame represents, or 1 if the
 * sample has no weight.
 */
static inline uint32_t syc_sample_weight(const struct syscap_frame *frame)
{
	const uint32_t weight = frame->padding2 & ~SYSCAP_WEIGHT_TAG_MASK;

	if ((frame->padding2 & SYSCAP_WEIGHT_TAG_MASK) != SYSCAP_WEIGHT_TAG ||
	    weight == 0)
		return 1;
	return weight;
}

/** Return whether @padding2 of a SAMPLE marks the stack of a blocking call or of
 * a stalled loop. */
static inline bool syc_sample_is_wait(uint32_t padding2)
{
	const uint32_t tag = padding2 & SYSCAP_WEIGHT_TAG_MASK;

	return (tag == SYSCAP_BLOCKED_TAG || tag == SYSCAP_STALLED_TAG) &&
	       (padding2 & 0xFFFFF) != 0;
}

/** Return whether @padding2 of a SAMPLE marks the stack of a crash. */
static inline bool syc_sample_is_crash(uint32_t padding2)
{
	return padding2 == SYSCAP_CRASHED_TAG;
}

/** Return whether a timer requested the SAMPLE with @padding2. */
static inline bool syc_sample_is_of_timer(uint32_t padding2)
{
	return !syc_sample_is_wait(padding2) && !syc_sample_is_crash(padding2);
}

/** Return the duration of a blocking call or of a stall, in ns. */
static inline int64_t syc_sample_wait_ns(uint32_t padding2)
{
	return ((int64_t)(padding2 & 0xFFFFF) << (padding2 >> 20 & 15)) * 1000;
}

/*
 * Return the flags at @at, or 0 if undefined bits are set, because other
 * writers leave stale bytes in the field.  Only little-endian files have flags.
 */
static inline unsigned syc_stack_flags(const unsigned char *at, unsigned others,
                                       bool is_foreign)
{
	const unsigned known = SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED;
	const unsigned flags = is_foreign ? 0 : syc_load_u16(at, false);

	return (flags & ~(known | others)) != 0 ? 0 : flags & known;
}

/**
 * Return the flags SYSCAP_STACK_* of the sample @frame.  @is_foreign: the frame
 * has the other byte order.
 */
static inline unsigned syc_sample_flags(const struct syscap_frame *frame,
                                        bool is_foreign)
{
	return syc_stack_flags(frame->bytes + SYC_AT(sample, flags), 1,
	                       is_foreign);
}

/**
 * Return the flags SYSCAP_STACK_* of the ALLOCATION @frame.  @is_foreign: the
 * frame has the other byte order.
 */
static inline unsigned syc_allocation_flags(const struct syscap_frame *frame,
                                            bool is_foreign)
{
	return syc_stack_flags(frame->bytes + SYC_AT(allocation, padding), 0,
	                       is_foreign);
}

/** Return the time of the decoded @frame, or the end of a MARK with a valid
 * duration. */
static inline int64_t syc_frame_last_time(const struct syscap_frame *frame)
{
	int64_t end;

	if (frame->type != SYSCAP_FRAME_MARK || frame->mark.duration <= 0 ||
	    __builtin_add_overflow(frame->time, frame->mark.duration, &end))
		return frame->time;
	return end;
}

#endif
