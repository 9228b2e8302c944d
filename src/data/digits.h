/* SPDX-License-Identifier: BSD-2-Clause */
/* digits.h - numbers as text.  Where there are millions of them, printf() would
 * be most of the work. */
#ifndef SYC_DATA_DIGITS_H
#define SYC_DATA_DIGITS_H

#include <stdint.h>

/** How many the largest has, and with a sign. */
#define SYC_DIGITS_SIZE 21u

/** The digits of @value, @least at least, before @end.  The first of them. */
static inline char *syc_digits(char *end, uint64_t value, unsigned least)
{
	for (const char *const enough = end - least; value != 0 || end > enough;
	     value /= 10)
		*--end = (char)('0' + value % 10);
	return end;
}

/** The same, with a sign where there has to be one. */
static inline char *syc_digits_signed(char *end, int64_t value)
{
	if (value >= 0)
		return syc_digits(end, (uint64_t)value, 1);
	end = syc_digits(end, 0 - (uint64_t)value, 1);
	*--end = '-';
	return end;
}

#endif
