/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames.h - where the items of a frame end, and its other byte order.
 *
 * By the table of what frames are made of.  Pure.
 */
#ifndef SYC_DATA_FRAMES_H
#define SYC_DATA_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/frame_rows.h"
#include "data/load.h"

/** NULL: the type is not known. */
static inline const struct syc_frame_shape *syc_frame_shape(uint8_t type)
{
	return type > 0 && type < SYSCAP_FRAME_LAST ? &syc_frame_shapes[type]
	                                            : NULL;
}

/** The same as syc_frame_content_end(), of types whose items are of all sizes. */
size_t syc_frame_walk_end(const struct syc_frame_shape *shape,
                          const unsigned char *frame, size_t len, bool big);

/**
 * Where the items of @frame end, or its last text begins.  0: its items are
 * not within @len, which is no less than what all of its type have.
 */
static inline size_t syc_frame_content_end(const struct syc_frame_shape *shape,
                                           const unsigned char *frame,
                                           size_t len, bool big)
{
	if (shape->is_walked)
		return syc_frame_walk_end(shape, frame, len, big);
	/* Without items there is nothing to multiply: no branch, most types
	 * of frames take turns */
	const size_t n = syc_load_u16(frame + shape->count_at, big);
	const size_t end = shape->size + n * shape->item_size;
	return end <= len ? end : 0;
}

/** Bring @frame, of a known type and with its items within @len, from order
 * @big into the other, all but its header. */
void syc_frame_turn(unsigned char *frame, size_t len, bool big);
/** The header of any frame. */
void syc_frame_turn_header(unsigned char *frame);

#endif
