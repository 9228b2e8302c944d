/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_cells.c - what tables of `syscap diff` consist of, for people. */
#include "cli/diff_cells.h"

#include <math.h>

#include "cli/table.h"
#include "data/duration.h"

enum syc_diff_kind syc_diff_kind_of(const struct syc_compared *row)
{
	return row->measure <= SYC_MEASURE_SHARE ? SYC_DIFF_FUNCTIONS
	       : row->measure < SYC_MEASURE_LAST ? SYC_DIFF_MARKS
	                                         : SYC_DIFF_COUNTERS;
}

struct syc_diff_sum syc_diff_sum_of(const struct syc_diff_report *report,
                                    enum syc_diff_kind kind)
{
	struct syc_diff_sum sum = { 0 };

	for (size_t i = 0; i < report->comparison.rows.n; i++) {
		const struct syc_compared *row =
			&report->comparison.rows.items[i];

		if (syc_diff_kind_of(row) != kind)
			continue;
		sum.n++;
		sum.n_differing += row->differs;
	}
	return sum;
}

bool syc_diff_is_told(const struct syc_diff_report *report,
                      const struct syc_compared *row)
{
	return report->all || row->differs;
}

void syc_diff_title(const struct syc_diff_report *report,
                    enum syc_diff_kind kind, FILE *out)
{
	if (kind == SYC_DIFF_FUNCTIONS)
		fprintf(out, "Functions, %s, %s%s",
		        report->total ? "with what they called" : "alone",
		        report->by_share ? "share of " : "",
		        syscap_view_unit_name(report->unit));
	else
		fputs(kind == SYC_DIFF_MARKS ? "Marks" : "Counters", out);
}

const char *syc_diff_measure_name(enum syc_measure measure)
{
	static const char *const names[] = {
		[SYC_MEASURE_AMOUNT] = "amount", [SYC_MEASURE_SHARE] = "share",
		[SYC_MEASURE_COUNT] = "count",   [SYC_MEASURE_P50] = "p50",
		[SYC_MEASURE_P90] = "p90",       [SYC_MEASURE_P99] = "p99",
		[SYC_MEASURE_LAST] = "last",     [SYC_MEASURE_MAX] = "max",
	};

	return names[measure];
}

/* 1.153 is "+15.3" */
static void percent(char *text, size_t size, double ratio)
{
	const double value = (ratio - 1) * 100;

	/* No "-0.0" */
	snprintf(text, size, fabs(value) < 1e5 ? "%+.1f" : "%+.3g",
	         fabs(value) < 0.05 ? 0.0 : value);
}

void syc_diff_change(const struct syc_compared *row, char *text)
{
	const struct syc_ratio *ratio = &row->ratio;
	char number[40];

	if (isnan(ratio->base) || isnan(ratio->new) ||
	    (ratio->base <= 0 && ratio->new <= 0)) {
		snprintf(text, SYC_DIFF_CELL, "-");
	} else if (ratio->base == 0) {
		snprintf(text, SYC_DIFF_CELL, "new");
	} else if (ratio->new == 0) {
		snprintf(text, SYC_DIFF_CELL, "gone");
	} else {
		percent(number, sizeof(number), ratio->new / ratio->base);
		snprintf(text, SYC_DIFF_CELL, "%s %%", number);
	}
}

void syc_diff_interval(const struct syc_compared *row, char *text)
{
	char low[40], high[40];

	if (!row->ratio.is_known ||
	    (isinf(row->high) && (isinf(row->low) || row->low <= 0))) {
		snprintf(text, SYC_DIFF_CELL, "-");
		return;
	}
	percent(low, sizeof(low), row->low);
	percent(high, sizeof(high), row->high);
	if (isinf(row->high))
		snprintf(text, SYC_DIFF_CELL, "above %s %%", low);
	else
		snprintf(text, SYC_DIFF_CELL, "%s … %s %%", low, high);
}

static void whole(double value, const char *unit, char *text)
{
	const bool is_whole = value >= 1e4 || value == floor(value);

	snprintf(text, SYC_DIFF_CELL,
	         fabs(value) >= 1e15 ? "%.6g%s%s"
	         : is_whole          ? "%.0f%s%s"
	                             : "%.4g%s%s",
	         value, unit[0] ? " " : "", unit);
}

void syc_diff_value(const struct syc_diff_report *report,
                    const struct syc_compared *row, double value, char *text)
{
	const enum syscap_view_unit unit = report->unit;

	if (isnan(value))
		snprintf(text, SYC_DIFF_CELL, "-");
	else if (row->measure == SYC_MEASURE_SHARE)
		snprintf(text, SYC_DIFF_CELL, "%.2f %%", value * 100);
	else if (row->measure == SYC_MEASURE_COUNT ||
	         row->measure >= SYC_MEASURE_LAST)
		whole(value, "", text);
	else if (row->measure == SYC_MEASURE_AMOUNT &&
	         (unit == SYSCAP_UNIT_TICKS || unit == SYSCAP_UNIT_BYTES))
		whole(value, unit == SYSCAP_UNIT_TICKS ? "ticks" : "bytes",
		      text);
	else if (value < 9e18)
		syc_duration_format((int64_t)llround(value), text,
		                    SYC_DIFF_CELL);
	else
		snprintf(text, SYC_DIFF_CELL, "%.3g s", value / 1e9);
}

void syc_diff_preface(const struct syc_diff_report *report, FILE *out)
{
	const size_t *n = report->n_files;

	if (report->has_blocks)
		fprintf(out,
		        "1 run against 1, in %zu blocks of time each: how much "
		        "runs differ is unknown\n",
		        report->comparison.n_units[0]);
	else
		fprintf(out, "%zu run%s against %zu\n", n[0],
		        n[0] == 1 ? "" : "s", n[1]);
}
