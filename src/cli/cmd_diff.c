/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_diff.c - `syscap diff`: what changed between two sets of captures.
 *
 * BASE… -- NEW…: getopt forgets where a "--" was, so the words before and
 * behind it are read one after the other, and options may be among both.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/diff_collect.h"
#include "cli/fault.h"
#include "cli/filter_options.h"
#include "cli/quantity.h"

#define MIN_PERCENT 1.0

enum {
	DIFF_EXCEEDS = 1, /* --fail-above */
	DIFF_NOT_COMPARABLE = 3
};

struct run {
	const char *command;
	struct syc_filter_options filter;
	struct syc_diff_report report;
	double min_percent;
	bool json, markdown, no_lookup;
};

enum {
	JSON = 256,
	MARKDOWN,
	TOTAL,
	BY_SHARE,
	MIN,
	ALL,
	FAIL_ABOVE,
	NO_LOOKUP
};

/* "5%" or "5%:GLOB" */
static int take_gate(struct run *run, const char *value)
{
	const char *colon = strchr(value, ':');
	char number[40];
	double percent;
	struct syc_diff_gate gate;

	snprintf(number, sizeof(number), "%.*s",
	         (int)(colon ? colon - value : (ptrdiff_t)strlen(value)),
	         value);
	if (!syc_quantity_percent(number, &percent) ||
	    (colon != NULL && colon[1] == 0)) {
		fprintf(stderr,
		        "%s: --fail-above: expected a share such as 5%%, or "
		        "5%%:GLOB\n",
		        run->command);
		return -EINVAL;
	}
	gate.factor = 1 + percent / 100;
	gate.glob = colon ? colon + 1 : NULL;
	return syc_array_push(&run->report.gates, gate);
}

static bool take(struct run *run, int c, const char *value)
{
	switch (c) {
	case JSON:
		run->json = true;
		return true;
	case MARKDOWN:
		run->markdown = true;
		return true;
	case TOTAL:
		run->report.total = true;
		return true;
	case BY_SHARE:
		run->report.by_share = true;
		return true;
	case ALL:
		run->report.all = true;
		return true;
	case NO_LOOKUP:
		run->no_lookup = true;
		return true;
	case MIN:
		if (syc_quantity_percent(value, &run->min_percent))
			return true;
		fprintf(stderr, "%s: --min: expected a share such as 1%%\n",
		        run->command);
		return false;
	case FAIL_ABOVE:
		return take_gate(run, value) == 0;
	default:
		return syc_filter_options_is(c) &&
		       syc_filter_options_take(&run->filter, run->command, c,
		                               value);
	}
}

/* The options among some words, the files behind them then.  -1: go on; else
 * the exit status. */
static int parse_words(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_diff,
		                   .argc = argc,
		                   .argv = argv };
	int key;

	optind = 0;
	while ((key = syc_options_next(&words)) > 0)
		if (!take(run, key, words.value))
			return syc_fault_misuse(run->command);
	return words.status;
}

static int parse_sides(struct run *run, int argc, char **argv, int dashes)
{
	struct syc_diff_report *report = &run->report;
	int status = parse_words(run, dashes, argv);

	if (status >= 0)
		return status;
	report->files[0] = argv + optind;
	report->n_files[0] = (size_t)(dashes - optind);
	if (dashes == argc) {
		/* Without one there is a file each. */
		if (report->n_files[0] != 2)
			return -1;
		report->n_files[0] = report->n_files[1] = 1;
		report->files[1] = report->files[0] + 1;
		return -1;
	}
	argv[dashes] = argv[0];
	status = parse_words(run, argc - dashes, argv + dashes);
	report->files[1] = argv + dashes + optind;
	report->n_files[1] = (size_t)(argc - dashes - optind);
	return status;
}

/* -1: go on; else the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	int dashes = 1;
	int status;

	while (dashes < argc && strcmp(argv[dashes], "--") != 0)
		dashes++;
	status = parse_sides(run, argc, argv, dashes);
	if (status >= 0)
		return status;
	if (run->report.n_files[0] == 0 || run->report.n_files[1] == 0) {
		fprintf(stderr,
		        "%s: expected two files, or files before and behind "
		        "a --\n",
		        run->command);
		return syc_fault_misuse(run->command);
	}
	if (run->json && run->markdown) {
		fprintf(stderr, "%s: --json or --markdown\n", run->command);
		return syc_fault_misuse(run->command);
	}
	return -1;
}

static int print(const struct run *run)
{
	if (run->markdown)
		return syc_diff_markdown(&run->report);
	if (!run->json)
		return syc_diff_text(&run->report);
	syc_diff_json(&run->report);
	return 0;
}

/* 0, -ENOMEM, or -EINVAL: there is nothing to compare. */
static int compare(struct run *run, struct syc_diff_collect *collect)
{
	struct syc_comparison *comparison = &run->report.comparison;
	int r = syc_diff_collect(collect);

	if (r == 0)
		r = syc_comparison_settle(comparison,
		                          collect->has_functions
		                                  ? run->min_percent / 100
		                                  : INFINITY);
	if (r < 0)
		return r;
	if (comparison->rows.n == 0) {
		fprintf(stderr,
		        "%s: there are no samples, marks or counters to "
		        "compare\n",
		        run->command);
		return -EINVAL;
	}
	return print(run);
}

static int show(struct run *run)
{
	struct syc_diff_collect collect = {
		.command = run->command,
		.filter = &run->filter,
		.options = {
			.parts = SYSCAP_PROFILE_MARKS | SYSCAP_PROFILE_COUNTERS |
			         syc_filter_options_stacks(&run->filter),
			.no_lookup = run->no_lookup,
		},
		.report = &run->report,
	};
	int status = SYC_EXIT_DONE;
	int r = compare(run, &collect);

	if (r == -ENOMEM)
		syc_fault_no_memory(run->command);
	if (r < 0 || collect.is_partial)
		status = DIFF_NOT_COMPARABLE;
	else if (syc_diff_count_failing(&run->report) > 0)
		status = DIFF_EXCEEDS;
	r = syc_fault_finish_output(run->command, SYC_EXIT_DONE);
	return r == SYC_EXIT_DONE ? status : DIFF_NOT_COMPARABLE;
}

static int run_diff(int argc, char **argv)
{
	struct run run = { .command = argv[0], .min_percent = MIN_PERCENT };
	int status = parse(&run, argc, argv);

	/* Builds differ in what they inline. */
	run.filter.filter.no_inlines = true;
	if (status < 0)
		status = show(&run);
	syc_comparison_fini(&run.report.comparison);
	free(run.report.gates.items);
	return status;
}

const struct syc_command syc_cmd_diff = {
	.name = "diff",
	.run = run_diff,
	.summary = "tell what changed between two sets of captures",
	.synopsis = "[OPTION]... [FILTER]... BASE NEW\n"
		    "[OPTION]... [FILTER]... BASE... -- NEW...",
	.about = "Tell what became more or less, functions, marks and "
		 "counters, by how much, and how sure that is.",
	.status = "0; 1 when --fail-above found any; 2 for wrong use; 3 when "
		  "not all of it can be compared or read.",
	.options =
		(const struct syc_option[]){
			{ "total", TOTAL, NULL,
	                  "functions with what they called", NULL },
			{ "by-share", BY_SHARE, NULL,
	                  "their share of all, not their time", NULL },
			{ "min", MIN, "SHARE",
	                  "functions that took as much of all (1%)", NULL },
			{ "all", ALL, NULL, "what does not differ, too", NULL },
			{ "fail-above", FAIL_ABOVE, "LIMIT",
	                  "exit 1 if any is surely more by N%, or N%:GLOB",
	                  NULL },
			{ "json", JSON, NULL, "all of it as one JSON object",
	                  NULL },
			{ "markdown", MARKDOWN, NULL, "tables in Markdown",
	                  NULL },
			{ "no-lookup", NO_LOOKUP, NULL,
	                  "no names but those in the files", NULL },
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters, see syscap-stat(1):",
};
