/* SPDX-License-Identifier: BSD-2-Clause */
/* amount.c - what a view counts, for people. */
#include "export/amount.h"

#include <inttypes.h>

bool syc_amount_is_time(enum syscap_view_unit unit)
{
	return unit != SYSCAP_UNIT_TICKS && unit != SYSCAP_UNIT_BYTES;
}

void syc_amount_print(FILE *out, enum syscap_view_unit unit, uint64_t amount)
{
	const double value = (double)amount;

	if (!syc_amount_is_time(unit))
		fprintf(out, "%" PRIu64 " %s", amount,
		        unit == SYSCAP_UNIT_BYTES ? "bytes" : "ticks");
	else if (amount < 1000)
		fprintf(out, "%" PRIu64 " ns", amount);
	else if (value < 999999.5)
		fprintf(out, "%.3f µs", value / 1e3);
	else if (value < 999999500.0)
		fprintf(out, "%.3f ms", value / 1e6);
	else
		fprintf(out, "%.3f s", value / 1e9);
}
