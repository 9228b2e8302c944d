/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_report.c - which rows are beyond what is allowed. */
#include "cli/diff_report.h"

bool syc_diff_fails(const struct syc_diff_report *report,
                    const struct syc_compared *row)
{
	for (size_t i = 0; i < report->gates.n; i++)
		if (syc_comparison_exceeds(row, report->gates.items[i].factor,
		                           report->gates.items[i].glob))
			return true;
	return false;
}

size_t syc_diff_count_failing(const struct syc_diff_report *report)
{
	size_t n = 0;

	for (size_t i = 0; i < report->comparison.rows.n; i++)
		n += syc_diff_fails(report, &report->comparison.rows.items[i]);
	return n;
}
