/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_text.c - `syscap diff`, for people. */
#include "cli/diff_cells.h"
#include "cli/table.h"

#define N(items)  (sizeof(items) / sizeof((items)[0]))
#define MOST_NAME 240 /* bytes; --json has all of it */

static const struct syc_table_column functions[] = {
	{ "change", true }, { "interval", true },  { "base", true },
	{ "new", true },    { "function", false }, { "binary", false },
};

static const struct syc_table_column others[][6] = {
	[SYC_DIFF_MARKS] = { { "change", true },
	                     { "interval", true },
	                     { "base", true },
	                     { "new", true },
	                     { "mark", false },
	                     { "of", false } },
	[SYC_DIFF_COUNTERS] = { { "change", true },
	                        { "interval", true },
	                        { "base", true },
	                        { "new", true },
	                        { "counter", false },
	                        { "of", false } },
};

static void add_name(struct syc_table *table, const struct syc_compared *row)
{
	char text[MOST_NAME + 8];
	const bool is_function = syc_diff_kind_of(row) == SYC_DIFF_FUNCTIONS;
	const int len = snprintf(text, MOST_NAME, "%s%s%s",
	                         is_function ? "" : row->name.of,
	                         is_function ? "" : "/", row->name.name);

	if (len >= MOST_NAME) {
		size_t end = MOST_NAME - 1;

		/* Not in the midst of a character. */
		while (end > 0 && ((unsigned char)text[end - 1] & 0xC0) == 0x80)
			end--;
		memcpy(text + (end > 0 ? end - 1 : 0), "…", sizeof("…"));
	}
	syc_table_add_text(table, text);
}

static void add_row(struct syc_table *table,
                    const struct syc_diff_report *report,
                    const struct syc_compared *row)
{
	char text[SYC_DIFF_CELL];

	syc_diff_change(row, text);
	syc_table_add(table, "%s%s", syc_diff_fails(report, row) ? "! " : "",
	              text);
	syc_diff_interval(row, text);
	syc_table_add(table, "%s", text);
	syc_diff_value(report, row, row->ratio.base, text);
	syc_table_add(table, "%s", text);
	syc_diff_value(report, row, row->ratio.new, text);
	syc_table_add(table, "%s", text);
	add_name(table, row);
	if (syc_diff_kind_of(row) == SYC_DIFF_FUNCTIONS)
		syc_table_add_text(table,
		                   row->name.of[0] ? row->name.of : NULL);
	else
		syc_table_add(table, "%s", syc_diff_measure_name(row->measure));
}

static void print_heading(const struct syc_diff_report *report,
                          enum syc_diff_kind kind, struct syc_diff_sum sum)
{
	char *title = NULL;
	size_t size;
	FILE *out = open_memstream(&title, &size);

	if (out == NULL)
		return;
	syc_diff_title(report, kind, out);
	if (fclose(out) == 0)
		syc_table_heading(stdout, "%s: %zu of %zu differ%s", title,
		                  sum.n_differing, sum.n,
		                  sum.n_differing == 1 ? "s" : "");
	free(title);
}

static int print_kind(const struct syc_diff_report *report,
                      enum syc_diff_kind kind)
{
	const struct syc_diff_sum sum = syc_diff_sum_of(report, kind);
	struct syc_table table;
	int r = 0;

	if (sum.n == 0)
		return 0;
	print_heading(report, kind, sum);
	if (sum.n_differing == 0 && !report->all)
		return 0;
	syc_table_init(&table,
	               kind == SYC_DIFF_FUNCTIONS ? functions : others[kind],
	               N(functions));
	for (size_t i = 0; i < report->comparison.rows.n; i++) {
		const struct syc_compared *row =
			&report->comparison.rows.items[i];

		if (syc_diff_kind_of(row) == kind &&
		    syc_diff_is_told(report, row))
			add_row(&table, report, row);
	}
	r = syc_table_print(&table, stdout);
	syc_table_fini(&table);
	return r;
}

int syc_diff_text(const struct syc_diff_report *report)
{
	int r = 0;

	syc_diff_preface(report, stdout);
	for (unsigned kind = 0; r == 0 && kind < SYC_DIFF_KINDS; kind++)
		r = print_kind(report, (enum syc_diff_kind)kind);
	if (report->gates.n > 0)
		printf("\n%zu beyond what is allowed%s\n",
		       syc_diff_count_failing(report),
		       syc_diff_count_failing(report) > 0 ? " (!)" : "");
	return r;
}
