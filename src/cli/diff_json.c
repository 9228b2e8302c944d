/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_json.c - `syscap diff --json`: docs/diff.md describes it. */
#include <math.h>

#include "cli/diff_cells.h"
#include "cli/stat_hot.h"
#include "data/json.h"

static void write_double(struct syc_json *json, const char *key, double value)
{
	syc_json_key(json, key);
	syc_json_double(json, value);
}

static void write_values(struct syc_json *json, const char *key,
                         const double *values, size_t n)
{
	syc_json_key(json, key);
	syc_json_begin_array(json);
	for (size_t i = 0; i < n; i++)
		syc_json_double(json, values[i]);
	syc_json_end_array(json);
}

static void write_row(struct syc_json *json,
                      const struct syc_diff_report *report,
                      const struct syc_compared *row)
{
	static const char *const kinds[] = {
		[SYC_DIFF_FUNCTIONS] = "function",
		[SYC_DIFF_MARKS] = "mark",
		[SYC_DIFF_COUNTERS] = "counter",
	};
	const struct syc_ratio *ratio = &row->ratio;
	const size_t *n = report->comparison.n_units;

	syc_json_begin_object(json);
	syc_json_member_text(json, "kind", kinds[syc_diff_kind_of(row)]);
	syc_json_member_text(json, "in", row->name.of[0] ? row->name.of : NULL);
	syc_json_member_text(json, "name", row->name.name);
	syc_json_member_text(json, "measure",
	                     syc_diff_measure_name(row->measure));
	write_double(json, "base", ratio->base);
	write_double(json, "new", ratio->new);
	write_double(json, "change",
	             ratio->base > 0 ? ratio->new / ratio->base - 1 : NAN);
	write_double(json, "low", ratio->is_known ? row->low - 1 : NAN);
	write_double(json, "high", ratio->is_known ? row->high - 1 : NAN);
	syc_json_member_bool(json, "differs", row->differs);
	syc_json_member_bool(json, "fails", syc_diff_fails(report, row));
	write_values(json, "base_values", row->values, n[0]);
	write_values(json, "new_values", row->values + n[0], n[1]);
	syc_json_end_object(json);
}

static void write_files(struct syc_json *json, const char *key,
                        char *const *files, size_t n)
{
	syc_json_key(json, key);
	syc_json_begin_array(json);
	for (size_t i = 0; i < n; i++)
		syc_json_text(json, files[i]);
	syc_json_end_array(json);
}

void syc_diff_json(const struct syc_diff_report *report)
{
	const struct syc_comparison *comparison = &report->comparison;
	struct syc_json json = { .out = stdout };

	syc_json_begin_object(&json);
	write_files(&json, "base", report->files[0], report->n_files[0]);
	write_files(&json, "new", report->files[1], report->n_files[1]);
	syc_json_member_text(&json, "units",
	                     report->has_blocks ? "blocks" : "runs");
	syc_json_member_unsigned(&json, "base_units", comparison->n_units[0]);
	syc_json_member_unsigned(&json, "new_units", comparison->n_units[1]);
	syc_json_member_text(
		&json, "unit",
		report->has_unit ? syc_stat_hot_unit_key(report->unit) : NULL);
	syc_json_member_text(&json, "functions",
	                     report->total ? "total" : "self");
	write_double(&json, "confidence", 1 - comparison->missed);
	syc_json_member_unsigned(&json, "judged", comparison->n_judged);
	syc_json_member_unsigned(&json, "differing", comparison->n_differing);
	syc_json_member_unsigned(&json, "failing",
	                         syc_diff_count_failing(report));
	syc_json_key(&json, "rows");
	syc_json_begin_array(&json);
	for (size_t i = 0; i < comparison->rows.n; i++)
		write_row(&json, report, &comparison->rows.items[i]);
	syc_json_end_array(&json);
	syc_json_end_object(&json);
	syc_json_end_line(&json);
}
