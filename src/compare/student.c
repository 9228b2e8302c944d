/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * student.c - Student's t distribution.
 *
 * Its tails are an incomplete beta function, I_x(degrees / 2, 1 / 2) with
 * x = degrees / (degrees + t²), which is a continued fraction that converges
 * fast on one side of its mean and by symmetry on the other.
 */
#include "compare/student.h"

#include <math.h>

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

/* @rest is 1 - x, which the caller may know better than to subtract. */
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

double syc_student_tails(double t, double degrees)
{
	const double square = t * t;

	if (isinf(square))
		return 0;
	return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + square),
	                       square / (degrees + square));
}

double syc_student_quantile(double probability, double degrees)
{
	double low = 0, high = 1;

	while (high < LARGEST_T &&
	       syc_student_tails(high, degrees) > probability)
		high *= 2;
	for (int i = 0; i < HALVINGS && high > low; i++) {
		const double middle = low + (high - low) / 2;

		if (middle == low || middle == high)
			break;
		if (syc_student_tails(middle, degrees) > probability)
			low = middle;
		else
			high = middle;
	}
	return high;
}
