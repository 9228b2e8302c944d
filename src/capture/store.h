/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * store.h - integers into a frame that goes to a file of ours.
 *
 * Little-endian, as everything that we write; no alignment is needed.  Reading
 * is load.h.
 */
#ifndef SC_CAPTURE_STORE_H
#define SC_CAPTURE_STORE_H

#include <stdint.h>

static inline void sc_store_u16(unsigned char *p, uint16_t value)
{
	p[0] = (unsigned char)value;
	p[1] = (unsigned char)(value >> 8);
}

static inline void sc_store_u32(unsigned char *p, uint32_t value)
{
	sc_store_u16(p, (uint16_t)value);
	sc_store_u16(p + 2, (uint16_t)(value >> 16));
}

static inline void sc_store_u64(unsigned char *p, uint64_t value)
{
	sc_store_u32(p, (uint32_t)value);
	sc_store_u32(p + 4, (uint32_t)(value >> 32));
}

#endif
