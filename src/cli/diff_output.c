/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff_output.c - output of `syscap diff`: a table, Markdown for review
 * comments, JSON.
 *
 * Names come from the capture.  In Markdown, names are code spans, which have
 * no markup, links or mentions.  In a table, bars in names are escaped, too.
 * docs/diff.md describes the JSON.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/stat_summary.h"
#include "cli/table.h"
#include "common/json.h"
#include "common/strings.h"
#include "compare/comparison.h"
#include "profile/processes.h"

/* Return whether the row is above the limit of a gate. */
static bool diff_fails(const struct syc_diff_report *report,
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
		n += diff_fails(report, &report->comparison.rows.items[i]);
	return n;
}

#define SYC_DIFF_CELL 100

/* Rows of one table. */
enum diff_kind {
	SYC_DIFF_FUNCTIONS,
	SYC_DIFF_MARKS,
	SYC_DIFF_COUNTERS,
	SYC_DIFF_KINDS
};

/* Numbers of a table's rows, and of rows that differ. */
struct diff_sum {
	size_t n, n_differing;
};

static enum diff_kind diff_kind_of(const struct syc_compared *row)
{
	return row->measure <= SYC_MEASURE_SHARE ? SYC_DIFF_FUNCTIONS
	       : row->measure < SYC_MEASURE_LAST ? SYC_DIFF_MARKS
	                                         : SYC_DIFF_COUNTERS;
}

static struct diff_sum diff_sum_of(const struct syc_diff_report *report,
                                   enum diff_kind kind)
{
	struct diff_sum sum = { 0 };

	for (size_t i = 0; i < report->comparison.rows.n; i++) {
		const struct syc_compared *row =
			&report->comparison.rows.items[i];

		if (diff_kind_of(row) != kind)
			continue;
		sum.n++;
		sum.n_differing += row->differs;
	}
	return sum;
}

/* Return whether the row is shown. */
static bool diff_is_told(const struct syc_diff_report *report,
                         const struct syc_compared *row)
{
	return report->all || row->differs;
}

/* The title of a table, such as "Functions, alone, processor time". */
static void diff_title(const struct syc_diff_report *report,
                       enum diff_kind kind, FILE *out)
{
	if (kind == SYC_DIFF_FUNCTIONS)
		fprintf(out, "Functions, %s, %s%s",
		        report->total ? "with their callees" : "alone",
		        report->by_share ? "share of " : "",
		        syscap_view_unit_name(report->unit));
	else
		fputs(kind == SYC_DIFF_MARKS ? "Marks" : "Counters", out);
}

/* Return whether changes of this kind are known. */
static bool diff_is_comparable(const struct syc_diff_report *report,
                               enum diff_kind kind)
{
	return kind != SYC_DIFF_FUNCTIONS || !report->comparison.lacks_samples;
}

/* Store the state of a table, such as "3 of 40 differ", in SYC_DIFF_CELL
 * bytes. */
static void diff_state(const struct syc_diff_report *report,
                       enum diff_kind kind, struct diff_sum sum, char *text)
{
	if (diff_is_comparable(report, kind))
		snprintf(text, SYC_DIFF_CELL, "%zu of %zu differ%s",
		         sum.n_differing, sum.n,
		         sum.n_differing == 1 ? "s" : "");
	else
		snprintf(text, SYC_DIFF_CELL, "not comparable");
}

/* The name of a measure, such as "p50" or "time". */
static const char *diff_measure_name(enum syc_measure measure)
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

	/* A bound next to 0 keeps its sign, but there is no "-0.0" */
	if (fabs(value) >= 0.0005 && fabs(value) < 0.05)
		snprintf(text, size, "%+.1g", value);
	else
		snprintf(text, size, fabs(value) < 1e5 ? "%+.1f" : "%+.3g",
		         fabs(value) < 0.05 ? 0.0 : value);
}

/* Store a cell, such as "+15.3 %", "+13.6 … +17.1 %" or "1.105 ms", in
 * SYC_DIFF_CELL bytes. */
static void diff_change(const struct syc_diff_report *report,
                        const struct syc_compared *row, char *text)
{
	const struct syc_ratio *ratio = &row->ratio;
	char number[40];

	if (!diff_is_comparable(report, diff_kind_of(row)) ||
	    isnan(ratio->base) || isnan(ratio->new) ||
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

static void diff_interval(const struct syc_compared *row, char *text)
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

/* Print a number of marks, or a counter's value. */
static void format_counter(const struct syc_compared *row, double value,
                           char *text)
{
	if (row->measure >= SYC_MEASURE_LAST && isfinite(value) && value >= 0 &&
	    syc_counter_is_bytes(row->name.of, row->name.name, ""))
		syc_size_format(value, text, SYC_DIFF_CELL);
	else
		whole(value, "", text);
}

static void diff_value(const struct syc_diff_report *report,
                       const struct syc_compared *row, double value, char *text)
{
	const enum syscap_view_unit unit = report->unit;

	if (isnan(value))
		snprintf(text, SYC_DIFF_CELL, "-");
	else if (row->measure == SYC_MEASURE_SHARE)
		snprintf(text, SYC_DIFF_CELL, "%.2f %%", value * 100);
	else if (row->measure == SYC_MEASURE_COUNT ||
	         row->measure >= SYC_MEASURE_LAST)
		format_counter(row, value, text);
	else if (row->measure == SYC_MEASURE_AMOUNT &&
	         unit == SYSCAP_UNIT_BYTES)
		syc_size_format(value, text, SYC_DIFF_CELL);
	else if (row->measure == SYC_MEASURE_AMOUNT &&
	         unit == SYSCAP_UNIT_TICKS)
		whole(value, value == 1 ? "tick" : "ticks", text);
	else if (value < 9e18)
		syc_duration_format((int64_t)llround(value), text,
		                    SYC_DIFF_CELL);
	else
		snprintf(text, SYC_DIFF_CELL, "%.3g s", value / 1e9);
}

static double own_percent(const struct syc_diff_report *report, unsigned side)
{
	return report->whole[side] > 0
	               ? 100 * report->recording[side] / report->whole[side]
	               : 0;
}

static const char *const sides[] = { "base", "new" };

/* Print notes about marks that began before the recording. */
static void early_marks(const struct syc_diff_report *report, FILE *out)
{
	for (unsigned side = 0; side < 2; side++) {
		const struct syc_early_marks *marks = &report->early[side];

		if (marks->n_cut > 0)
			fprintf(out,
			        "marks of %s that began before the recording: "
			        "%" PRIu64 ", measured from its start\n",
			        sides[side], marks->n_cut);
		if (marks->n_before > 0)
			fprintf(out,
			        "marks of %s that ended before the recording: "
			        "%" PRIu64 ", not counted\n",
			        sides[side], marks->n_before);
		if (marks->n_false > 0)
			fprintf(out,
			        "marks of %s that begin before their process: "
			        "%" PRIu64 ", not counted\n",
			        sides[side], marks->n_false);
	}
}

/* Print the threads and the time that the samples miss. */
static void unsampled(const struct syc_diff_report *report, FILE *out)
{
	char text[SYC_UNSAMPLED_TEXT];

	if (report->comparison.lacks_samples)
		fputs("functions are not comparable, since samples are "
		      "missing\n",
		      out);
	for (unsigned side = 0; side < 2; side++) {
		syscap_profile_describe_unsampled(&report->unsampled[side],
		                                  text, sizeof(text));
		if (text[0] != 0)
			fprintf(out, "%s: %s\n", sides[side], text);
	}
}

/* The name of the clocks of a side's samples. */
static const char *clock_name(unsigned clocks)
{
	switch (clocks) {
	case SYC_CLOCKS_CPU:
		return "cpu";
	case SYC_CLOCKS_PERF:
		return "perf";
	case SYC_CLOCKS_WALL:
		return "wall";
	default:
		return "several";
	}
}

/* Print " (N of M files)", if the side has several files. */
static void end_line(size_t n, size_t all, FILE *out)
{
	if (all > 1)
		fprintf(out, " (%zu of %zu files)", n, all);
	fputc('\n', out);
}

/* Print the reasons that may forbid the comparison. */
static void print_states(const struct syc_diff_report *report, FILE *out)
{
	const struct syc_diff_state *const states = report->states;

	for (unsigned side = 0; side < 2; side++) {
		const struct syc_diff_state *const state = &states[side];
		const size_t n = report->n_files[side];

		if (state->n_incomplete > 0) {
			fprintf(out, "%s is incomplete: %s", sides[side],
			        state->incomplete);
			end_line(state->n_incomplete, n, out);
		}
		if (state->n_lost > 0)
			fprintf(out, "%s lost %" PRIu64 " event%s\n",
			        sides[side], state->n_lost,
			        state->n_lost == 1 ? "" : "s");
		if (state->n_parts > 0) {
			fprintf(out, "%s is a part of a recording",
			        sides[side]);
			end_line(state->n_parts, n, out);
		}
	}
	if (report->has_unit && states[0].clocks != states[1].clocks &&
	    states[0].clocks != 0 && states[1].clocks != 0)
		fprintf(out,
		        "the clocks differ: base %s, new %s; functions may "
		        "differ for this reason alone\n",
		        clock_name(states[0].clocks),
		        clock_name(states[1].clocks));
}

/* Print notes about missing samples, the units, early marks, and syscap's own
 * code. */
static void diff_preface(const struct syc_diff_report *report, FILE *out)
{
	const size_t *n = report->n_files;

	unsampled(report, out);
	print_states(report, out);
	if (report->has_blocks)
		fprintf(out,
		        "1 run against 1, in %zu blocks of time each: the "
		        "difference between runs is unknown\n",
		        report->comparison.n_units[0]);
	else
		fprintf(out, "%zu run%s against %zu\n", n[0],
		        n[0] == 1 ? "" : "s", n[1]);
	early_marks(report, out);
	if (!report->has_unit ||
	    report->recording[0] + report->recording[1] <= 0)
		return;
	fprintf(out,
	        "%.1f %% of base and %.1f %% of new was syscap itself (%s)\n",
	        own_percent(report, 0), own_percent(report, 1),
	        report->with_recording ? "included" : "left out");
}

#define N(items)  (sizeof(items) / sizeof((items)[0]))
#define MOST_NAME 240 /* bytes of a name; --json has the whole name */

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
	const bool is_function = diff_kind_of(row) == SYC_DIFF_FUNCTIONS;
	const int len = snprintf(text, MOST_NAME, "%s%s%s",
	                         is_function ? "" : row->name.of,
	                         is_function ? "" : "/", row->name.name);

	if (len >= MOST_NAME) {
		size_t end = MOST_NAME - 1;

		/* Do not cut within a character. */
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

	diff_change(report, row, text);
	syc_table_add(table, "%s%s", diff_fails(report, row) ? "! " : "", text);
	diff_interval(row, text);
	syc_table_add(table, "%s", text);
	diff_value(report, row, row->ratio.base, text);
	syc_table_add(table, "%s", text);
	diff_value(report, row, row->ratio.new, text);
	syc_table_add(table, "%s", text);
	add_name(table, row);
	if (diff_kind_of(row) == SYC_DIFF_FUNCTIONS)
		syc_table_add_text(table,
		                   row->name.of[0] ? row->name.of : NULL);
	else
		syc_table_add(table, "%s", diff_measure_name(row->measure));
}

static void print_heading(const struct syc_diff_report *report,
                          enum diff_kind kind, struct diff_sum sum)
{
	char *title = NULL, state[SYC_DIFF_CELL];
	size_t size;
	FILE *out = open_memstream(&title, &size);

	diff_state(report, kind, sum, state);
	if (out == NULL)
		return;
	diff_title(report, kind, out);
	if (fclose(out) == 0)
		syc_table_heading(stdout, "%s: %s", title, state);
	free(title);
}

/*
 * Print the smallest change that differs from noise.  The number of runs is a
 * forecast for runs with the same variance.
 */
static void print_noise(const struct syc_diff_report *report)
{
	const struct syc_comparison *comparison = &report->comparison;

	if (!isfinite(comparison->detectable))
		return;
	printf("  half of these functions would show a change of %.1f %%",
	       100 * comparison->detectable);
	if (!report->has_blocks && comparison->detectable > SYC_SMALL_CHANGE) {
		printf("; for %.0f %%, ", 100 * SYC_SMALL_CHANGE);
		if (comparison->n_units_needed > 0)
			printf("use %zu run%s on each side",
			       comparison->n_units_needed,
			       syc_plural(comparison->n_units_needed));
		else
			printf("more than %d runs on each side are needed",
			       SYC_MOST_UNITS);
	}
	putchar('\n');
}

static int print_kind(const struct syc_diff_report *report, enum diff_kind kind)
{
	const struct diff_sum sum = diff_sum_of(report, kind);
	struct syc_table table;
	int r = 0;

	if (sum.n == 0)
		return 0;
	print_heading(report, kind, sum);
	if (kind == SYC_DIFF_FUNCTIONS)
		print_noise(report);
	if (sum.n_differing == 0 && !report->all)
		return 0;
	syc_table_init(&table,
	               kind == SYC_DIFF_FUNCTIONS ? functions : others[kind],
	               N(functions));
	for (size_t i = 0; i < report->comparison.rows.n; i++) {
		const struct syc_compared *row =
			&report->comparison.rows.items[i];

		if (diff_kind_of(row) == kind && diff_is_told(report, row))
			add_row(&table, report, row);
	}
	r = syc_table_print(&table, stdout);
	syc_table_fini(&table);
	return r;
}

int syc_diff_text(const struct syc_diff_report *report)
{
	int r = 0;

	diff_preface(report, stdout);
	for (unsigned kind = 0; r == 0 && kind < SYC_DIFF_KINDS; kind++)
		r = print_kind(report, (enum diff_kind)kind);
	if (report->gates.n > 0)
		printf("\n%zu above the limit%s\n",
		       syc_diff_count_failing(report),
		       syc_diff_count_failing(report) > 0 ? " (!)" : "");
	return r;
}

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

	if (diff_kind_of(row) == SYC_DIFF_FUNCTIONS)
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
	const char *mark = diff_fails(report, row) ? "**" : "";
	char text[SYC_DIFF_CELL];
	int r;

	diff_change(report, row, text);
	printf("| %s%s%s ", mark, text, mark);
	diff_interval(row, text);
	printf("| %s ", text);
	diff_value(report, row, row->ratio.base, text);
	printf("| %s ", text);
	diff_value(report, row, row->ratio.new, text);
	printf("| %s | ", text);
	r = put_name(row);
	fputs(" | ", stdout);
	if (diff_kind_of(row) != SYC_DIFF_FUNCTIONS)
		fputs(diff_measure_name(row->measure), stdout);
	else if (r == 0 && row->name.of[0])
		r = put_code(row->name.of);
	fputs(" |\n", stdout);
	return r;
}

static int put_kind(const struct syc_diff_report *report, enum diff_kind kind)
{
	static const char *const titles[] = {
		[SYC_DIFF_FUNCTIONS] = "function | binary",
		[SYC_DIFF_MARKS] = "mark | of",
		[SYC_DIFF_COUNTERS] = "counter | of",
	};
	const struct diff_sum sum = diff_sum_of(report, kind);
	char state[SYC_DIFF_CELL];
	int r = 0;

	if (sum.n == 0)
		return 0;
	fputs("\n**", stdout);
	diff_title(report, kind, stdout);
	diff_state(report, kind, sum, state);
	printf("**: %s\n", state);
	if (sum.n_differing == 0 && !report->all)
		return 0;
	printf("\n| change | interval | base | new | %s |\n"
	       "|---:|---:|---:|---:|---|---|\n",
	       titles[kind]);
	for (size_t i = 0; r == 0 && i < report->comparison.rows.n; i++) {
		const struct syc_compared *row =
			&report->comparison.rows.items[i];

		if (diff_kind_of(row) == kind && diff_is_told(report, row))
			r = put_row(report, row);
	}
	return r;
}

int syc_diff_markdown(const struct syc_diff_report *report)
{
	int r = 0;

	diff_preface(report, stdout);
	for (unsigned kind = 0; r == 0 && kind < SYC_DIFF_KINDS; kind++)
		r = put_kind(report, (enum diff_kind)kind);
	return r;
}

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
	syc_json_member_text(json, "kind", kinds[diff_kind_of(row)]);
	syc_json_member_text(json, "in", row->name.of[0] ? row->name.of : NULL);
	syc_json_member_text(json, "name", row->name.name);
	syc_json_member_text(json, "measure", diff_measure_name(row->measure));
	write_double(json, "base", ratio->base);
	write_double(json, "new", ratio->new);
	write_double(
		json, "change",
		ratio->base > 0 && diff_is_comparable(report, diff_kind_of(row))
			? ratio->new / ratio->base - 1
			: NAN);
	write_double(json, "low", ratio->is_known ? row->low - 1 : NAN);
	write_double(json, "high", ratio->is_known ? row->high - 1 : NAN);
	syc_json_member_bool(json, "differs", row->differs);
	syc_json_member_bool(json, "fails", diff_fails(report, row));
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

static void write_state(struct syc_json *json, const char *key,
                        const struct syc_diff_state *state)
{
	syc_json_key(json, key);
	syc_json_begin_object(json);
	syc_json_member_unsigned(json, "lost", state->n_lost);
	syc_json_member_text(json, "incomplete", state->incomplete);
	syc_json_member_unsigned(json, "parts", state->n_parts);
	syc_json_member_text(json, "clock",
	                     state->clocks != 0 ? clock_name(state->clocks)
	                                        : NULL);
	syc_json_end_object(json);
}

void syc_diff_json(const struct syc_diff_report *report)
{
	const struct syc_comparison *comparison = &report->comparison;
	static const char *const cut[] = { "base_marks_cut", "new_marks_cut" };
	static const char *const missed[] = { "base_unsampled",
		                              "new_unsampled" };
	static const char *const states[] = { "base_state", "new_state" };
	static const char *const before[] = { "base_marks_before",
		                              "new_marks_before" };
	static const char *const not_true[] = { "base_marks_false",
		                                "new_marks_false" };
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
	write_double(&json, "base_recording", own_percent(report, 0) / 100);
	write_double(&json, "new_recording", own_percent(report, 1) / 100);
	for (unsigned side = 0; side < 2; side++) {
		const struct syc_early_marks *marks = &report->early[side];

		write_state(&json, states[side], &report->states[side]);
		syc_unsampled_json(&json, missed[side],
		                   &report->unsampled[side]);
		if (marks->n_cut > 0)
			syc_json_member_unsigned(&json, cut[side],
			                         marks->n_cut);
		if (marks->n_before > 0)
			syc_json_member_unsigned(&json, before[side],
			                         marks->n_before);
		if (marks->n_false > 0)
			syc_json_member_unsigned(&json, not_true[side],
			                         marks->n_false);
	}
	syc_json_member_bool(&json, "functions_comparable",
	                     !comparison->lacks_samples);
	syc_json_member_text(&json, "functions",
	                     report->total ? "total" : "self");
	write_double(&json, "confidence", 1 - comparison->missed);
	syc_json_member_unsigned(&json, "judged", comparison->n_judged);
	syc_json_member_unsigned(&json, "differing", comparison->n_differing);
	write_double(&json, "detectable", comparison->detectable);
	if (!report->has_blocks && comparison->n_units_needed > 0)
		syc_json_member_unsigned(&json, "runs_for_5_percent",
		                         comparison->n_units_needed);
	else
		write_double(&json, "runs_for_5_percent", NAN);
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
