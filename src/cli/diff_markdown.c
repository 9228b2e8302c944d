/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff_markdown.c - `syscap diff --markdown`, for comments on a change.
 *
 * Names are somebody else's: they stand in code spans, where Markdown has no
 * markup, no links and no mentions.  In a table a bar has to be escaped there,
 * too.
 */
#include "cli/diff_cells.h"
#include "cli/printable.h"

/* The longest run of backticks in @text. */
static unsigned longest_fence(const char *text)
{
	unsigned most = 0, run = 0;

	for (; *text != 0; text++) {
		run = *text == '`' ? run + 1 : 0;
		most = run > most ? run : most;
	}
	return most;
}

static void put_fence(unsigned n)
{
	while (n-- > 0)
		putchar('`');
}

static int put_code(const char *text)
{
	char *shown = syc_printable_copy(text);
	const unsigned fence = shown ? longest_fence(shown) + 1 : 0;

	if (shown == NULL)
		return -ENOMEM;
	put_fence(fence);
	if (fence > 1)
		putchar(' ');
	for (const char *at = shown; *at != 0; at++) {
		if (*at == '|')
			putchar('\\');
		putchar(*at);
	}
	if (fence > 1)
		putchar(' ');
	put_fence(fence);
	free(shown);
	return 0;
}

static int put_name(const struct syc_compared *row)
{
	char *path = NULL;
	size_t size;
	FILE *out;
	int r = -ENOMEM;

	if (syc_diff_kind_of(row) == SYC_DIFF_FUNCTIONS)
		return put_code(row->name.name[0] ? row->name.name : "-");
	out = open_memstream(&path, &size);
	if (out == NULL)
		return -ENOMEM;
	fprintf(out, "%s/%s", row->name.of, row->name.name);
	if (fclose(out) == 0)
		r = put_code(path);
	free(path);
	return r;
}

static int put_row(const struct syc_diff_report *report,
                   const struct syc_compared *row)
{
	const char *mark = syc_diff_fails(report, row) ? "**" : "";
	char text[SYC_DIFF_CELL];
	int r;

	syc_diff_change(row, text);
	printf("| %s%s%s ", mark, text, mark);
	syc_diff_interval(row, text);
	printf("| %s ", text);
	syc_diff_value(report, row, row->ratio.base, text);
	printf("| %s ", text);
	syc_diff_value(report, row, row->ratio.new, text);
	printf("| %s | ", text);
	r = put_name(row);
	fputs(" | ", stdout);
	if (syc_diff_kind_of(row) != SYC_DIFF_FUNCTIONS)
		fputs(syc_diff_measure_name(row->measure), stdout);
	else if (r == 0 && row->name.of[0])
		r = put_code(row->name.of);
	fputs(" |\n", stdout);
	return r;
}

static int put_kind(const struct syc_diff_report *report,
                    enum syc_diff_kind kind)
{
	static const char *const titles[] = {
		[SYC_DIFF_FUNCTIONS] = "function | binary",
		[SYC_DIFF_MARKS] = "mark | of",
		[SYC_DIFF_COUNTERS] = "counter | of",
	};
	const struct syc_diff_sum sum = syc_diff_sum_of(report, kind);
	int r = 0;

	if (sum.n == 0)
		return 0;
	fputs("\n**", stdout);
	syc_diff_title(report, kind, stdout);
	printf("**: %zu of %zu differ%s\n", sum.n_differing, sum.n,
	       sum.n_differing == 1 ? "s" : "");
	if (sum.n_differing == 0 && !report->all)
		return 0;
	printf("\n| change | interval | base | new | %s |\n"
	       "|---:|---:|---:|---:|---|---|\n",
	       titles[kind]);
	for (size_t i = 0; r == 0 && i < report->comparison.rows.n; i++) {
		const struct syc_compared *row =
			&report->comparison.rows.items[i];

		if (syc_diff_kind_of(row) == kind &&
		    syc_diff_is_told(report, row))
			r = put_row(report, row);
	}
	return r;
}

int syc_diff_markdown(const struct syc_diff_report *report)
{
	int r = 0;

	syc_diff_preface(report, stdout);
	for (unsigned kind = 0; r == 0 && kind < SYC_DIFF_KINDS; kind++)
		r = put_kind(report, (enum syc_diff_kind)kind);
	return r;
}
