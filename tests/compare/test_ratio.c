/* SPDX-License-Identifier: BSD-2-Clause */
/* test_ratio.c - the ratio of two means, and its confidence. */
#include <math.h>

#include "compare/comparison.h"
#include "harness/test.h"

#define N(items) (sizeof(items) / sizeof((items)[0]))

static bool is_near(double value, double expected)
{
	return fabs(value - expected) <= 1e-9 * (1 + fabs(expected));
}

static struct syc_ratio compare(const double *base, size_t n_base,
                                const double *new, size_t n_new, double step)
{
	struct syc_spread b, n;
	struct syc_ratio ratio;

	syc_spread_of(&b, base, n_base, step);
	syc_spread_of(&n, new, n_new, step);
	syc_ratio_of(&ratio, &b, &n);
	return ratio;
}

TEST(variance_of_mean_ignores_missing_values)
{
	const double values[] = { 2, NAN, 4, 6, 8 };
	struct syc_spread spread;

	syc_spread_of(&spread, values, N(values), 0);
	CHECK_EQ(spread.n, 4);
	CHECK(is_near(spread.mean, 5));
	CHECK(is_near(spread.variance, 20.0 / 3 / 4));
	syc_spread_of(&spread, values, 2, 0);
	CHECK_EQ(spread.n, 1);
	CHECK(isnan(spread.variance));
	syc_spread_of(&spread, values + 1, 1, 0);
	CHECK_EQ(spread.n, 0);
	CHECK(isnan(spread.mean));
}

TEST(equal_values_have_variance_of_one_step)
{
	const double values[] = { 3, 3 };
	struct syc_spread spread;

	syc_spread_of(&spread, values, 2, 1);
	CHECK(is_near(spread.variance, 1.0 / 12 / 2));
}

/* The expected figures are of Python's statistics.variance() and an integral
 * of the density by Simpson's rule. */
TEST(probability_matches_welchs_test)
{
	const double one[] = { 10.7, 8.4,  9.8,  11.2, 10.1,
		               13.4, 13.7, 10.8, 10.0, 12.0 };
	const double other[] = { 11.9, 10.8, 11.1, 9.9,  9.9,
		                 14.4, 15.5, 11.6, 14.6, 13.4 };
	const struct syc_ratio ratio = compare(one, N(one), other, N(other), 0);

	CHECK(ratio.is_known);
	CHECK(is_near(ratio.degrees, 17.24876184623491));
	CHECK(is_near(ratio.p, 0.13319024364525012));
}

TEST(interval_matches_test)
{
	const double base[] = { 10, 11, 12, 10.5, 11.5 };
	const double new[] = { 13, 14, 12.5, 13.5, 15 };
	const struct syc_ratio ratio = compare(base, N(base), new, N(new), 0);
	const double missed[] = { 0.5, 0.05, 0.01, 0.001 };

	for (unsigned i = 0; i < N(missed); i++) {
		const double t =
			syc_t_distribution_quantile(missed[i], ratio.degrees);
		double low, high;

		syc_ratio_interval(&ratio, missed[i], &low, &high);
		CHECK(low < ratio.new / ratio.base);
		CHECK(high > ratio.new / ratio.base);
		/* At both ends of the interval, the test of "new = r base"
		 * gives t. */
		CHECK(is_near((ratio.new - low *ratio.base) /
		                      sqrt(ratio.new_variance +
		                           low * low * ratio.base_variance),
		              t));
		CHECK(is_near((high * ratio.base - ratio.new) /
		                      sqrt(ratio.new_variance +
		                           high * high * ratio.base_variance),
		              t));
		CHECK_EQ(low > 1, ratio.p < missed[i]);
	}
}

TEST(swapped_sides_give_inverse_ratio)
{
	const double base[] = { 10, 11, 12 }, new[] = { 13, 14, 12.5, 18 };
	const struct syc_ratio there = compare(base, N(base), new, N(new), 0);
	const struct syc_ratio back = compare(new, N(new), base, N(base), 0);
	double low, high, low_back, high_back;

	syc_ratio_interval(&there, 0.1, &low, &high);
	syc_ratio_interval(&back, 0.1, &low_back, &high_back);
	CHECK(is_near(there.p, back.p));
	CHECK(is_near(low, 1 / high_back));
	CHECK(is_near(high, 1 / low_back));
}

TEST(base_near_zero_has_no_upper_end)
{
	const double base[] = { 0, 0, 1, 0, 0 }, nothing[] = { 0, 0, 0, 0, 0 };
	const double new[] = { 10, 11, 12, 10, 11 };
	struct syc_ratio ratio = compare(base, N(base), new, N(new), 0);
	double low, high;

	syc_ratio_interval(&ratio, 0.05, &low, &high);
	CHECK(low > 1 && isfinite(low));
	CHECK(isinf(high));
	ratio = compare(nothing, N(nothing), new, N(new), 0);
	CHECK(ratio.p < 0.001);
	syc_ratio_interval(&ratio, 0.05, &low, &high);
	CHECK(low > 1 && isinf(high));
	ratio = compare(new, N(new), nothing, N(nothing), 0);
	syc_ratio_interval(&ratio, 0.05, &low, &high);
	CHECK(low <= 0 && high < 1);
}

TEST(single_value_uses_variance_of_other_side)
{
	const double base[] = { 98, 101, 99, 100, 102, 97, 103, 100 };
	const double same[] = { 104 }, more[] = { 120 };
	struct syc_ratio ratio = compare(base, N(base), same, 1, 0);

	CHECK(ratio.is_known);
	CHECK(ratio.p > 0.05);
	CHECK(is_near(ratio.degrees, 7));
	ratio = compare(base, N(base), more, 1, 0);
	CHECK(ratio.p < 0.001);
	ratio = compare(more, 1, base, N(base), 0);
	CHECK(ratio.p < 0.001);
}

TEST(no_ratio_of_two_or_negative_values)
{
	const double one[] = { 3 }, other[] = { 4 }, nothing[] = { NAN };
	const double below[] = { -3, -4 };

	CHECK(!compare(one, 1, other, 1, 0).is_known);
	CHECK(!compare(below, 2, below, 2, 0).is_known);
	CHECK(!compare(nothing, 1, below, 2, 0).is_known);
}
