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

/* A field that ends with NUL, inside a frame or a counter. */
struct field {
	uint8_t type;
	uint16_t at, size;
};

#define FIELD(type_number, struct_name, member)                    \
	{                                                          \
		type_number, offsetof(struct struct_name, member), \
			sizeof(((struct struct_name *)0)->member)  \
	}

static const struct field texts[] = {
	FIELD(SYSCAP_FRAME_MARK, syscap_wire_mark, group),
	FIELD(SYSCAP_FRAME_MARK, syscap_wire_mark, name),
	FIELD(SYSCAP_FRAME_METADATA, syscap_wire_metadata, id),
	FIELD(SYSCAP_FRAME_LOG, syscap_wire_log, domain),
	FIELD(SYSCAP_FRAME_FILE_CHUNK, syscap_wire_file_chunk, path),
};

static const struct field counter_texts[] = {
	FIELD(0, syscap_wire_counter, category),
	FIELD(0, syscap_wire_counter, name),
	FIELD(0, syscap_wire_counter, description),
};

/* Padding between fields. */
static const struct field gaps[] = {
	{ SYSCAP_FRAME_SAMPLE, 27, 1 },     { SYSCAP_FRAME_TRACE, 27, 1 },
	{ SYSCAP_FRAME_FORK, 28, 4 },       { SYSCAP_FRAME_CTRDEF, 26, 6 },
	{ SYSCAP_FRAME_CTRSET, 26, 6 },     { SYSCAP_FRAME_LOG, 26, 6 },
	{ SYSCAP_FRAME_ALLOCATION, 47, 1 }, { SYSCAP_FRAME_OVERLAY, 25, 3 },
};

/* Flags in what older readers take for a gap; little-endian, a byte of two. */
static const struct {
	uint8_t type, at;
} stack_flags[] = {
	{ SYSCAP_FRAME_SAMPLE, 26 },
	{ SYSCAP_FRAME_ALLOCATION, 46 },
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
		       SYSCAP_WEIGHT_TAG;
	case SYSCAP_FRAME_MARK:
	case SYSCAP_FRAME_LOG:
	case SYSCAP_FRAME_CTRDEF:
	case SYSCAP_FRAME_CTRSET:
	case SYSCAP_FRAME_METADATA:
	case SYSCAP_FRAME_FILE_CHUNK:
		return frame->tid > 0; /* only a tagged word gives one */
	default:
		return false;
	}
}

static bool has_clean_counters(const struct syscap_frame *frame)
{
	const unsigned char *counter =
		frame->bytes + sizeof(struct syscap_wire_ctrdef);

	for (unsigned i = 0; i < frame->ctrdef.n_counters; i++) {
		for (size_t f = 0; f < N_OF(counter_texts); f++)
			if (!is_clean_text(counter + counter_texts[f].at,
			                   counter_texts[f].size))
				return false;
		counter += sizeof(struct syscap_wire_counter);
	}
	return true;
}

const char *sc_check_padding(const struct syscap_frame *frame)
{
	const unsigned char *bytes = frame->bytes;
	const struct syscap_wire_frame *header = NULL;

	if (!is_zero(bytes + offsetof(struct syscap_wire_frame, padding1),
	             sizeof(header->padding1)))
		return "in padding1 of the frame header";
	if (!is_padding2_clean(frame))
		return "in padding2 of the frame header";
	for (size_t i = 0; i < N_OF(gaps); i++)
		if (gaps[i].type == frame->type &&
		    !is_zero(bytes + gaps[i].at, gaps[i].size))
			return "between its fields";
	for (size_t i = 0; i < N_OF(stack_flags); i++)
		if (stack_flags[i].type == frame->type &&
		    (bytes[stack_flags[i].at] &
		     ~(SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED)) != 0)
			return "between its fields";
	for (size_t i = 0; i < N_OF(texts); i++)
		if (texts[i].type == frame->type &&
		    !is_clean_text(bytes + texts[i].at, texts[i].size))
			return "behind the end of a text";
	if (frame->type == SYSCAP_FRAME_CTRDEF && !has_clean_counters(frame))
		return "behind the end of a counter's text";
	if (!is_zero(bytes + frame->used, (size_t)frame->len - frame->used))
		return "behind its content";
	return NULL;
}
