/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compared.h - the rows of a comparison, of which each has a value a unit.
 *
 * A unit is a run, or a block of time of the only run: values of one unit may
 * depend on each other, those of different ones do not.  Units are counted
 * through, first those of the base, then the new ones.
 */
#ifndef SYC_COMPARE_COMPARED_H
#define SYC_COMPARE_COMPARED_H

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

#endif
