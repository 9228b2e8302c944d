/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_layout.c - end of a frame's items, and conversion to the other byte
 * order.
 */
#include "common/frame_layout.h"

#include <string.h>

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
 * Compilers for big-endian processors allocate bit-fields from the top bit
 * down.  So bit 0 of one byte order is bit 15 of the other.
 */
static void turn_bits(unsigned char *p, unsigned n_bits, bool big)
{
	const unsigned word = syc_load_u16(p, !big);
	const unsigned by = big ? n_bits : 16 - n_bits;
	const unsigned turned = word << by | word >> (16 - by);

	p[big ? 0 : 1] = (unsigned char)turned;
	p[big ? 1 : 0] = (unsigned char)(turned >> 8);
}

/* If the row is a constant, only the swaps remain after optimization. */
static inline __attribute__((always_inline)) void
turn_numbers(const struct syc_frame_numbers *numbers, unsigned most,
             unsigned char *p, bool big)
{
#pragma GCC unroll 4
	for (unsigned i = 0; i < most; i++) {
		unsigned char *const number = p + numbers[i].at;

#pragma GCC unroll 8
		for (unsigned k = 0; k < numbers[i].n; k++)
			turn_number(number + k * numbers[i].size,
			            numbers[i].size);
		if (numbers[i].n_bits != 0)
			turn_bits(number, numbers[i].n_bits, big);
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

static inline __attribute__((always_inline)) void
turn_content(uint8_t type, unsigned char *frame, size_t len, bool big)
{
	const struct syc_frame_shape *const shape = &syc_frame_shapes[type];
	unsigned char *item = frame + shape->size;

	if (shape->item_numbers[0].size != 0)
		for (unsigned n = syc_load_u16(frame + shape->count_at, big);
		     n != 0; n--, item += shape->item_size)
			turn_numbers(shape->item_numbers, 2, item, big);
	if (type == SYSCAP_FRAME_JITMAP)
		turn_names(frame, big);
	/* A frame index, whose offset must change with the byte order */
	if (type == SYSCAP_FRAME_TIMESTAMP &&
	    len >= sizeof(struct syscap_wire_frame) + sizeof(uint64_t) &&
	    syc_load_u32(frame + SYC_AT(frame, padding2), big) ==
	            SYSCAP_INDEX_MAGIC)
		turn_u64(frame + sizeof(struct syscap_wire_frame));
	turn_numbers(shape->numbers, 4, frame, big);
}

void syc_frame_turn(unsigned char *frame, size_t len, bool big)
{
#define CASE(TYPE)                                                  \
	case SYSCAP_FRAME_##TYPE:                                   \
		turn_content(SYSCAP_FRAME_##TYPE, frame, len, big); \
		break;

	switch (frame[SYC_AT(frame, type)]) {
		SYC_FRAME_TYPES(CASE)
	}
#undef CASE
}

void syc_frame_turn_header(unsigned char *frame)
{
	turn_u16(frame + SYC_AT(frame, len));
	turn_u16(frame + SYC_AT(frame, cpu));
	turn_u32(frame + SYC_AT(frame, pid));
	turn_u64(frame + SYC_AT(frame, time));
	turn_u32(frame + SYC_AT(frame, padding2));
}
