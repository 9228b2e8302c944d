/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_layout.h - layout of every frame type.
 *
 * All code that reads, checks, cleans or converts frames uses this table: the
 * readers of captures, the recorder and `syscap check`.  Each type has a row
 * below and a struct in <syscap/format.h>.  The functions are pure.
 *
 * The table is in a header so that compilers can optimize code for many frames.
 * In a switch with a case for each type, SYC_FRAME_TYPES(), the row is a
 * constant.  Fields that the type lacks then cost nothing.
 */
#ifndef SYC_COMMON_FRAME_LAYOUT_H
#define SYC_COMMON_FRAME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

#include "common/load.h"

/* The bytes before each name of a JITMAP. */
#define SYC_JIT_ADDR_SIZE 8u

/** A field whose text ends with a NUL inside the field. */
struct syc_frame_text {
	uint16_t at, size; /* size 0: end of the list */
	const char *name;
};

/** Numbers next to each other, each of @size bytes. */
struct syc_frame_numbers {
	uint8_t at, size, n; /* size 0: end of the list */
	uint8_t n_bits;      /* bits of the first of two bit-fields; 0: no
	                      * bit-fields */
};

/** Value of `sure` for frames that no size alone proves valid. */
#define SYC_FRAME_LOOK UINT16_MAX

struct syc_frame_shape {
	/*
	 * All ones if a duration is the first field, otherwise 0.  This
	 * alignment makes the index of a row a shift.
	 */
	_Alignas(128) uint64_t duration;
	uint64_t gap;   /* unused bits of the little-endian word at gap_at */
	uint16_t least; /* the minimum size of a frame */
	/* A frame with this size plus its items is valid if texts may be cut.
	 * SYC_FRAME_LOOK: the size does not suffice. */
	uint16_t sure;
	uint16_t size;    /* size before the items, or before the last text */
	uint8_t count_at; /* offset of the count of items (16 bits); 0: none */
	uint8_t more_at;  /* offset of another count; 0: none */
	uint8_t item_size;
	uint8_t gap_at, gap_size;       /* place of `gap`, in bytes */
	bool is_walked;                 /* the items have different sizes */
	bool may_tell_tid;              /* padding2 may have the tid */
	bool is_event;                  /* see syc_frame_is_event() */
	const char *unfit;              /* error message for too many items */
	const char *last_text;          /* name of the last text; NULL: none */
	struct syc_frame_text texts[3]; /* size 0: end of the list */
	const struct syc_frame_text *item_texts;
	struct syc_frame_numbers numbers[4], item_numbers[2];
};

/** Expand @each(TYPE) for each type. */
#define SYC_FRAME_TYPES(each)                                                \
	each(TIMESTAMP) each(SAMPLE) each(MAP) each(PROCESS) each(FORK)      \
		each(EXIT) each(JITMAP) each(CTRDEF) each(CTRSET) each(MARK) \
			each(METADATA) each(LOG) each(FILE_CHUNK)            \
				each(ALLOCATION) each(OVERLAY) each(TRACE)   \
					each(DBUS_MESSAGE)

#define TEXT(type, field)                                          \
	{                                                          \
		SYC_AT(type, field), SYC_SIZE(type, field), #field \
	}
#define NUMBER(type, field)                                      \
	{                                                        \
		SYC_AT(type, field), SYC_SIZE(type, field), 1, 0 \
	}
#define ARRAY(type, field, of)                                \
	{                                                     \
		SYC_AT(type, field), sizeof(of),              \
			SYC_SIZE(type, field) / sizeof(of), 0 \
	}
#define BITS(type, field, n)                                     \
	{                                                        \
		SYC_AT(type, field), SYC_SIZE(type, field), 1, n \
	}

/* Rows for frames of fixed size, for frames with a text at the end, and for
 * frames with items. */
#define PLAIN(n) .least = (n), .sure = (n), .size = (n)
#define SPEAKING(n, what) \
	.least = (n) + 1, .sure = (n) + 1, .size = (n), .last_text = (what)
#define COUNTING(n, type, field, item, wrong)                           \
	PLAIN(n), .count_at = SYC_AT(type, field), .item_size = (item), \
		  .unfit = (wrong)
#define GAP(at, n)                       \
	.gap_at = (at), .gap_size = (n), \
	.gap = (UINT64_MAX >> 8 * (8 - (n))) << 8 * ((at) % sizeof(uint64_t))

#define ADDRESS                           \
	{                                 \
		0, sizeof(uint64_t), 1, 0 \
	}

#define WIRE(type) sizeof(struct syscap_wire_##type)

#define STACK                                                                 \
	COUNTING(WIRE(sample), sample, n_addrs, sizeof(uint64_t),             \
	         "the addresses do not fit"),                                 \
		GAP(SYC_AT(sample, flags) + 1, 1),                            \
		.is_event = true,                                             \
		.numbers = { NUMBER(sample, n_addrs), BITS(sample, flags, 1), \
		             NUMBER(sample, tid) },                           \
		.item_numbers = { ADDRESS }

static const struct syc_frame_text syc_frame_counter_texts[] = {
	TEXT(counter, category),
	TEXT(counter, name),
	TEXT(counter, description),
	{ 0 },
};

static const struct syc_frame_shape syc_frame_shapes[SYSCAP_FRAME_LAST] = {
	[0] = { .least = UINT16_MAX, .sure = SYC_FRAME_LOOK },
	[SYSCAP_FRAME_TIMESTAMP] = { PLAIN(WIRE(frame)) },
	[SYSCAP_FRAME_SAMPLE] = { STACK },
	[SYSCAP_FRAME_MAP] = {
		.least = WIRE(map) + 1, .sure = SYC_FRAME_LOOK,
		.size = WIRE(map), .last_text = "path", .is_event = true,
		.numbers = { NUMBER(map, start), NUMBER(map, end),
		                   NUMBER(map, offset), NUMBER(map, inode) },
	},
	[SYSCAP_FRAME_PROCESS] = {
		.least = WIRE(frame) + 1, .sure = SYC_FRAME_LOOK,
		.size = WIRE(frame), .last_text = "command line",
		.is_event = true,
	},
	[SYSCAP_FRAME_FORK] = {
		PLAIN(WIRE(fork)), GAP(SYC_AT(fork, padding), 4),
		.is_event = true,
		.numbers = { NUMBER(fork, child_pid) },
	},
	[SYSCAP_FRAME_EXIT] = { PLAIN(WIRE(frame)), .is_event = true },
	[SYSCAP_FRAME_JITMAP] = { /* the count has 32 bits */
		.least = SYSCAP_JITMAP_FIXED, .sure = SYC_FRAME_LOOK,
		.size = SYSCAP_JITMAP_FIXED,
		.count_at = SYC_AT(jitmap, n_jitmaps), .is_walked = true,
		.unfit = "the names do not fit",
		.numbers = { NUMBER(jitmap, n_jitmaps) },
	},
	[SYSCAP_FRAME_CTRDEF] = {
		COUNTING(WIRE(ctrdef), ctrdef, n_counters, WIRE(counter),
		         "the counters do not fit"),
		GAP(SYC_AT(ctrdef, padding1), 6), .may_tell_tid = true,
		.numbers = { NUMBER(ctrdef, n_counters) },
		.item_texts = syc_frame_counter_texts,
		.item_numbers = { NUMBER(counter, id),
		                        NUMBER(counter, value) },
	},
	[SYSCAP_FRAME_CTRSET] = {
		COUNTING(WIRE(ctrset), ctrset, n_groups, WIRE(values),
		         "the groups of values do not fit"),
		GAP(SYC_AT(ctrset, padding1), 6), .may_tell_tid = true,
		.is_event = true,
		.numbers = { NUMBER(ctrset, n_groups) },
		.item_numbers = { ARRAY(values, ids, uint32_t),
		                        ARRAY(values, values, uint64_t) },
	},
	[SYSCAP_FRAME_MARK] = {
		SPEAKING(WIRE(mark), "message"), .duration = UINT64_MAX,
		.may_tell_tid = true, .is_event = true,
		.texts = { TEXT(mark, group), TEXT(mark, name) },
		.numbers = { NUMBER(mark, duration) },
	},
	[SYSCAP_FRAME_METADATA] = {
		SPEAKING(WIRE(metadata), "text"),
		.may_tell_tid = true,
		.texts = { TEXT(metadata, id) },
	},
	[SYSCAP_FRAME_LOG] = {
		SPEAKING(WIRE(log), "message"),
		GAP(SYC_AT(log, padding1), 6), .may_tell_tid = true,
		.is_event = true,
		.texts = { TEXT(log, domain) },
		.numbers = { NUMBER(log, severity) },
	},
	[SYSCAP_FRAME_FILE_CHUNK] = {
		COUNTING(SYSCAP_FILE_CHUNK_FIXED, file_chunk, len, 1,
		         "the data does not fit"),
		.may_tell_tid = true,
		.texts = { TEXT(file_chunk, path) },
		.numbers = { BITS(file_chunk, is_last, 1),
		                   NUMBER(file_chunk, len) },
	},
	[SYSCAP_FRAME_ALLOCATION] = {
		COUNTING(WIRE(allocation), allocation, n_addrs,
		         sizeof(uint64_t), "the addresses do not fit"),
		GAP(SYC_AT(allocation, padding) + 1, 1), .is_event = true,
		.numbers = { NUMBER(allocation, addr),
		                   NUMBER(allocation, size),
		                   NUMBER(allocation, tid),
		                   NUMBER(allocation, n_addrs) },
		.item_numbers = { ADDRESS },
	},
	[SYSCAP_FRAME_OVERLAY] = { /* two texts, each with a NUL at the end */
		.least = SYSCAP_OVERLAY_FIXED + 2, .sure = SYC_FRAME_LOOK,
		.size = SYSCAP_OVERLAY_FIXED + 2,
		.count_at = SYC_AT(overlay, src_len),
		.more_at = SYC_AT(overlay, dst_len), .is_walked = true,
		.item_size = 1,
		.unfit = "the paths do not fit",
		GAP(SYC_AT(overlay, padding), 3),
		.numbers = { NUMBER(overlay, src_len),
		                   NUMBER(overlay, dst_len) },
	},
	[SYSCAP_FRAME_TRACE] = { STACK },
	[SYSCAP_FRAME_DBUS_MESSAGE] = {
		COUNTING(SYSCAP_DBUS_FIXED, dbus_message, message_len, 1,
		         "the message does not fit"),
		.is_event = true,
		.numbers = { BITS(dbus_message, bus_type, 2),
		                   NUMBER(dbus_message, message_len) },
	},
};

#define ONE(TYPE) +1
_Static_assert(0 SYC_FRAME_TYPES(ONE) == SYSCAP_FRAME_LAST - 1,
               "SYC_FRAME_TYPES() has each type");

#undef ONE
#undef TEXT
#undef NUMBER
#undef ARRAY
#undef BITS
#undef PLAIN
#undef SPEAKING
#undef COUNTING
#undef GAP
#undef ADDRESS
#undef WIRE
#undef STACK

/** NULL: unknown type. */
static inline const struct syc_frame_shape *syc_frame_shape(uint8_t type)
{
	return type > 0 && type < SYSCAP_FRAME_LAST ? &syc_frame_shapes[type]
	                                            : NULL;
}

/**
 * Return whether frames of @type are events.  Descriptive frames may be written
 * long after their subject, so their times do not extend a capture's span.
 */
static inline bool syc_frame_is_event(uint8_t type)
{
	const struct syc_frame_shape *const shape = syc_frame_shape(type);

	return shape != NULL && shape->is_event;
}

/** syc_frame_content_end() for types with items of several sizes. */
size_t syc_frame_walk_end(const struct syc_frame_shape *shape,
                          const unsigned char *frame, size_t len, bool big);

/**
 * The end of the items of @frame, or the beginning of its last text.  Returns 0
 * if the items exceed @len.  @len is at least the fixed size of the type.
 */
static inline size_t syc_frame_content_end(const struct syc_frame_shape *shape,
                                           const unsigned char *frame,
                                           size_t len, bool big)
{
	if (shape->is_walked)
		return syc_frame_walk_end(shape, frame, len, big);
	/*
	 * This code has no branch for frames without items, because types
	 * alternate
	 */
	const size_t n = syc_load_u16(frame + shape->count_at, big);
	const size_t end = shape->size + n * shape->item_size;
	return end <= len ? end : 0;
}

/**
 * Convert @frame, of a known type and with its items within @len, from order
 * @big into the other, except for its header.
 */
void syc_frame_turn(unsigned char *frame, size_t len, bool big);
/** Convert the header of any frame. */
void syc_frame_turn_header(unsigned char *frame);

#endif
