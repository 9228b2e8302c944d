/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * comparison.h - all rows of two sides, and the rows that differ.
 *
 *	struct syc_comparison comparison = { .n_units = { 5, 5 } };
 *
 *	syc_comparison_add(&comparison, SYC_MEASURE_P50, &name, unit, value, 1);
 *	...
 *	syc_comparison_settle(&comparison, 0.01);
 *
 * Context of all functions: offline.
 */
#ifndef SYC_COMPARE_COMPARISON_H
#define SYC_COMPARE_COMPARISON_H

#include "compare/significance.h"

void syc_comparison_fini(struct syc_comparison *comparison);

/**
 * Add @value to the value of @name in @unit. Texts are copied.  0 or -ENOMEM.
 */
int syc_comparison_add(struct syc_comparison *comparison,
                       enum syc_measure measure,
                       const struct syc_compared_name *name, size_t unit,
                       double value, double step);

/** Add the total of all functions in @unit. 0 or -ENOMEM. */
int syc_comparison_set_total(struct syc_comparison *comparison, size_t unit,
                             double total);

/**
 * Determine the rows that differ. Functions with less than @min_share of both
 * sides are left out. Then the rows are sorted for display: functions by
 * difference, the largest first, then marks and counters by name.  0 or
 * -ENOMEM.
 */
int syc_comparison_settle(struct syc_comparison *comparison, double min_share);

/**
 * Whether the row grew significantly by more than @factor; 1.05 is 5 %. @glob:
 * NULL, or a pattern of names, "group/name" for marks and counters. Other rows
 * are not considered. If it is NULL, counters are not considered; numbers of
 * marks never are.
 */
bool syc_comparison_exceeds(const struct syc_compared *row, double factor,
                            const char *glob);

#endif
