/* SPDX-License-Identifier: BSD-2-Clause */
/* decimal.c - the decimal number that is meant by a double. */
#include "data/decimal.h"

#include <math.h>
#include <string.h>

#define MOST_UNITS 1e15

/*
 * Most doubles were written by hand, or are quotients of such numbers: @value
 * is so many units of 10^-@ret_decimals, few enough that a double of it is
 * exact, and that one division gives @value again.
 */
static bool is_decimal(double value, int64_t *ret_units, unsigned *ret_decimals)
{
	double unit = 1;

	for (unsigned decimals = 0; decimals <= 6; decimals++, unit *= 10) {
		const double units = value * unit;

		if (!(fabs(units) < MOST_UNITS))
			return false;
		*ret_units = (int64_t)(units < 0 ? units - 0.5 : units + 0.5);
		*ret_decimals = decimals;
		if ((double)*ret_units / unit == value)
			return *ret_units != 0 || !signbit(value);
	}
	return false;
}

/*
 * Of those that are no such quotients: the fewest decimals that no other double
 * is nearer to, where that is a matter of whole numbers of 128 bits.  The
 * library's way to do the same, to print and to read again, takes 300 ns.
 */
static bool is_nearest(double value, int64_t *ret_units, unsigned *ret_decimals)
{
	const uint64_t one = UINT64_C(1) << 52;
	uint64_t bits, unit = 1;

	memcpy(&bits, &value, sizeof(bits));
	/* @value is @whole / 2^@shift. */
	const uint64_t whole = (bits & (one - 1)) | one;
	const int shift = 1075 - (int)(bits >> 52 & 0x7ff);
	/* Below a power of two doubles are twice as close. */
	const unsigned closeness = whole == one ? 4 : 2;

	/* Larger ones have an exponent. */
	if (shift < 4 || shift > 56)
		return false;
	for (unsigned decimals = 0; decimals <= 18; decimals++, unit *= 10) {
		const unsigned __int128 exact = (unsigned __int128)whole * unit;
		const unsigned __int128 units =
			(exact >> shift) + (exact >> (shift - 1) & 1);
		const unsigned __int128 told = units << shift;
		const unsigned __int128 error =
			told > exact ? told - exact : exact - told;

		if (units > INT64_MAX)
			return false;
		if (error * closeness >= unit)
			continue;
		*ret_units = value < 0 ? -(int64_t)units : (int64_t)units;
		*ret_decimals = decimals;
		return true;
	}
	return false;
}

bool syc_decimal_find(double value, int64_t *ret_units, unsigned *ret_decimals)
{
	return is_decimal(value, ret_units, ret_decimals) ||
	       is_nearest(value, ret_units, ret_decimals);
}
