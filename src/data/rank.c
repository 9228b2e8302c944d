/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rank.c - the value at a rank among many: its bytes are found one after
 * another, from the highest, by counting.  It takes no memory, and no order of
 * the values makes it slow.
 */
#include "data/rank.h"

#include <string.h>

#define SIGN UINT64_C(0x8000000000000000)

/* As unsigned numbers in the same order. */
static uint64_t key_of(int64_t value)
{
	return (uint64_t)value ^ SIGN;
}

/* Which bits are not the same in all. */
static uint64_t differing(const int64_t *values, size_t n)
{
	uint64_t bits = 0;

	for (size_t i = 1; i < n; i++)
		bits |= (uint64_t)values[i] ^ (uint64_t)values[0];
	return bits;
}

/* What stands at @rank, from 0, of @values in order. */
static int64_t find(const int64_t *values, size_t n, size_t rank)
{
	const uint64_t bits = differing(values, n);
	uint64_t key = key_of(values[0]);

	for (unsigned shift = 56; bits != 0; shift -= 8) {
		const uint64_t above =
			shift < 56 ? ~UINT64_C(0) << (shift + 8) : 0;
		size_t counts[256] = { 0 };
		uint64_t byte = 0;

		if (bits >> shift != 0) {
			for (size_t i = 0; i < n; i++)
				if (((key_of(values[i]) ^ key) & above) == 0)
					counts[key_of(values[i]) >> shift &
					       0xFF]++;
			while (rank >= counts[byte])
				rank -= counts[byte++];
			key = (key & above) | byte << shift;
		}
		if (shift == 0)
			break;
	}
	return (int64_t)(key ^ SIGN);
}

int64_t syc_rank_percentile(const int64_t *values, size_t n, unsigned percent)
{
	const size_t whole = n / 100 * percent;
	const size_t rest = n % 100 * percent;

	return find(values, n, whole + (rest + 99) / 100 - 1);
}
