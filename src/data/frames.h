/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames.h - what the frames of each type are made of.
 *
 * One table for all that read frames, check them, clean them or bring them
 * into another byte order: the capture's reader, the drop-in's, the recorder
 * and `syscap check`.  A type is a row in frames.c and a struct in
 * <syscap/format.h>.  Pure.
 */
#ifndef SYC_DATA_FRAMES_H
#define SYC_DATA_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

#include "data/load.h"

/* What stands before each name of a JITMAP. */
#define SYC_JIT_ADDR_SIZE 8u

/** A field whose text ends with a NUL inside it. */
struct syc_frame_text {
	uint16_t at, size; /* size 0: the end of a list */
	const char *name;
};

/** Numbers next to each other, each of @size bytes. */
struct syc_frame_numbers {
	uint8_t at, size, n; /* size 0: the end of a list */
	uint8_t n_bits;      /* of the first of two in these 16 bits; or 0 */
};

/** Of which bytes alone do not say that a frame is right. */
#define SYC_FRAME_LOOK UINT16_MAX

struct syc_frame_shape {
	/* All bits where a duration is the first field, or none; a row is found
	 * by a shift */
	_Alignas(128) uint64_t duration;
	uint16_t least;   /* bytes that every frame has */
	uint16_t sure;    /* with which, and its items, it is right, as long
	                    * as texts may be cut; or SYC_FRAME_LOOK */
	uint16_t size;    /* in front of its items, or of its last text */
	uint8_t count_at; /* where it says (16 bits) how many items there are;
	                    * 0: it has none */
	uint8_t more_at;  /* and how many more; 0: it does not */
	bool is_walked;   /* where they end is not just a product */
	uint8_t item_size;
	uint8_t gap_at, gap_size; /* bytes that mean nothing */
	uint64_t gap; /* their bits in the word, little-endian, they are in */
	bool may_tell_tid;     /* in padding2 */
	const char *unfit;     /* what is wrong if there are too many items */
	const char *last_text; /* what it is that ends it; NULL: no text */
	struct syc_frame_text texts[3];
	const struct syc_frame_text *item_texts;
	const struct syc_frame_numbers *numbers, *item_numbers;
};

/** By type; that of 0, which none is, needs more than a frame can have. */
extern const struct syc_frame_shape syc_frame_shapes[SYSCAP_FRAME_LAST];

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

/** Bring @frame, whose items are within @len, from order @big into the other,
 * all but its header. */
void syc_frame_turn(const struct syc_frame_shape *shape, unsigned char *frame,
                    size_t len, bool big);
/** The header of any frame. */
void syc_frame_turn_header(unsigned char *frame);

#endif
