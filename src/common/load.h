/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load.h - integers in files of either byte order.
 *
 * @big is the file's order, never the host's.  The functions assemble the bytes
 * by shifts.  Compilers turn the shifts into one load and, for the other order,
 * a swap.  The bytes need no alignment.  Stores are little-endian.
 *
 * Use these functions for bytes of unknown origin.  A composed frame is its
 * struct of <syscap/format.h>.  syc_store_word() (<syscap/emit.h>) stores the
 * frame in a ring as words, in the order of the machine.
 */
#ifndef SYC_COMMON_LOAD_H
#define SYC_COMMON_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#define SYC_HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline uint16_t syc_load_u16(const unsigned char *p, bool big)
{
	return big ? (uint16_t)(p[0] << 8 | p[1])
	           : (uint16_t)(p[1] << 8 | p[0]);
}

static inline uint32_t syc_load_u32(const unsigned char *p, bool big)
{
	const uint32_t first = syc_load_u16(p, big);
	const uint32_t second = syc_load_u16(p + 2, big);

	return big ? first << 16 | second : second << 16 | first;
}

static inline uint64_t syc_load_u64(const unsigned char *p, bool big)
{
	const uint64_t first = syc_load_u32(p, big);
	const uint64_t second = syc_load_u32(p + 4, big);

	return big ? first << 32 | second : second << 32 | first;
}

/* Conversions from two's complement to signed types. */
static inline int32_t syc_load_i32(const unsigned char *p, bool big)
{
	return (int32_t)syc_load_u32(p, big);
}

static inline int64_t syc_load_i64(const unsigned char *p, bool big)
{
	return (int64_t)syc_load_u64(p, big);
}

static inline void syc_store_u16(unsigned char *p, uint16_t value)
{
	p[0] = (unsigned char)value;
	p[1] = (unsigned char)(value >> 8);
}

static inline void syc_store_u32(unsigned char *p, uint32_t value)
{
	syc_store_u16(p, (uint16_t)value);
	syc_store_u16(p + 2, (uint16_t)(value >> 16));
}

static inline void syc_store_u64(unsigned char *p, uint64_t value)
{
	syc_store_u32(p, (uint32_t)value);
	syc_store_u32(p + 4, (uint32_t)(value >> 32));
}

#endif
