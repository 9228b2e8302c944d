/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * siphash.c - SipHash-2-4, as Aumasson and Bernstein describe it ("SipHash: a
 * fast short-input PRF", 2012). tests/base/test_siphash.c has the authors' test
 * vector.
 */
#include "base/siphash.h"

#include <string.h>

static uint64_t rotate(uint64_t x, unsigned n)
{
	return x << n | x >> (64 - n);
}

/* Load a little-endian word on every machine. */
static uint64_t load_word(const unsigned char *at, size_t n)
{
	uint64_t word = 0;

	for (size_t i = 0; i < n; i++)
		word |= (uint64_t)at[i] << 8 * i;
	return word;
}

static void mix_rounds(uint64_t v[4], unsigned n)
{
	while (n-- != 0) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

uint64_t syc_siphash(const unsigned char *key, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	const uint64_t k0 = load_word(key, 8), k1 = load_word(key + 8, 8);
	const uint64_t last = (uint64_t)n << 56;
	uint64_t v[4] = { k0 ^ UINT64_C(0x736F6D6570736575),
		          k1 ^ UINT64_C(0x646F72616E646F6D),
		          k0 ^ UINT64_C(0x6C7967656E657261),
		          k1 ^ UINT64_C(0x7465646279746573) };

	for (; n >= 8; at += 8, n -= 8) {
		const uint64_t word = load_word(at, 8);

		v[3] ^= word;
		mix_rounds(v, 2);
		v[0] ^= word;
	}
	const uint64_t tail = last | load_word(at, n);
	v[3] ^= tail;
	mix_rounds(v, 2);
	v[0] ^= tail;
	v[2] ^= 0xFF;
	mix_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
