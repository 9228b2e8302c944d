/* SPDX-License-Identifier: BSD-2-Clause */
/* test_decimal.c - the shortest decimal number of a double. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/json.h"
#include "harness/test.h"

TEST(short_decimals_are_found_again)
{
	static const struct {
		double value;
		int64_t units;
		unsigned decimals;
	} cases[] = {
		{ 0, 0, 0 },
		{ 7, 7, 0 },
		{ 0.1, 1, 1 },
		{ -1234.5, -12345, 1 },
		{ 0.000001, 1, 6 },
		{ 0.1 + 0.2, INT64_C(30000000000000004), 17 },
		{ 1.0 / 3, INT64_C(3333333333333333), 16 },
		{ 999999999999999.0, INT64_C(999999999999999), 0 },
	};
	unsigned decimals;
	int64_t units;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK(syc_decimal_find(cases[i].value, &units, &decimals));
		CHECK_EQ(units, cases[i].units);
		CHECK_EQ(decimals, cases[i].decimals);
	}
}

TEST(numbers_with_exponent_and_nan_are_refused)
{
	static const double values[] = { -0.0, 1e15,     5e-324,   1e-9,
		                         NAN,  INFINITY, -INFINITY };
	unsigned decimals;
	int64_t units;

	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++)
		CHECK(!syc_decimal_find(values[i], &units, &decimals));
}

TEST(found_decimals_read_back_the_same)
{
	uint64_t state = test_seed();
	unsigned n_told = 0;

	for (unsigned i = 0; i < 20000; i++) {
		char text[64];
		unsigned decimals;
		int64_t units;

		state = state * UINT64_C(6364136223846793005) +
		        UINT64_C(1442695040888963407);
		const double value = (double)((int64_t)state >> i % 60) /
		                     (1 + i % 1000 * (i % 7));
		if (!syc_decimal_find(value, &units, &decimals))
			continue;
		snprintf(text, sizeof(text), "%" PRId64 "e-%u", units,
		         decimals);
		CHECK(strtod(text, NULL) == value);
		n_told++;
	}
	CHECK(n_told > 0);
}
