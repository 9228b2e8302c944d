/* SPDX-License-Identifier: BSD-2-Clause */
/* ratio.h - how two means compare, and how sure that is. */
#ifndef SYC_COMPARE_RATIO_H
#define SYC_COMPARE_RATIO_H

#include <stdbool.h>
#include <stddef.h>

/** What some values are in the mean, and how they spread. */
struct syc_spread {
	size_t n;
	double mean;
	double variance; /* of the mean; NAN: a single value tells none */
};

/** NAN among @values is none.  Values that come in steps of @step are known
 * to one step only. */
void syc_spread_of(struct syc_spread *spread, const double *values, size_t n,
                   double step);

struct syc_ratio {
	double base, new;
	bool is_known; /* the rest can be told */
	double base_variance, new_variance, degrees;
	/* How probable a difference as large is where there is none. */
	double p;
};

/** Of two values each, or of one and several; of none below 0. */
void syc_ratio_of(struct syc_ratio *ratio, const struct syc_spread *base,
                  const struct syc_spread *new);

/**
 * Where new / base lies, but for probability @missed, when ratio->is_known.
 * Both ends may be infinite.  1 is outside of it exactly if p < @missed.
 */
void syc_ratio_interval(const struct syc_ratio *ratio, double missed,
                        double *ret_low, double *ret_high);

#endif
