/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_settle.c - check of a frame's content against its length.
 *
 * No field of a frame is trusted: the check compares each count with the length
 * first.
 */
#include <string.h>

#include "common/frame_layout.h"
#include "sysprof_compat/reader.h"

/* End a text.  The function writes only if necessary, so that an unwritten page
 * stays the file's page. */
static inline void end_text(unsigned char *last)
{
	if (*last != '\0')
		*last = '\0';
}

static inline void end_texts(const struct syc_frame_text *text,
                             unsigned char *p)
{
	for (; text->size != 0; text++)
		end_text(p + text->at + text->size - 1);
}

/* End repeated texts, and texts at variable positions. */
static __attribute__((noinline)) void
end_more_texts(const struct syc_frame_shape *shape, unsigned char *frame,
               bool big)
{
	const unsigned n = syc_load_u16(frame + shape->count_at, big);
	unsigned char *item = frame + shape->size;

	if (shape->more_at != 0) { /* two texts, one after the other */
		unsigned char *const first = item - 2 + n;

		end_text(first);
		end_text(first + 1 + syc_load_u16(frame + shape->more_at, big));
		return;
	}
	for (unsigned i = 0; i < n; i++, item += shape->item_size)
		end_texts(shape->item_texts, item);
}

static inline void end_all_texts(const struct syc_frame_shape *shape,
                                 unsigned char *frame, size_t len, bool big)
{
	end_texts(shape->texts, frame);
	if (shape->last_text != NULL)
		end_text(frame + len - 1);
	else if (shape->item_texts != NULL || shape->more_at != 0)
		end_more_texts(shape, frame, big);
}

static const char *settle_content(const struct syc_frame_shape *shape,
                                  unsigned char *frame, size_t len, bool big)
{
	if (shape == NULL)
		return NULL;
	if (len < shape->least)
		return "too short for the type";
	if (syc_frame_content_end(shape, frame, len, big) == 0)
		return shape->unfit;
	/* Texts of such types are never cut */
	if (shape->last_text != NULL && shape->sure == SYC_FRAME_LOOK &&
	    frame[len - 1] != '\0')
		return "the text has no end";
	end_all_texts(shape, frame, len, big);
	return NULL;
}

void syc_frame_end_texts(unsigned char *frame, size_t len)
{
	const struct syc_frame_shape *const shape =
		syc_frame_shape(frame[SYC_AT(frame, type)]);

	if (shape != NULL)
		end_all_texts(shape, frame, len, SYC_HOST_IS_BIG);
}

const char *syc_frame_settle(unsigned char *frame, size_t len)
{
	return settle_content(syc_frame_shape(frame[SYC_AT(frame, type)]),
	                      frame, len, SYC_HOST_IS_BIG);
}

const char *syc_frame_settle_foreign(unsigned char *frame, size_t len)
{
	const struct syc_frame_shape *const shape =
		syc_frame_shape(frame[SYC_AT(frame, type)]);
	const char *const why =
		settle_content(shape, frame, len, !SYC_HOST_IS_BIG);

	if (why == NULL && shape != NULL)
		syc_frame_turn(frame, len, !SYC_HOST_IS_BIG);
	syc_frame_turn_header(frame);
	return why;
}

/* ------------------------------------------------------ frames in a row */

/* Number of bytes of a frame that the check reads before the frame's length is
 * known to be valid. */
#define NEEDED ((size_t)48)

/* Distance of prefetches, because the window is larger than the nearest
 * cache. */
#define PREFETCH 512

size_t syc_frames_check(const unsigned char *bytes, size_t size, size_t most,
                        int64_t *end_time)
{
	const unsigned char *frame = bytes;
	int64_t latest = *end_time;

	if (size < NEEDED)
		return 0;
	const unsigned char *const end = bytes + size;
	const unsigned char *const last =
		bytes + (most < size - NEEDED ? most : size - NEEDED);
	while (frame <= last) {
		const uint8_t type = frame[SYC_AT(frame, type)];
		uint16_t len, count;
		uint64_t time, until;

		__builtin_prefetch(frame + PREFETCH);
		__builtin_prefetch(frame + PREFETCH + 64);
		__builtin_prefetch(frame + PREFETCH + 128);
		if (type >= SYSCAP_FRAME_LAST)
			break;
		const struct syc_frame_shape *const shape =
			&syc_frame_shapes[type];
		memcpy(&len, frame, sizeof(len));
		memcpy(&count, frame + shape->count_at, sizeof(count));
		memcpy(&time, frame + SYC_AT(frame, time), sizeof(time));
		memcpy(&until, frame + SYC_AT(mark, duration), sizeof(until));
		const unsigned char *const next = frame + len;
		if (shape->sure + (uint32_t)count * shape->item_size > len ||
		    len % 8 != 0 || next > end)
			break;
		/* A sum that wraps is below `time`, so that `time` counts */
		until = time + (until & shape->duration);
		if ((int64_t)time > latest)
			latest = (int64_t)time;
		if ((int64_t)until > latest)
			latest = (int64_t)until;
		frame = next;
	}
	*end_time = latest;
	return (size_t)(frame - bytes);
}
