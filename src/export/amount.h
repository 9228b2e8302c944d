/* SPDX-License-Identifier: BSD-2-Clause */
/* amount.h - what a view counts, for people. */
#ifndef SYC_EXPORT_AMOUNT_H
#define SYC_EXPORT_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <syscap/profile.h>

/** Is it time, in ns? */
bool syc_amount_is_time(enum syscap_view_unit unit);

/** "12.3 ms", "17 ticks", "4096 bytes". */
void syc_amount_print(FILE *out, enum syscap_view_unit unit, uint64_t amount);

#endif
