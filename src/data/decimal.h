/* SPDX-License-Identifier: BSD-2-Clause */
/* decimal.h - the decimal number that is meant by a double. */
#ifndef SYC_DATA_DECIMAL_H
#define SYC_DATA_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/**
 * The shortest that reads back as @value: @ret_units * 10^-@ret_decimals, at
 * most 18 of these.  False: it has an exponent, or is none.
 */
bool syc_decimal_find(double value, int64_t *ret_units, unsigned *ret_decimals);

#endif
