/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_order.c - a frame of a big-endian file, in little-endian order.
 *
 * The frame was decoded; the file may have changed since.
 */
#include "capture/frame_order.h"

#include <string.h>

#include "capture/frame.h"
#include "data/load.h"

/* A word whose only flag is the first of its bit-field, at either end. */
static void keep_flag(unsigned char *p)
{
	syc_store_u16(p, (syc_load_u16(p, false) & 3u) != 0);
}

bool syc_frame_order_copy(const struct syscap_frame *frame, bool big,
                          unsigned char *buffer)
{
	const struct syc_frame_shape *const shape =
		syc_frame_shape(frame->type);

	memcpy(buffer, frame->bytes, frame->len);
	if (!big)
		return true;
	if (shape != NULL && frame->len >= shape->least &&
	    syc_frame_content_end(shape, buffer, frame->len, true) != 0)
		syc_frame_turn(buffer, frame->len, true);
	syc_frame_turn_header(buffer);
	if (frame->type == SYSCAP_FRAME_SAMPLE ||
	    frame->type == SYSCAP_FRAME_TRACE)
		keep_flag(buffer + SYC_AT(sample, flags));
	if (frame->type == SYSCAP_FRAME_FILE_CHUNK)
		keep_flag(buffer + SYC_AT(file_chunk, is_last));
	return shape != NULL;
}
