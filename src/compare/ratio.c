/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ratio.c - how two means compare: Welch's test, and Fieller's interval.
 *
 * A ratio r is in the interval as long as the difference of new and r * base
 * is one that chance makes of that variance.  So 1 is in it exactly if the
 * means do not differ, and a base that is hardly above 0 gives an interval
 * without an upper end, where a quotient of estimates would break down.
 * docs/decisions/0018 tells why.
 */
#include "compare/ratio.h"

#include <math.h>

#include "compare/student.h"

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
	/* That of a value that is somewhere within its step. */
	if (spread->variance < step * step / 12)
		spread->variance = step * step / 12;
	spread->variance /= (double)spread->n;
}

/* One value is as noisy, for its size, as those of the other side. */
static double borrow(const struct syc_spread *one,
                     const struct syc_spread *other)
{
	const double scale = one->mean / other->mean;

	return other->variance * (double)other->n * scale * scale;
}

/* Welch's and Satterthwaite's: of the sum of two variances. */
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
	/* NAN is not above anything either. */
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
		ratio->p = sum > 0 ? syc_student_tails(difference / sqrt(sum),
		                                       ratio->degrees)
		                   : 0;
	ratio->is_known = true;
}

/* All r for which (new - r base)² <= t² (variance of new + r² that of base):
 * between the roots of a r² - 2 b r + c. */
void syc_ratio_interval(const struct syc_ratio *ratio, double missed,
                        double *ret_low, double *ret_high)
{
	const double t = syc_student_quantile(missed, ratio->degrees);
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
