/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_collector_read.c - frames in rings, read after the description of the
 * format.  Frames that stop other readers are invalid here as well.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "dropin/defects_collector.h"

/* Tag of header words with a thread's id: (tag, tid) */
#define TAG_MASK 0xFF000000u
#define TAG      0x5C000000u

uint16_t frame_u16(const struct frame *frame, unsigned at)
{
	uint16_t value;

	memcpy(&value, frame->data + at, sizeof(value));
	return value;
}

uint32_t frame_u32(const struct frame *frame, unsigned at)
{
	uint32_t value;

	memcpy(&value, frame->data + at, sizeof(value));
	return value;
}

uint64_t frame_u64(const struct frame *frame, unsigned at)
{
	uint64_t value;

	memcpy(&value, frame->data + at, sizeof(value));
	return value;
}

static bool is_text(const struct frame *frame, unsigned at, unsigned size)
{
	return memchr(frame->data + at, 0, size) != NULL;
}

static bool are_counters(const struct frame *frame)
{
	if (frame->len != 32 + 128u * frame_u16(frame, 24))
		return false;
	for (unsigned at = 32; at < frame->len; at += 128)
		if (!is_text(frame, at, 32) || !is_text(frame, at + 32, 32) ||
		    !is_text(frame, at + 64, 52) || frame->data[at + 119] > 1)
			return false;
	return true;
}

static bool is_content_right(const struct frame *frame)
{
	const unsigned len = frame->len;

	switch (frame->type) {
	case SAMPLE:
		return len >= 32 && len == 32 + 8u * frame_u16(frame, 24);
	case PROCESS:
		return len > 24 && is_text(frame, 24, len - 24);
	case CTRDEF:
		return len >= 32 && are_counters(frame);
	case CTRSET:
		return len >= 32 && len == 32 + 96u * frame_u16(frame, 24);
	case MARK:
		return len > 96 && is_text(frame, 32, 24) &&
		       is_text(frame, 56, 40) && is_text(frame, 96, len - 96);
	case LOG:
		return len > 64 && is_text(frame, 32, 32) &&
		       is_text(frame, 64, len - 64);
	case ALLOCATION:
		return len >= 48 && len == 48 + 8u * frame_u16(frame, 44);
	default:
		return true;
	}
}

const char *frame_look(const struct ring *ring, struct frame *frame)
{
	const size_t at =
		frame->data != NULL
			? (size_t)(frame->data - ring->bytes) + frame->len
			: 0;
	const size_t left = ring->n_bytes - at;
	const bool was_last = frame->data != NULL && frame->type == END;

	frame->data = NULL;
	if (left == 0)
		return NULL;
	if (was_last)
		return "something behind the end";
	if (left < 24)
		return "less than a frame's header";
	frame->data = ring->bytes + at;
	frame->len = frame_u16(frame, 0);
	frame->pid = (int32_t)frame_u32(frame, 4);
	frame->time = (int64_t)frame_u64(frame, 8);
	frame->type = frame->data[16];
	if (frame->len < 24 || frame->len % 8 != 0 || frame->len > left)
		return "no frame has this length";
	if (frame->type == END)
		return frame->len == 24 ? NULL : "a long end";
	if (frame->type < 1 || frame->type > 15)
		return "a type that readers may not support";
	return is_content_right(frame) ? NULL
	                               : "the parts of a frame don't fit";
}

bool frame_next(const struct ring *ring, struct frame *frame)
{
	const char *const why = frame_look(ring, frame);

	if (why != NULL && frame->data == NULL)
		defect_shows("%s, at the end of a ring", why);
	if (why != NULL)
		defect_shows("bad frame: %s (byte %td of a ring, type %u, "
		             "length %u)",
		             why, frame->data - ring->bytes, frame->type,
		             frame->len);
	return frame->data != NULL;
}

/* --------------------------------------------------------------- padding */

static bool is_zero(const struct frame *frame, unsigned at, unsigned end)
{
	while (at < end)
		if (frame->data[at++] != 0)
			return false;
	return true;
}

/* Do the @size bytes hold a text, followed by zeros? */
static bool is_clean_text(const struct frame *frame, unsigned at, unsigned size)
{
	const char *const text = (const char *)frame->data + at;

	return is_zero(frame, at + (unsigned)strnlen(text, size), at + size);
}

static bool is_clean_ctrdef(const struct frame *frame)
{
	for (unsigned at = 32; at < frame->len; at += 128)
		if (!is_clean_text(frame, at, 32) ||
		    !is_clean_text(frame, at + 32, 32) ||
		    !is_clean_text(frame, at + 64, 52))
			return false;
	return is_zero(frame, 26, 32);
}

/* Checks that slots without a counter have no value. */
static bool is_clean_ctrset(const struct frame *frame)
{
	for (unsigned at = 32; at < frame->len; at += 96)
		for (unsigned k = 0; k < 8; k++)
			if (frame_u32(frame, at + 4 * k) == 0 &&
			    frame_u64(frame, at + 32 + 8 * k) != 0)
				return false;
	return is_zero(frame, 26, 32);
}

bool frame_is_clean(const struct frame *frame)
{
	const unsigned len = frame->len;
	const uint32_t spare = frame_u32(frame, 20);

	if (!is_zero(frame, 17, 20) ||
	    (spare != 0 && (spare & TAG_MASK) != TAG))
		return false;
	switch (frame->type) {
	case SAMPLE:
		return frame_u16(frame, 26) == 0;
	case CTRDEF:
		return is_clean_ctrdef(frame);
	case CTRSET:
		return is_clean_ctrset(frame);
	case MARK:
		return is_clean_text(frame, 32, 24) &&
		       is_clean_text(frame, 56, 40) &&
		       is_clean_text(frame, 96, len - 96);
	case LOG:
		return is_zero(frame, 26, 32) && is_clean_text(frame, 32, 32) &&
		       is_clean_text(frame, 64, len - 64);
	case ALLOCATION:
		return frame_u16(frame, 46) == 0;
	case PROCESS:
		return is_clean_text(frame, 24, len - 24);
	default:
		return true;
	}
}

/* -------------------------------------------------------------- counting */

static bool is_mark(const struct frame *frame, const char *group,
                    const char *name)
{
	return frame->type == MARK &&
	       strcmp((const char *)frame->data + 32, group) == 0 &&
	       strcmp((const char *)frame->data + 56, name) == 0;
}

const char *mark_message(const struct frame *frame, const char *name)
{
	return is_mark(frame, "defect", name) ? (const char *)frame->data + 96
	                                      : NULL;
}

unsigned marks_count(const struct ring_peer *peer, const char *name)
{
	unsigned n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer->rings[i], &frame))
			n += mark_message(&frame, name) != NULL;
	}
	return n;
}

unsigned frames_count(const struct ring_peer *peer, unsigned type)
{
	unsigned n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer->rings[i], &frame))
			n += frame.type == type;
	}
	return n;
}

uint64_t frames_lost(const struct ring_peer *peer)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer->rings[i], &frame)) {
			const char *const message =
				(const char *)frame.data + 96;

			if (is_mark(&frame, "syscap", "lost") &&
			    strncmp(message, "frames=", 7) == 0)
				n += strtoull(message + 7, NULL, 10);
		}
	}
	return n;
}
