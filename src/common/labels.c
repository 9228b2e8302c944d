/* SPDX-License-Identifier: BSD-2-Clause */
/* labels.c - durations and severities as text for people. */
#include "common/labels.h"

#include <inttypes.h>
#include <stdio.h>

void syc_duration_format(int64_t ns, char *buffer, size_t size)
{
	const double value = (double)ns;
	const double magnitude = value < 0 ? -value : value;

	/* The limits are where three decimals round up to the next unit. */
	if (magnitude < 1e3)
		snprintf(buffer, size, "%" PRId64 " ns", ns);
	else if (magnitude < 999999.5)
		snprintf(buffer, size, "%.3f µs", value / 1e3);
	else if (magnitude < 999999500.0)
		snprintf(buffer, size, "%.3f ms", value / 1e6);
	else
		snprintf(buffer, size, "%.3f s", value / 1e9);
}
