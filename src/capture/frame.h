/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame.h - decode one frame, bounds-checked, of either byte order.
 *
 * Pure: bytes in, struct syscap_frame out; no allocation, no system call.
 * Whoever calls has made sure that frame->len bytes are there.
 */
#ifndef SYC_CAPTURE_FRAME_H
#define SYC_CAPTURE_FRAME_H

#include <string.h>

#include <syscap/capture.h>

#include "data/frames.h"
#include "data/load.h"

/* The text at @at if it ends within @size bytes, else NULL. */
static inline const char *syc_frame_text(const struct syscap_frame *frame,
                                         size_t at, size_t size)
{
	const unsigned char *text = frame->bytes + at;

	return memchr(text, 0, size) ? (const char *)text : NULL;
}

/* Where the id of a slot of a CTRSET is; the caller knows that it exists. */
static inline const unsigned char *
syc_frame_slot_id(const struct syscap_frame *frame, unsigned slot)
{
	return frame->bytes + sizeof(struct syscap_wire_ctrset) +
	       slot / 8 * sizeof(struct syscap_wire_values) +
	       slot % 8 * sizeof(uint32_t);
}

/**
 * Fill the part that all frames share from the 24 bytes at @bytes; the rest
 * of @ret_frame is zero.  Nothing is checked.
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

/**
 * Decode what depends on the type.  @frame comes from syc_frame_header().
 * Returns 0, also for types that are not known; -EILSEQ, and no decoded
 * fields, where the content does not fit the length.
 */
int syc_frame_decode(struct syscap_frame *frame, bool big,
                     struct syscap_error *error);

/* Behind the public accessors of the same names; see <syscap/capture.h>. */
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

#endif
