/* SPDX-License-Identifier: BSD-2-Clause */
/* frames.c - what the frames of each type are made of. */
#include "data/frames.h"

#include <string.h>

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

#define NUMBERS(...) ((const struct syc_frame_numbers[]){ __VA_ARGS__, { 0 } })

/* Of one size; ending with a text; with items behind what all have. */
#define PLAIN(n) .least = (n), .sure = (n), .size = (n)
#define SPEAKING(n, what) \
	.least = (n) + 1, .sure = (n) + 1, .size = (n), .last_text = (what)
#define COUNTING(n, type, field, item, wrong)                           \
	PLAIN(n), .count_at = SYC_AT(type, field), .item_size = (item), \
		  .unfit = (wrong)
#define GAP(at, n)                       \
	.gap_at = (at), .gap_size = (n), \
	.gap = (UINT64_MAX >> 8 * (8 - (n))) << 8 * ((at) % sizeof(uint64_t))

#define WIRE(type) sizeof(struct syscap_wire_##type)

#define STACK                                                                 \
	COUNTING(WIRE(sample), sample, n_addrs, sizeof(uint64_t),             \
	         "its addresses do not fit"),                                 \
		GAP(SYC_AT(sample, flags) + 1, 1),                            \
		.numbers =                                                    \
			NUMBERS(NUMBER(sample, n_addrs),                      \
	                        BITS(sample, flags, 1), NUMBER(sample, tid)), \
		.item_numbers = addresses

static const struct syc_frame_numbers addresses[] = {
	{ 0, sizeof(uint64_t), 1, 0 },
	{ 0 },
};

static const struct syc_frame_text counter_texts[] = {
	TEXT(counter, category),
	TEXT(counter, name),
	TEXT(counter, description),
	{ 0 },
};

const struct syc_frame_shape syc_frame_shapes[SYSCAP_FRAME_LAST] = {
	[0] = { .least = UINT16_MAX, .sure = SYC_FRAME_LOOK },
	[SYSCAP_FRAME_TIMESTAMP] = { PLAIN(WIRE(frame)) },
	[SYSCAP_FRAME_SAMPLE] = { STACK },
	[SYSCAP_FRAME_MAP] = {
		.least = WIRE(map) + 1, .sure = SYC_FRAME_LOOK,
		.size = WIRE(map), .last_text = "path",
		.numbers = NUMBERS(NUMBER(map, start), NUMBER(map, end),
		                   NUMBER(map, offset), NUMBER(map, inode)),
	},
	[SYSCAP_FRAME_PROCESS] = {
		.least = WIRE(frame) + 1, .sure = SYC_FRAME_LOOK,
		.size = WIRE(frame), .last_text = "command line",
	},
	[SYSCAP_FRAME_FORK] = {
		PLAIN(WIRE(fork)), GAP(SYC_AT(fork, padding), 4),
		.numbers = NUMBERS(NUMBER(fork, child_pid)),
	},
	[SYSCAP_FRAME_EXIT] = { PLAIN(WIRE(frame)) },
	[SYSCAP_FRAME_JITMAP] = { /* the count has 32 bits */
		.least = SYSCAP_JITMAP_FIXED, .sure = SYC_FRAME_LOOK,
		.size = SYSCAP_JITMAP_FIXED,
		.count_at = SYC_AT(jitmap, n_jitmaps), .is_walked = true,
		.unfit = "its names do not fit",
		.numbers = NUMBERS(NUMBER(jitmap, n_jitmaps)),
	},
	[SYSCAP_FRAME_CTRDEF] = {
		COUNTING(WIRE(ctrdef), ctrdef, n_counters, WIRE(counter),
		         "its counters do not fit"),
		GAP(SYC_AT(ctrdef, padding1), 6), .may_tell_tid = true,
		.numbers = NUMBERS(NUMBER(ctrdef, n_counters)),
		.item_texts = counter_texts,
		.item_numbers = NUMBERS(NUMBER(counter, id),
		                        NUMBER(counter, value)),
	},
	[SYSCAP_FRAME_CTRSET] = {
		COUNTING(WIRE(ctrset), ctrset, n_groups, WIRE(values),
		         "its groups of values do not fit"),
		GAP(SYC_AT(ctrset, padding1), 6), .may_tell_tid = true,
		.numbers = NUMBERS(NUMBER(ctrset, n_groups)),
		.item_numbers = NUMBERS(ARRAY(values, ids, uint32_t),
		                        ARRAY(values, values, uint64_t)),
	},
	[SYSCAP_FRAME_MARK] = {
		SPEAKING(WIRE(mark), "message"), .duration = UINT64_MAX,
		.may_tell_tid = true,
		.texts = { TEXT(mark, group), TEXT(mark, name) },
		.numbers = NUMBERS(NUMBER(mark, duration)),
	},
	[SYSCAP_FRAME_METADATA] = {
		SPEAKING(WIRE(metadata), "text"),
		.may_tell_tid = true,
		.texts = { TEXT(metadata, id) },
	},
	[SYSCAP_FRAME_LOG] = {
		SPEAKING(WIRE(log), "message"),
		GAP(SYC_AT(log, padding1), 6), .may_tell_tid = true,
		.texts = { TEXT(log, domain) },
		.numbers = NUMBERS(NUMBER(log, severity)),
	},
	[SYSCAP_FRAME_FILE_CHUNK] = {
		COUNTING(SYSCAP_FILE_CHUNK_FIXED, file_chunk, len, 1,
		         "its data does not fit"),
		.may_tell_tid = true,
		.texts = { TEXT(file_chunk, path) },
		.numbers = NUMBERS(BITS(file_chunk, is_last, 1),
		                   NUMBER(file_chunk, len)),
	},
	[SYSCAP_FRAME_ALLOCATION] = {
		COUNTING(WIRE(allocation), allocation, n_addrs,
		         sizeof(uint64_t), "its addresses do not fit"),
		GAP(SYC_AT(allocation, padding) + 1, 1),
		.numbers = NUMBERS(NUMBER(allocation, addr),
		                   NUMBER(allocation, size),
		                   NUMBER(allocation, tid),
		                   NUMBER(allocation, n_addrs)),
		.item_numbers = addresses,
	},
	[SYSCAP_FRAME_OVERLAY] = { /* two texts that a NUL each ends */
		.least = SYSCAP_OVERLAY_FIXED + 2, .sure = SYC_FRAME_LOOK,
		.size = SYSCAP_OVERLAY_FIXED + 2,
		.count_at = SYC_AT(overlay, src_len),
		.more_at = SYC_AT(overlay, dst_len), .is_walked = true,
		.item_size = 1,
		.unfit = "its paths do not fit",
		GAP(SYC_AT(overlay, padding), 3),
		.numbers = NUMBERS(NUMBER(overlay, src_len),
		                   NUMBER(overlay, dst_len)),
	},
	[SYSCAP_FRAME_TRACE] = { STACK },
	[SYSCAP_FRAME_DBUS_MESSAGE] = {
		COUNTING(SYSCAP_DBUS_FIXED, dbus_message, message_len, 1,
		         "its message does not fit"),
		.numbers = NUMBERS(BITS(dbus_message, bus_type, 2),
		                   NUMBER(dbus_message, message_len)),
	},
};

static size_t end_of_names(const unsigned char *frame, size_t len, bool big)
{
	size_t at = SYSCAP_JITMAP_FIXED;

	for (uint32_t n = syc_load_u32(frame + SYC_AT(jitmap, n_jitmaps), big);
	     n != 0; n--) {
		if (len - at <= SYC_JIT_ADDR_SIZE)
			return 0;
		at += SYC_JIT_ADDR_SIZE;
		const unsigned char *const end =
			memchr(frame + at, 0, len - at);
		if (end == NULL)
			return 0;
		at = (size_t)(end - frame) + 1;
	}
	return at;
}

size_t syc_frame_walk_end(const struct syc_frame_shape *shape,
                          const unsigned char *frame, size_t len, bool big)
{
	if (shape->more_at == 0)
		return end_of_names(frame, len, big);
	const size_t n = syc_load_u16(frame + shape->count_at, big);
	const size_t more = syc_load_u16(frame + shape->more_at, big);
	const size_t end = shape->size + (n + more) * shape->item_size;
	return end <= len ? end : 0;
}

static inline void turn_u16(unsigned char *p)
{
	uint16_t number;

	memcpy(&number, p, sizeof(number));
	number = __builtin_bswap16(number);
	memcpy(p, &number, sizeof(number));
}

static inline void turn_u32(unsigned char *p)
{
	uint32_t number;

	memcpy(&number, p, sizeof(number));
	number = __builtin_bswap32(number);
	memcpy(p, &number, sizeof(number));
}

static inline void turn_u64(unsigned char *p)
{
	uint64_t number;

	memcpy(&number, p, sizeof(number));
	number = __builtin_bswap64(number);
	memcpy(p, &number, sizeof(number));
}

static inline void turn_number(unsigned char *p, unsigned size)
{
	if (size == sizeof(uint64_t)) {
		turn_u64(p);
	} else if (size == sizeof(uint32_t)) {
		turn_u32(p);
	} else if (size == sizeof(uint16_t)) {
		turn_u16(p);
	} else { /* the three bytes of a counter's id */
		const unsigned char first = p[0];

		p[0] = p[2];
		p[2] = first;
	}
}

/*
 * Compilers for big-endian processors lay bit-fields from the top bit down, so
 * that a flag which is bit 0 of one is bit 15 of the other.
 */
static void turn_bits(unsigned char *p, unsigned n_bits, bool big)
{
	const unsigned word = syc_load_u16(p, !big);
	const unsigned by = big ? n_bits : 16 - n_bits;
	const unsigned turned = word << by | word >> (16 - by);

	p[big ? 0 : 1] = (unsigned char)turned;
	p[big ? 1 : 0] = (unsigned char)(turned >> 8);
}

static void turn_numbers(const struct syc_frame_numbers *numbers,
                         unsigned char *p, bool big)
{
	if (numbers == NULL)
		return;
	for (; numbers->size != 0; numbers++) {
		unsigned char *number = p + numbers->at;

		for (unsigned n = numbers->n; n != 0; n--) {
			turn_number(number, numbers->size);
			number += numbers->size;
		}
		if (numbers->n_bits != 0)
			turn_bits(p + numbers->at, numbers->n_bits, big);
	}
}

static void turn_names(unsigned char *frame, bool big)
{
	unsigned char *p = frame + SYSCAP_JITMAP_FIXED;

	for (uint32_t n = syc_load_u32(frame + SYC_AT(jitmap, n_jitmaps), big);
	     n != 0; n--) {
		turn_u64(p);
		p += SYC_JIT_ADDR_SIZE;
		p += strlen((char *)p) + 1;
	}
}

void syc_frame_turn(const struct syc_frame_shape *shape, unsigned char *frame,
                    size_t len, bool big)
{
	const unsigned n = syc_load_u16(frame + shape->count_at, big);
	unsigned char *item = frame + shape->size;

	if (shape->item_numbers == addresses) {
		for (unsigned i = 0; i < n; i++)
			turn_u64(item + i * sizeof(uint64_t));
	} else if (shape->item_numbers != NULL) {
		for (unsigned i = 0; i < n; i++, item += shape->item_size)
			turn_numbers(shape->item_numbers, item, big);
	}
	if (shape == &syc_frame_shapes[SYSCAP_FRAME_JITMAP])
		turn_names(frame, big);
	/* The place of an index, which is none any more in the other order */
	if (shape == &syc_frame_shapes[SYSCAP_FRAME_TIMESTAMP] &&
	    len >= WIRE(frame) + sizeof(uint64_t) &&
	    syc_load_u32(frame + SYC_AT(frame, padding2), big) ==
	            SYSCAP_INDEX_MAGIC)
		turn_u64(frame + WIRE(frame));
	turn_numbers(shape->numbers, frame, big);
}

void syc_frame_turn_header(unsigned char *frame)
{
	turn_u16(frame + SYC_AT(frame, len));
	turn_u16(frame + SYC_AT(frame, cpu));
	turn_u32(frame + SYC_AT(frame, pid));
	turn_u64(frame + SYC_AT(frame, time));
	turn_u32(frame + SYC_AT(frame, padding2));
}
