/* SPDX-License-Identifier: BSD-2-Clause */
/* test_t_distribution.c - Student's t compared with known values. */
#include <math.h>

#include "compare/comparison.h"
#include "harness/test.h"

#define PI 3.14159265358979323846

static bool is_near(double value, double expected, double precision)
{
	return fabs(value - expected) <= precision * fabs(expected);
}

TEST(quantiles_match_published_tables)
{
	static const struct {
		double probability, degrees, t;
	} known[] = {
		{ 0.05, 1, 12.7062047362 },   { 0.05, 2, 4.30265272991 },
		{ 0.05, 4, 2.77644510520 },   { 0.05, 8, 2.30600413520 },
		{ 0.01, 4, 4.60409487135 },   { 0.01, 8, 3.35538733133 },
		{ 0.001, 10, 4.58689385870 }, { 0.05, 30, 2.04227245630 },
		{ 0.05, 1e7, 1.95996421 },
	};

	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const double t = syc_t_distribution_quantile(
			known[i].probability, known[i].degrees);

		CHECK(is_near(t, known[i].t, 1e-7));
		CHECK(is_near(syc_t_distribution_tails(t, known[i].degrees),
		              known[i].probability, 1e-9));
	}
}

TEST(tails_of_one_and_two_degrees_match_closed_forms)
{
	for (double t = 0.001; t < 1e6; t *= 3) {
		const double one = 2 / PI * atan(1 / t);
		const double root = sqrt(2 + t * t);

		CHECK(is_near(syc_t_distribution_tails(t, 1), one, 1e-10));
		/* 1 - t / root, without the subtraction */
		CHECK(is_near(syc_t_distribution_tails(t, 2),
		              2 / (root * (root + t)), 1e-10));
		CHECK(is_near(syc_t_distribution_tails(-t, 2),
		              syc_t_distribution_tails(t, 2), 1e-15));
	}
}

TEST(tails_end_at_one_and_at_zero)
{
	for (double degrees = 0.5; degrees < 1e6; degrees *= 7) {
		CHECK(is_near(syc_t_distribution_tails(0, degrees), 1, 1e-12));
		CHECK(syc_t_distribution_tails(INFINITY, degrees) <= 0);
		CHECK(syc_t_distribution_tails(1e200, degrees) >= 0);
		CHECK(syc_t_distribution_quantile(1e-12, degrees) > 0);
	}
}
