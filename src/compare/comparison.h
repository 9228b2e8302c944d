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

#include <stdbool.h>
#include <stddef.h>

#include <syscap/profile.h>

#include "common/containers.h"

/*
 * Statistics of a comparison: rows, ratios, confidence intervals.
 *
 * A row has a value for each unit.  A unit is a run, or a block of time of the
 * only run.  Values of one unit may depend on each other, but values of
 * different units do not.  Units have numbers: first the units of the base,
 * then the new units.
 */

/** The probability of a value beyond @t on either side. */
double syc_t_distribution_tails(double t, double degrees);

/**
 * The t for which the probability of a value beyond t, on either side, is
 * @probability.
 */
double syc_t_distribution_quantile(double probability, double degrees);

/** Mean and variance of some values. */
struct syc_spread {
	size_t n;
	double mean;
	/* Variance of the mean; NAN: there is a single value. */
	double variance;
};

/**
 * NANs among @values are skipped.  Values that are multiples of @step are exact
 * only to one step.
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
 * The ratio needs two or more values on each side, or one value on one side and
 * several on the other.  No value is negative.
 */
void syc_ratio_of(struct syc_ratio *ratio, const struct syc_spread *base,
                  const struct syc_spread *new);

/**
 * Interval of new / base with error probability @missed; needs ratio->is_known.
 * An end of the interval may be infinite.  The interval excludes 1 exactly
 * if p < @missed.
 */
void syc_ratio_interval(const struct syc_ratio *ratio, double missed,
                        double *ret_low, double *ret_high);

enum syc_measure {
	/* Amounts of functions, in time, ticks or bytes, or as the share of the
	 * total. */
	SYC_MEASURE_AMOUNT,
	SYC_MEASURE_SHARE,
	/* Numbers and durations of marks. */
	SYC_MEASURE_COUNT,
	SYC_MEASURE_P50,
	SYC_MEASURE_P90,
	SYC_MEASURE_P99,
	/* Values of counters. */
	SYC_MEASURE_LAST,
	SYC_MEASURE_MAX
};

struct syc_compared_name {
	const char *of; /* binary, group or category of the name; or "" */
	const char *name;
};

struct syc_compared {
	enum syc_measure measure;
	struct syc_compared_name name;
	double *values; /* values of all units; NAN: no value */
	double step;    /* values are multiples of the step */

	/* These members are valid once the comparison is settled. */
	struct syc_ratio ratio;
	double low, high; /* interval of new / base, if ratio.is_known */
	bool differs;
};

#define SYC_SMALL_CHANGE 0.05
#define SYC_MOST_UNITS   1000

struct syc_comparison {
	size_t n_units[2];
	struct syc_map keys;
	SYC_ARRAY(struct syc_compared) rows;
	double *totals; /* totals of all functions, by unit; or NULL */
	/* Much time has no samples, so no function is judged. */
	bool lacks_samples;

	/* These members are valid once the comparison is settled. */
	double missed; /* highest error probability of each interval */
	size_t n_judged, n_differing;
	/*
	 * The least change that is reported for half of the functions, as a
	 * share of the base; NAN: there is no function.
	 */
	double detectable;
	/* Units on each side for which half of the functions would show a
	 * change of SYC_SMALL_CHANGE; 0: unknown, or above SYC_MOST_UNITS. */
	size_t n_units_needed;
};

/**
 * Compute the results of all rows, after the last was added.  Returns 0 or
 * -ENOMEM.
 */
int syc_significance(struct syc_comparison *comparison);

void syc_comparison_fini(struct syc_comparison *comparison);

/**
 * Add @value to the value of @name in @unit. Texts are copied.  Returns 0 or
 * -ENOMEM.
 */
int syc_comparison_add(struct syc_comparison *comparison,
                       enum syc_measure measure,
                       const struct syc_compared_name *name, size_t unit,
                       double value, double step);

/** Add the total of all functions in @unit.  Returns 0 or -ENOMEM. */
int syc_comparison_set_total(struct syc_comparison *comparison, size_t unit,
                             double total);

/**
 * Determine the rows that differ.  Omit functions with less than @min_share on
 * both sides.  Then sort the rows for display: functions by difference, the
 * largest first, then marks and counters by name.  Returns 0 or -ENOMEM.
 */
int syc_comparison_settle(struct syc_comparison *comparison, double min_share);

/**
 * Return whether a limit applies to the row.  @glob: NULL, or a pattern of names,
 * "group/name" for marks and counters.  Without @glob, no limit applies to
 * counters.  No limit applies to numbers of marks.
 */
bool syc_comparison_is_checked(const struct syc_compared *row,
                               const char *glob);

/**
 * Return whether a limit applies to the row, and the row grew significantly by
 * more than @factor; 1.05 is 5 %.
 */
bool syc_comparison_exceeds(const struct syc_compared *row, double factor,
                            const char *glob);

/* Functions, marks and counters of one run, or of a block of a run. */

/** Remove compiler suffixes from @name, in place: .isra.0, .cold, "
 * [clone .part.1]", Rust hashes. */
void syc_function_name_strip(char *name);

struct syc_observed {
	struct syc_comparison *comparison;
	const struct syscap_profile *profile;
	const struct syscap_filter *filter; /* filter, whose from and to are the
	                                     * unit's times */
	size_t unit;
	/* The number of blocks, which scales sums to a whole run.  The scale of
	 * a run is 1. */
	double scale;
};

/** Amounts of functions. */
struct syc_observe_functions {
	bool total;    /* amounts include callees */
	bool by_share; /* amounts are shares of @whole */
	double whole;  /* total of the whole run */
};

/**
 * Add the functions in @view, which has the unit's filter.  Returns 0 or
 * -ENOMEM.
 */
int syc_observe_functions(const struct syc_observed *observed,
                          const struct syscap_view *view,
                          const struct syc_observe_functions *how);

/**
 * Add the marks that pass the filter.  The filter selects marks like samples:
 * by start time, by thread, and by the marks that surround the start.  Returns
 * 0, -ENOMEM, or -EINVAL with the reason in @error.
 */
int syc_observe_marks(const struct syc_observed *observed,
                      struct syscap_error *error);

/**
 * Add the values of counters in the file of @reader.  The time, pid and thread
 * in @view select values.  Add up values of counters with one name.  Returns 0
 * or -ENOMEM.
 */
int syc_observe_counters(const struct syc_observed *observed,
                         const struct syscap_view *view,
                         struct syscap_reader *reader);

#endif
