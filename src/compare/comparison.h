/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * comparison.h - what two sides have of everything, and what of it differs.
 *
 *	struct syc_comparison comparison = { .n_units = { 5, 5 } };
 *
 *	syc_comparison_add(&comparison, SYC_MEASURE_P50, &name, unit, value, 1);
 *	...
 *	syc_comparison_settle(&comparison, 0.01);
 *
 * A unit is a run, or a block of time of the only run: values of one unit may
 * depend on each other, those of different ones do not.  Units are counted
 * through, first those of the base, then the new ones.
 *
 * Context of everything here: offline.
 */
#ifndef SYC_COMPARE_COMPARISON_H
#define SYC_COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/ratio.h"
#include "data/array.h"
#include "data/map.h"

enum syc_measure {
	/* Of a function: time, ticks or bytes; or its share of all. */
	SYC_MEASURE_AMOUNT,
	SYC_MEASURE_SHARE,
	/* Of a mark. */
	SYC_MEASURE_COUNT,
	SYC_MEASURE_P50,
	SYC_MEASURE_P90,
	SYC_MEASURE_P99,
	/* Of a counter. */
	SYC_MEASURE_LAST,
	SYC_MEASURE_MAX
};

struct syc_compared_name {
	const char *of; /* binary, group or category; "" */
	const char *name;
};

struct syc_compared {
	enum syc_measure measure;
	struct syc_compared_name name;
	double *values; /* of all units; NAN: there is none */
	double step;    /* that values come in */

	/* When settled: */
	struct syc_ratio ratio;
	double low, high; /* of new / base, if ratio.is_known */
	bool differs;
};

struct syc_comparison {
	size_t n_units[2];
	struct syc_map keys;
	SYC_ARRAY(struct syc_compared) rows;
	double *totals; /* of all functions, by unit; or NULL */

	/* When settled: */
	double missed; /* by each interval, at most */
	size_t n_judged, n_differing;
};

void syc_comparison_fini(struct syc_comparison *comparison);

/** Has the unit a value where nobody adds any, and is it 0? */
bool syc_measure_is_sum(enum syc_measure measure);

/**
 * Add @value to what @unit has of @name, texts being copied.  0 or -ENOMEM.
 */
int syc_comparison_add(struct syc_comparison *comparison,
                       enum syc_measure measure,
                       const struct syc_compared_name *name, size_t unit,
                       double value, double step);

/** How much there is of all functions in @unit.  0 or -ENOMEM. */
int syc_comparison_set_total(struct syc_comparison *comparison, size_t unit,
                             double total);

/**
 * Find out what differs.  Functions that have less than @min_share of both
 * sides are left out.  Rows are in the order for people then: functions,
 * the largest difference first, then marks and counters by name.  0 or
 * -ENOMEM.
 */
int syc_comparison_settle(struct syc_comparison *comparison, double min_share);

/**
 * Has the row grown beyond all doubt by more than @factor, 1.05 being 5 %?
 * @glob: NULL, or names to be asked of, "group/name" of marks and counters.
 * Without it counters are not asked; how many there are of a mark never is.
 */
bool syc_comparison_exceeds(const struct syc_compared *row, double factor,
                            const char *glob);

#endif
