/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_padding.c - are the bytes that mean nothing zero?
 *
 * Readers skip them, but what a writer leaves there is memory of the program
 * that was recorded, and makes equal recordings differ.
 */
#define _GNU_SOURCE
#include "cli/check_padding.h"

#include <string.h>

#include "capture/sample.h"
#include "data/frames.h"

/* Flags in what older readers take for a gap; little-endian, a byte of two. */
static const struct {
	uint8_t type, at;
} stack_flags[] = {
	{ SYSCAP_FRAME_SAMPLE, SYC_AT(sample, flags) },
	{ SYSCAP_FRAME_ALLOCATION, SYC_AT(allocation, padding) },
};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool is_zero(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static bool is_clean_text(const unsigned char *bytes, size_t size)
{
	const size_t len = strnlen((const char *)bytes, size);

	return is_zero(bytes + len, size - len);
}

static bool is_padding2_clean(const struct syscap_frame *frame)
{
	if (frame->padding2 == 0)
		return true;
	switch (frame->type) {
	case SYSCAP_FRAME_TIMESTAMP:
		return frame->timestamp.is_index;
	case SYSCAP_FRAME_SAMPLE:
		return (frame->padding2 & SYSCAP_WEIGHT_TAG_MASK) ==
		               SYSCAP_WEIGHT_TAG ||
		       syc_sample_is_wait(frame->padding2);
	default: /* only a tagged word gives these a thread */
		return syc_frame_shape(frame->type)->may_tell_tid &&
		       frame->tid > 0;
	}
}

static bool has_clean_texts(const struct syc_frame_text *text,
                            const unsigned char *bytes)
{
	for (; text->size != 0; text++)
		if (!is_clean_text(bytes + text->at, text->size))
			return false;
	return true;
}

static bool has_clean_counters(const struct syscap_frame *frame,
                               const struct syc_frame_shape *shape)
{
	const unsigned char *counter = frame->bytes + shape->size;

	for (unsigned i = 0; i < frame->ctrdef.n_counters; i++)
		if (!has_clean_texts(shape->item_texts,
		                     counter + i * shape->item_size))
			return false;
	return true;
}

const char *syc_check_padding(const struct syscap_frame *frame)
{
	const struct syc_frame_shape *const shape =
		syc_frame_shape(frame->type);
	const unsigned char *bytes = frame->bytes;

	if (!is_zero(bytes + SYC_AT(frame, padding1),
	             SYC_SIZE(frame, padding1)))
		return "in padding1 of the frame header";
	if (!is_padding2_clean(frame))
		return "in padding2 of the frame header";
	if (!is_zero(bytes + shape->gap_at, shape->gap_size))
		return "between its fields";
	for (size_t i = 0; i < N_OF(stack_flags); i++)
		if (stack_flags[i].type == frame->type &&
		    (bytes[stack_flags[i].at] &
		     ~(SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED)) != 0)
			return "between its fields";
	if (!has_clean_texts(shape->texts, bytes))
		return "behind the end of a text";
	if (frame->type == SYSCAP_FRAME_CTRDEF &&
	    !has_clean_counters(frame, shape))
		return "behind the end of a counter's text";
	if (!is_zero(bytes + frame->used, (size_t)frame->len - frame->used))
		return "behind its content";
	return NULL;
}
