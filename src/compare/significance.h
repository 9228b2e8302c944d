/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * significance.h - statistics of a comparison: rows, ratios, confidence
 * intervals.
 *
 * A row has a value for each unit. A unit is a run, or a block of time of the
 * only run. Values of one unit may depend on each other; those of different
 * units do not. Units have numbers: first those of the base, then the new ones.
 */
#ifndef SYC_COMPARE_SIGNIFICANCE_H
#define SYC_COMPARE_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/array.h"
#include "common/map.h"

/** The probability of a value beyond @t on either side. */
double syc_t_distribution_tails(double t, double degrees);

/**
 * The t for which the probability of a value beyond it, on either side, is
 * @probability.
 */
double syc_t_distribution_quantile(double probability, double degrees);

/** Mean and variance of some values. */
struct syc_spread {
	size_t n;
	double mean;
	double variance; /* variance of the mean; NAN for a single value */
};

/**
 * NANs among @values are skipped. Values that are multiples of @step are only
 * known to one step.
 */
void syc_spread_of(struct syc_spread *spread, const double *values, size_t n,
                   double step);

struct syc_ratio {
	double base, new;
	bool is_known; /* the other fields are valid */
	double base_variance, new_variance, degrees;
	/* Probability of a difference this large by chance. */
	double p;
};

/**
 * For two or more values on each side, or one on one side and several on the
 * other. No value is negative.
 */
void syc_ratio_of(struct syc_ratio *ratio, const struct syc_spread *base,
                  const struct syc_spread *new);

/**
 * Interval of new / base with error probability @missed; needs ratio->is_known.
 * Both ends may be infinite. It excludes 1 exactly if p < @missed.
 */
void syc_ratio_interval(const struct syc_ratio *ratio, double missed,
                        double *ret_low, double *ret_high);

enum syc_measure {
	/* Functions: time, ticks or bytes; or the share of the total. */
	SYC_MEASURE_AMOUNT,
	SYC_MEASURE_SHARE,
	/* Marks. */
	SYC_MEASURE_COUNT,
	SYC_MEASURE_P50,
	SYC_MEASURE_P90,
	SYC_MEASURE_P99,
	/* Counters. */
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
	double *values; /* values of all units; NAN: no value */
	double step;    /* values are multiples of it */

	/* When settled: */
	struct syc_ratio ratio;
	double low, high; /* interval of new / base, if ratio.is_known */
	bool differs;
};

struct syc_comparison {
	size_t n_units[2];
	struct syc_map keys;
	SYC_ARRAY(struct syc_compared) rows;
	double *totals; /* totals of all functions, by unit; or NULL */

	/* When settled: */
	double missed; /* highest error probability of each interval */
	size_t n_judged, n_differing;
};

/** Compute the results of all rows, after the last was added.  0 or -ENOMEM. */
int syc_significance(struct syc_comparison *comparison);

#endif
