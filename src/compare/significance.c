/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * significance.c - ratios of means with confidence intervals, and the rows that
 * differ.
 *
 * A ratio of two means has Welch's test and Fieller's interval.  A ratio r is
 * in the interval if chance explains the difference between new and r * base.
 * So 1 is in the interval exactly if the means do not differ.  A base close to
 * 0 gives an interval without an upper end, while a quotient of estimates would
 * fail.
 *
 * The method of Benjamini and Hochberg chooses the rows that differ.  In the
 * long run, one in 20 of the reported rows does not differ.  That method lowers
 * the accepted error probability of each row.  The intervals have the same
 * error probability, by the method of Benjamini and Yekutieli.  So a row is
 * reported exactly if its interval does not contain 1.  Decision 0018 explains
 * why.
 *
 * A tail of Student's t distribution is an incomplete beta function,
 * I_x(degrees / 2, 1 / 2) with x = degrees / (degrees + t²).  The continued
 * fraction of the function converges fast on one side of the mean.  Symmetry
 * gives the other side.
 */
#include <math.h>

#include "compare/comparison.h"

#define STEPS     300
#define PRECISE   1e-15
#define NOT_ZERO  1e-300
#define HALVINGS  200
#define LARGEST_T 1e12

static double not_zero(double value)
{
	return fabs(value) < NOT_ZERO ? NOT_ZERO : value;
}

/* The continued fraction, from its front: c and d are ratios of successive
 * numerators and denominators. */
static double fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1));
	double value = d;

	for (int m = 1; m <= STEPS; m++) {
		const double even =
			m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		const double odd = -(a + m) * (a + b + m) * x /
		                   ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		value *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		value *= d * c;
		if (fabs(d * c - 1) < PRECISE)
			break;
	}
	return value;
}

/* @rest is 1 - x, which the caller may have computed more exactly than by
 * subtraction. */
static double incomplete_beta(double a, double b, double x, double rest)
{
	double factor;

	if (x <= 0 || rest <= 0)
		return x <= 0 ? 0 : 1;
	factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
	             b * log(rest));
	if (x < (a + 1) / (a + b + 2))
		return factor * fraction(a, b, x) / a;
	return 1 - factor * fraction(b, a, rest) / b;
}

double syc_t_distribution_tails(double t, double degrees)
{
	const double square = t * t;

	if (isinf(square))
		return 0;
	return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + square),
	                       square / (degrees + square));
}

double syc_t_distribution_quantile(double probability, double degrees)
{
	double low = 0, high = 1;

	while (high < LARGEST_T &&
	       syc_t_distribution_tails(high, degrees) > probability)
		high *= 2;
	for (int i = 0; i < HALVINGS && high > low; i++) {
		const double middle = low + (high - low) / 2;

		if (middle == low || middle == high)
			break;
		if (syc_t_distribution_tails(middle, degrees) > probability)
			low = middle;
		else
			high = middle;
	}
	return high;
}

void syc_spread_of(struct syc_spread *spread, const double *values, size_t n,
                   double step)
{
	double sum = 0, squares = 0;

	*spread = (struct syc_spread){ .mean = NAN, .variance = NAN };
	for (size_t i = 0; i < n; i++) {
		if (isnan(values[i]))
			continue;
		sum += values[i];
		spread->n++;
	}
	if (spread->n == 0)
		return;
	spread->mean = sum / (double)spread->n;
	if (spread->n == 1)
		return;
	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			squares += (values[i] - spread->mean) *
			           (values[i] - spread->mean);
	spread->variance = squares / (double)(spread->n - 1);
	/* Variance of a value that is uniform within its step. */
	if (spread->variance < step * step / 12)
		spread->variance = step * step / 12;
	spread->variance /= (double)spread->n;
}

/* A single value is assumed to have the relative variance of the other side. */
static double borrow(const struct syc_spread *one,
                     const struct syc_spread *other)
{
	const double scale = one->mean / other->mean;

	return other->variance * (double)other->n * scale * scale;
}

/* The degrees of freedom of a sum of two variances, after Welch and
 * Satterthwaite. */
static double degrees_of(const struct syc_spread *base, double base_variance,
                         const struct syc_spread *new, double new_variance)
{
	const double sum = base_variance + new_variance;
	double rest = 0;

	if (base->n == 1 || new->n == 1)
		return (double)(base->n + new->n - 2);
	rest += base_variance * base_variance / (double)(base->n - 1);
	rest += new_variance * new_variance / (double)(new->n - 1);
	return rest > 0 ? sum * sum / rest : (double)(base->n + new->n - 2);
}

void syc_ratio_of(struct syc_ratio *ratio, const struct syc_spread *base,
                  const struct syc_spread *new)
{
	double difference, sum;

	*ratio = (struct syc_ratio){ .base = base->mean, .new = new->mean };
	/* The comparison is also false for NAN. */
	if (!(base->mean >= 0 && new->mean >= 0) || base->n + new->n < 3)
		return;
	ratio->base_variance = base->n > 1 ? base->variance : borrow(base, new);
	ratio->new_variance = new->n > 1 ? new->variance : borrow(new, base);
	sum = ratio->base_variance + ratio->new_variance;
	if (!isfinite(sum))
		return;
	ratio->degrees = degrees_of(base, ratio->base_variance, new,
	                            ratio->new_variance);
	difference = fabs(new->mean - base->mean);
	if (difference == 0)
		ratio->p = 1;
	else
		ratio->p = sum > 0 ? syc_t_distribution_tails(difference /
		                                                      sqrt(sum),
		                                              ratio->degrees)
		                   : 0;
	ratio->is_known = true;
}

/*
 * All r with (new - r base)² <= t² (variance of new + r² variance of base),
 * between the roots of a r² - 2 b r + c.
 */
void syc_ratio_interval(const struct syc_ratio *ratio, double missed,
                        double *ret_low, double *ret_high)
{
	const double t = syc_t_distribution_quantile(missed, ratio->degrees);
	const double base = t * t * ratio->base_variance;
	const double new = t *t * ratio->new_variance;
	const double a = ratio->base * ratio->base - base;
	const double b = ratio->base * ratio->new;
	const double c = ratio->new * ratio->new - new;
	const double inner = ratio->base * ratio->base * new +
	                     ratio->new * ratio->new *base - base *new;
	const double root = b + sqrt(inner > 0 ? inner : 0);

	*ret_low = c <= 0 ? 0 : root > 0 ? c / root : INFINITY;
	*ret_high = a > 0 ? root / a : INFINITY;
}

#define MISSED 0.05 /* accepted share of errors among the reported rows */

static int compare_doubles(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Error probability of each interval. */
static double share_out(double *ps, size_t n)
{
	size_t n_differing = 0;

	if (n == 0)
		return MISSED;
	qsort(ps, n, sizeof(*ps), compare_doubles);
	for (size_t i = 0; i < n; i++)
		if (ps[i] < MISSED * (double)(i + 1) / (double)n)
			n_differing = i + 1;
	return MISSED * (double)(n_differing > 0 ? n_differing : 1) / (double)n;
}

/*
 * Return whether @row cannot differ for any assignment of units to sides.  Such
 * a row is not a test, and must not weaken the tests of other rows.
 */
static bool is_constant(const struct syc_comparison *comparison,
                        const struct syc_compared *row)
{
	const size_t n = comparison->n_units[0] + comparison->n_units[1];

	for (size_t i = 1; i < n; i++)
		if (row->values[i] != row->values[0])
			return false;
	return true;
}

static void compare(const struct syc_comparison *comparison,
                    struct syc_compared *row)
{
	const size_t n_base = comparison->n_units[0];
	struct syc_spread base, new;

	syc_spread_of(&base, row->values, n_base, row->step);
	syc_spread_of(&new, row->values + n_base, comparison->n_units[1],
	              row->step);
	syc_ratio_of(&row->ratio, &base, &new);
}

/* Return whether @row has noise by which a change of a function can be
 * judged. */
static bool has_noise(const struct syc_comparison *comparison,
                      const struct syc_compared *row)
{
	return row->measure <= SYC_MEASURE_SHARE && row->ratio.is_known &&
	       row->ratio.base > 0 && !is_constant(comparison, row);
}

static size_t count_values(const double *values, size_t n)
{
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		known += isnan(values[i]) ? 0 : 1;
	return known;
}

/* The least change of @row that is reported with @n units on each side, if the
 * runs vary like the present runs. */
static double change_with(const struct syc_comparison *comparison,
                          const struct syc_compared *row, size_t n)
{
	const struct syc_ratio *ratio = &row->ratio;
	const size_t *units = comparison->n_units;
	const double base = ratio->base_variance *
	                    (double)count_values(row->values, units[0]);
	const double new = ratio->new_variance *(double)count_values(
		row->values + units[0], units[1]);
	const double degrees = (base + new) * (base + new) /
	                       (base * base + new *new) * (double)(n - 1);

	return syc_t_distribution_quantile(comparison->missed, degrees) *
	       sqrt((base + new) / (double)n) / ratio->base;
}

/* The least number of units that shows a small change, or SYC_MOST_UNITS + 1.
 * More units show the change, too. */
static size_t find_units(const struct syc_comparison *comparison,
                         const struct syc_compared *row)
{
	size_t low = 2, high = SYC_MOST_UNITS + 1;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (change_with(comparison, row, middle) <= SYC_SMALL_CHANGE)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Judge the noise of all functions by the median.  @changes and @units have
 * room for all rows. */
static void judge_noise(struct syc_comparison *comparison, double *changes,
                        double *units)
{
	size_t n = 0;

	for (size_t i = 0; i < comparison->rows.n; i++) {
		const struct syc_compared *row = &comparison->rows.items[i];
		const struct syc_ratio *ratio = &row->ratio;

		if (!has_noise(comparison, row))
			continue;
		changes[n] = syc_t_distribution_quantile(comparison->missed,
		                                         ratio->degrees) *
		             sqrt(ratio->base_variance + ratio->new_variance) /
		             ratio->base;
		units[n++] = (double)find_units(comparison, row);
	}
	comparison->detectable = NAN;
	comparison->n_units_needed = 0;
	if (n == 0)
		return;
	qsort(changes, n, sizeof(*changes), compare_doubles);
	qsort(units, n, sizeof(*units), compare_doubles);
	comparison->detectable = changes[(n - 1) / 2];
	if (units[(n - 1) / 2] <= SYC_MOST_UNITS)
		comparison->n_units_needed = (size_t)units[(n - 1) / 2];
}

int syc_significance(struct syc_comparison *comparison)
{
	const size_t n = comparison->rows.n;
	double *ps = malloc(2 * (n + 1) * sizeof(*ps));

	if (ps == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct syc_compared *row = &comparison->rows.items[i];

		compare(comparison, row);
		if (comparison->lacks_samples &&
		    row->measure <= SYC_MEASURE_SHARE)
			row->ratio.is_known = false;
		if (row->ratio.is_known && !is_constant(comparison, row))
			ps[comparison->n_judged++] = row->ratio.p;
	}
	comparison->missed = share_out(ps, comparison->n_judged);
	judge_noise(comparison, ps, ps + n + 1);
	free(ps);
	for (size_t i = 0; i < n; i++) {
		struct syc_compared *row = &comparison->rows.items[i];

		if (!row->ratio.is_known)
			continue;
		syc_ratio_interval(&row->ratio, comparison->missed, &row->low,
		                   &row->high);
		row->differs = row->ratio.p < comparison->missed;
		comparison->n_differing += row->differs;
	}
	return 0;
}
