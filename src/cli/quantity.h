/* SPDX-License-Identifier: BSD-2-Clause */
/* quantity.h - numbers with a unit, as people type them. */
#ifndef SYC_CLI_QUANTITY_H
#define SYC_CLI_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/** "1.5s", "20ms", "3us", "7ns", "2" (seconds) into ns.  False: it is none. */
bool syc_quantity_duration(const char *text, int64_t *ret_ns);

/** "5%" into 5, with decimals.  False: it is none from 0 to 100. */
bool syc_quantity_percent(const char *text, double *ret_percent);

/** Digits alone, from 1 on. */
bool syc_quantity_count(const char *text, uint64_t *ret_count);

#endif
