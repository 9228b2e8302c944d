/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_diff.c - `syscap diff`: differences between two sets of captures.
 *
 * The arguments are BASE… -- NEW…, but getopt does not report the position of
 * "--".  So the words on the two sides of "--" are parsed one after the other,
 * and options may be on both sides.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/error.h"
#include "cli/filter_options.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/view_query.h"
#include "compare/comparison.h"
#include "profile/model.h"

struct diff_collect {
	const char *command;
	const struct syc_filter_options *filter;
	struct syscap_profile_options options;
	struct syc_diff_report *report; /* report, to which files are added */
	/* The first capture with samples, and the first without; or NULL. */
	const char *sampled, *bare;
	bool is_bare_recorded; /* although `record` was to take samples */
	bool is_excluded; /* a capture has samples, and none passes the filter */
	unsigned found;   /* enum syc_missing: names that some capture has */
	/*
	 * Some parts cannot be compared, as a message has reported.  If
	 * has_functions is false, functions cannot be compared.
	 */
	bool is_partial;
	bool has_functions;
};

/* Blocks of the only run of a side: enough for a variance, few enough to
 * have many events each. */
#define BLOCKS 10

/* One file as a whole, and the number of its first unit. */
struct recording {
	struct diff_collect *collect;
	struct syc_view_query query;
	size_t unit, n_units;
	bool is_first; /* the first file of its side */
};

static bool note_unit(struct recording *recording)
{
	struct diff_collect *collect = recording->collect;
	struct syc_diff_report *report = collect->report;
	const struct syscap_view *view = recording->query.view;
	const char *file = recording->query.file;

	if (view->total == 0) {
		if (collect->bare == NULL) {
			collect->bare = file;
			collect->is_bare_recorded = syc_processes_was_recorded(
				&recording->query.profile->processes,
				collect->filter->filter.of);
		}
		collect->is_excluded |= view->n_looked > 0;
		return true;
	}
	if (collect->sampled == NULL) {
		collect->sampled = file;
		report->unit = view->unit;
	}
	if (report->unit == view->unit)
		return true;
	fprintf(stderr,
	        "%s: %s counts %s, but %s counts %s; compare captures of the "
	        "same clock\n",
	        collect->command, collect->sampled,
	        syscap_view_unit_name(report->unit), file,
	        syscap_view_unit_name(view->unit));
	return false;
}

static int observe(struct recording *recording,
                   const struct syscap_filter *filter,
                   const struct syscap_view *view, size_t unit)
{
	const struct syc_diff_report *report = recording->collect->report;
	const double scale = (double)recording->n_units;
	const struct syc_observed observed = {
		.comparison = &recording->collect->report->comparison,
		.profile = recording->query.profile,
		.filter = filter,
		.unit = unit,
		.scale = scale,
	};
	const struct syc_observe_functions how = {
		.total = report->total,
		.by_share = report->by_share,
		.whole = (double)recording->query.view->total,
	};
	struct syscap_error error;
	int r = syc_observe_functions(&observed, view, &how);

	return r < 0 ? r : syc_observe_marks(&observed, &error);
}

/* The time range of block @i.  The first block keeps the filter's start, and
 * the last block the filter's end. */
static struct syscap_filter block_of(const struct recording *recording,
                                     size_t i)
{
	struct syscap_filter filter = recording->query.filter;
	const struct syscap_view *const whole = recording->query.view;
	struct syscap_profile_span span;
	int64_t begin, end;
	uint64_t length;

	/* The slowest marks are those of the whole capture, as in stat. */
	if (whole->n_marks > 0) {
		filter.marks = whole->marks;
		filter.n_marks = whole->n_marks;
	}
	syscap_profile_span(recording->query.profile, &span);
	begin = filter.has_from ? filter.from : span.begin;
	end = filter.has_to && filter.to < span.end ? filter.to : span.end;
	/* The difference is unsigned, because a file may begin at the lowest
	 * time. */
	length = end > begin ? ((uint64_t)end - (uint64_t)begin) / BLOCKS : 0;
	if (i > 0) {
		filter.has_from = true;
		filter.from = (int64_t)((uint64_t)begin + i * length);
	}
	if (i + 1 < BLOCKS) {
		filter.has_to = true;
		filter.to = (int64_t)((uint64_t)begin + (i + 1) * length);
	}
	return filter;
}

static int observe_blocks(struct recording *recording)
{
	struct syscap_error error;
	int r = 0;

	for (size_t i = 0; r == 0 && i < BLOCKS; i++) {
		const struct syscap_filter filter = block_of(recording, i);
		struct syscap_view *view;

		r = syscap_view_new(recording->query.profile, &filter, &view,
		                    &error);
		if (r == -EINVAL) { /* no mark of the filter in this block */
			r = 0;
			continue;
		}
		if (r < 0)
			return r;
		r = observe(recording, &filter, view, recording->unit + i);
		syscap_view_free(view);
	}
	return r;
}

static void note_own_code(struct recording *recording)
{
	struct syc_diff_report *report = recording->collect->report;
	const unsigned side = recording->unit >= report->comparison.n_units[0];

	report->recording[side] += (double)recording->query.view->recording;
	report->whole[side] += (double)recording->query.view->whole;
	report->with_recording = recording->query.filter.with_recording;
}

/* Count the marks that began before the recording.  Returns 0 or -ENOMEM. */
static int note_early_marks(struct recording *recording)
{
	struct syc_diff_report *report = recording->collect->report;
	const unsigned side = recording->unit >= report->comparison.n_units[0];
	struct syc_early_marks marks;
	const int r =
		syc_view_query_early_marks(&recording->query, true, &marks);

	report->early[side].n_cut += marks.n_cut;
	report->early[side].n_before += marks.n_before;
	report->early[side].n_false += marks.n_false;
	return r;
}

/* Store the reasons that may forbid the comparison of this file. */
static void note_state(struct recording *recording)
{
	struct syc_diff_report *report = recording->collect->report;
	const unsigned side = recording->unit >= report->comparison.n_units[0];
	struct syc_diff_state *state = &report->states[side];
	const struct syscap_profile *profile = recording->query.profile;
	const struct syscap_view *view = recording->query.view;
	const char *incomplete = syscap_profile_incomplete(profile);
	const struct syscap_profile_loss *losses;
	size_t n;

	losses = syscap_profile_losses(profile, &n);
	for (size_t i = 0; i < view->n_losses; i++)
		state->n_lost += losses[view->losses[i]].frames;
	if (incomplete != NULL && state->n_incomplete++ == 0)
		state->incomplete = incomplete;
	state->n_parts += profile->processes.is_part;
	if (recording->query.filter.of == SYSCAP_VIEW_SAMPLES)
		state->clocks |= syc_processes_clocks(&profile->processes);
}

/* Add the time that the samples of this file do not cover.  Only samples can be
 * incomplete. */
static void note_unsampled(struct recording *recording)
{
	struct syc_diff_report *report = recording->collect->report;
	const unsigned side = recording->unit >= report->comparison.n_units[0];
	struct syscap_profile_unsampled *sum = &report->unsampled[side], one;

	if (recording->query.filter.of != SYSCAP_VIEW_SAMPLES)
		return;
	syscap_profile_unsampled(recording->query.profile, &one);
	sum->has_cpu = one.has_cpu && (recording->is_first || sum->has_cpu);
	sum->n_threads += one.n_threads;
	sum->cpu_ns += one.cpu_ns;
	sum->missing_ns += one.missing_ns;
	sum->is_misleading |= one.is_misleading;
	report->comparison.lacks_samples |= one.is_misleading;
	recording->collect->is_partial |= one.is_misleading;
}

static int take_in(struct recording *recording)
{
	struct syc_view_query *query = &recording->query;
	int r;

	note_state(recording);
	note_unsampled(recording);
	if (!note_unit(recording))
		recording->collect->has_functions = false;
	note_own_code(recording);
	r = recording->n_units > 1 ? observe_blocks(recording)
	                           : observe(recording, &query->filter,
	                                     query->view, recording->unit);
	if (r == 0)
		r = syc_observe_counters(
			&(struct syc_observed){
				.comparison =
					&recording->collect->report->comparison,
				.profile = query->profile,
				.filter = &query->filter,
				.unit = recording->unit,
				.scale = 1,
			},
			query->view, query->reader);
	return r == 0 ? note_early_marks(recording) : r;
}

/* Report the names that no file has, after reading all files. */
static void judge_names(struct diff_collect *collect,
                        struct syc_view_query *query, size_t n_units)
{
	const size_t *all = collect->report->comparison.n_units;

	collect->found |= ~query->missing;
	if (n_units < all[0] + all[1] ||
	    (~collect->found & query->missing) == 0)
		return;
	syc_filter_check_print(query->command, query->file, query->profile,
	                       &collect->filter->filter,
	                       ~collect->found & query->missing);
	query->status = SYC_EXIT_PROBLEM;
}

static int collect_file(struct diff_collect *collect, const char *file,
                        size_t unit, size_t n_units)
{
	struct recording recording = {
		.collect = collect,
		.query = { .command = collect->command,
		           .file = file,
		           .is_one_of_many = true },
		.unit = unit,
		.n_units = n_units,
		.is_first = unit == 0 ||
		            unit == collect->report->comparison.n_units[0],
	};
	int r = -EINVAL;

	if (syc_view_query_open(&recording.query, &collect->options,
	                        &collect->filter->filter))
		r = take_in(&recording);
	if (r == 0)
		judge_names(collect, &recording.query, unit + n_units);
	if (recording.query.status != SYC_EXIT_DONE)
		collect->is_partial = true;
	syc_view_query_close(&recording.query);
	return r;
}

/* Check that every side has samples, which functions need. */
static void judge_samples(struct diff_collect *collect)
{
	if (collect->sampled == NULL)
		collect->has_functions = false;
	if (collect->sampled != NULL && collect->bare != NULL) {
		fprintf(stderr, "%s: %s has %s%s, and %s has none\n",
		        collect->command, collect->sampled,
		        syscap_view_of_name(collect->filter->filter.of, 0),
		        collect->is_excluded ? " that pass the filter" : "",
		        collect->bare);
		collect->has_functions = false;
	}
	if (!collect->has_functions && collect->sampled != NULL) {
		fprintf(stderr, "%s: functions are not compared",
		        collect->command);
		/* With different clocks, both sides have samples. */
		if (collect->bare != NULL && !collect->is_excluded &&
		    !collect->is_bare_recorded)
			fprintf(stderr, "; record both sides with %s",
			        syc_filter_options_record(
					collect->filter->filter.of));
		fputc('\n', stderr);
		collect->is_partial = true;
	}
	collect->report->has_unit = collect->has_functions;
}

/*
 * Read all files, one after the other.  Returns 0, -ENOMEM, or -EINVAL: nothing
 * to compare, already reported.
 */
static int diff_collect(struct diff_collect *collect)
{
	struct syc_diff_report *report = collect->report;
	size_t unit = 0;
	size_t each;

	report->has_blocks = report->n_files[0] == 1 && report->n_files[1] == 1;
	each = report->has_blocks ? BLOCKS : 1;
	for (unsigned side = 0; side < 2; side++)
		report->comparison.n_units[side] = report->n_files[side] * each;
	collect->has_functions = true;
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < report->n_files[side]; i++) {
			const int r = collect_file(
				collect, report->files[side][i], unit, each);

			if (r < 0)
				return r;
			unit += each;
		}
	judge_samples(collect);
	return 0;
}

#define MIN_PERCENT 1.0

enum {
	DIFF_EXCEEDS = 1, /* a limit of --fail-above is exceeded */
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

/*
 * Parse the options among the words on one side of "--", which the files
 * follow.  Returns -1 to continue, or the exit status.
 */
static int parse_words(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_diff,
		                   .argc = argc,
		                   .argv = argv };
	int key;

	optind = 0;
	while ((key = syc_options_next(&words)) > 0)
		if (!take(run, key, words.value))
			return syc_cli_error_misuse(run->command);
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
		/* Without "--", each side has one file. */
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

/* Returns -1 to continue, or the exit status. */
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
		        "%s: expected two FILEs, or FILEs before and after "
		        "--\n",
		        run->command);
		return syc_cli_error_misuse(run->command);
	}
	if (run->json && run->markdown) {
		fprintf(stderr,
		        "%s: --json and --markdown exclude each other; choose "
		        "one\n",
		        run->command);
		return syc_cli_error_misuse(run->command);
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

/* Report that there is nothing to compare. */
static void print_nothing(const struct run *run,
                          const struct diff_collect *collect)
{
	const enum syscap_view_of of = run->filter.filter.of;
	const char *const amounts = syscap_view_of_name(of, 0);

	if (collect->sampled != NULL)
		fprintf(stderr,
		        "%s: there are no marks and no counters to compare\n",
		        run->command);
	else if (collect->is_excluded)
		fprintf(stderr,
		        "%s: no %s, marks or counters pass the filter\n",
		        run->command, amounts);
	else if (collect->is_bare_recorded)
		fprintf(stderr,
		        "%s: the captures have no %s, marks or counters, "
		        "although %s was recorded with %s\n",
		        run->command, amounts, collect->bare,
		        syc_filter_options_record(of));
	else
		fprintf(stderr,
		        "%s: the captures have no %s, marks or counters; "
		        "record with %s\n",
		        run->command, amounts, syc_filter_options_record(of));
}

/* A misspelt pattern never fails a build. */
static void print_unused_gates(const struct run *run)
{
	const struct syc_comparison *comparison = &run->report.comparison;

	for (size_t i = 0; i < run->report.gates.n; i++) {
		const char *const glob = run->report.gates.items[i].glob;
		size_t row = 0;

		while (row < comparison->rows.n &&
		       !syc_comparison_is_checked(&comparison->rows.items[row],
		                                  glob))
			row++;
		if (glob == NULL || row < comparison->rows.n)
			continue;
		fprintf(stderr, "%s: note: --fail-above: ", run->command);
		syc_printable_write(stderr, glob, false);
		fputs(" matches no compared function, mark or counter\n",
		      stderr);
	}
}

/* Returns 0, -ENOMEM, or -EINVAL: nothing to compare. */
static int compare(struct run *run, struct diff_collect *collect)
{
	struct syc_comparison *comparison = &run->report.comparison;
	int r = diff_collect(collect);

	if (r == 0)
		r = syc_comparison_settle(comparison,
		                          collect->has_functions
		                                  ? run->min_percent / 100
		                                  : INFINITY);
	if (r < 0)
		return r;
	if (comparison->rows.n == 0) {
		print_nothing(run, collect);
		return -EINVAL;
	}
	print_unused_gates(run);
	return print(run);
}

static int show(struct run *run)
{
	struct diff_collect collect = {
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
		syc_cli_error_no_memory(run->command);
	if (r < 0 || collect.is_partial)
		status = DIFF_NOT_COMPARABLE;
	else if (syc_diff_count_failing(&run->report) > 0)
		status = DIFF_EXCEEDS;
	r = syc_cli_error_finish_output(run->command, SYC_EXIT_DONE);
	return r == SYC_EXIT_DONE ? status : DIFF_NOT_COMPARABLE;
}

static int run_diff(int argc, char **argv)
{
	struct run run = { .command = argv[0], .min_percent = MIN_PERCENT };
	int status = parse(&run, argc, argv);

	/* Ignore inlined functions, since builds inline different functions. */
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
	.summary = "compare two sets of captures",
	.synopsis = "[OPTION]... [FILTER]... BASE NEW\n"
		    "[OPTION]... [FILTER]... BASE... -- NEW...",
	.about = "Compare functions, marks and counters of the captures NEW "
		 "with those of BASE.  Each difference has a confidence "
		 "interval (95%).",
	.example = "syscap diff before-*.syscap -- after-*.syscap",
	.status = "0 on success; 1 if --fail-above found an increase; 2 for "
		  "wrong use; 3 if a part cannot be compared or read.",
	.options =
		(const struct syc_option[]){
			{ "total", TOTAL, NULL,
	                  "count functions with their callees", NULL },
			{ "by-share", BY_SHARE, NULL,
	                  "compare shares of the total, not times", NULL },
			{ "min", MIN, "SHARE",
	                  "omit functions below SHARE of the total (1%)",
	                  NULL },
			{ "all", ALL, NULL, "also show rows that do not differ",
	                  NULL },
			{ "fail-above", FAIL_ABOVE, "LIMIT",
	                  "exit with 1 if a row certainly grew by over N% "
	                  "(N%:GLOB: if its name matches)",
	                  NULL },
			{ "json", JSON, NULL, "print one JSON object", NULL },
			{ "markdown", MARKDOWN, NULL,
	                  "print tables in Markdown", NULL },
			{ "no-lookup", NO_LOOKUP, NULL,
	                  "use only names stored in the captures", NULL },
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters (see syscap-stat(1)):",
};
