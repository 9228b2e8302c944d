/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_stat.c - `syscap stat`: a summary of a capture in numbers.
 *
 * With a filter, a second walk collects marks, counters and logs.  The profile
 * attributes these events to processes and threads.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/filter_options.h"
#include "cli/options.h"
#include "cli/stat_summary.h"
#include "cli/view_query.h"
#include "common/strings.h"

/* Return whether @filter can exclude events without a stack. */
static bool stat_filtered_is(const struct syscap_filter *filter)
{
	return filter->has_from || filter->has_to || filter->pid != 0 ||
	       filter->thread != NULL;
}

/* Return whether a condition may exclude events, stacks or marks. */
static bool has_condition(const struct syc_filter_options *options)
{
	const struct syscap_filter *filter = &options->filter;

	return stat_filtered_is(filter) ||
	       syc_filter_options_has_marks(options) ||
	       filter->function != NULL || filter->drop != NULL ||
	       filter->focus != NULL;
}

static int add_event(struct syc_stat_summary *summary,
                     const struct syscap_profile *profile,
                     const struct syscap_reader *reader,
                     const struct syscap_view *view,
                     const struct syscap_profile_event *event)
{
	const struct syscap_frame *frame = event->frame;

	/*
	 * Take all marks, since the end of an operation in the view may be
	 * outside
	 */
	if (frame->type != SYSCAP_FRAME_MARK &&
	    !syscap_view_has(view, event->thread, frame->time))
		return 0;
	switch (frame->type) {
	case SYSCAP_FRAME_MARK:
		return event->is_loss ? 0
		                      : syc_mark_stats_add_frame(
						&summary->marks, frame,
						syc_mark_passes(profile,
		                                                summary->begin,
		                                                view, event));
	case SYSCAP_FRAME_CTRSET:
		return syc_counter_stats_set(&summary->counters, reader, frame);
	case SYSCAP_FRAME_LOG:
		summary->logs[syc_severity_index(frame->log.severity)]++;
		return 0;
	default:
		return 0;
	}
}

/* Collect the events of @view from the file of @reader into the empty
 * @summary.  Returns 0 or -ENOMEM. */
static int stat_filtered_add(struct syc_stat_summary *summary,
                             const struct syscap_profile *profile,
                             const struct syscap_view *view,
                             struct syscap_reader *reader)
{
	struct syscap_profile_walk *walk;
	struct syscap_profile_event event;
	int r = syscap_profile_walk_new(profile, reader, &walk);

	if (r < 0)
		return r;
	while (r == 0 && (r = syscap_profile_walk_event(walk, &event)) > 0)
		r = add_event(summary, profile, reader, view, &event);
	syscap_profile_walk_free(walk);
	return r;
}

/* Number of damaged frames to report; further frames are counted. */
#define MOST_FAULTS 10

/* Rows of a table on a screen with other tables. */
#define MOST_ROWS 10
#define TREE_MIN  1.0

struct run {
	const char *command, *file;
	struct syc_filter_options filter;
	struct syc_stat_hot hot;
	const char *annotate; /* function whose source is requested, or NULL */
	bool json, all, no_lookup;
	uint64_t n_functions, top; /* numbers of rows; 0: not requested */
	struct syscap_profile *profile;
	int status;
};

static void report_fault(struct run *run, const struct syscap_error *error,
                         uint64_t n_damaged)
{
	run->status = SYC_EXIT_PROBLEM;
	if (error->code != EILSEQ || n_damaged <= MOST_FAULTS)
		syc_cli_error_print(run->command, run->file, error);
}

/* Walk the file; unreadable parts are reported and omitted. */
static int read_frames(struct run *run, struct syscap_reader *reader,
                       struct syc_stat_summary *summary)
{
	struct syscap_error error;
	struct syscap_frame frame;
	int r;

	while ((r = syscap_reader_next(reader, &frame, &error)) != 0) {
		if (r == -EILSEQ) {
			report_fault(run, &error, ++summary->n_damaged);
		} else if (r < 0) {
			report_fault(run, &error, 0);
			break;
		} else if (syscap_profile_add(run->profile, reader, &frame) <
		                   0 ||
		           syc_stat_summary_add(summary, reader, &frame) < 0) {
			return -ENOMEM;
		}
	}
	if (summary->n_damaged > MOST_FAULTS)
		fprintf(stderr,
		        "%s: %s: %" PRIu64
		        " more damaged frame%s; 'syscap check' lists all\n",
		        run->command, run->file,
		        summary->n_damaged - MOST_FAULTS,
		        syc_plural(summary->n_damaged - MOST_FAULTS));
	return syscap_profile_settle(run->profile);
}

static int print(struct run *run, const struct syc_stat_summary *summary)
{
	bool is_known;
	int r;

	if (run->annotate != NULL) {
		r = syc_stat_annotate_text(&run->hot, run->annotate,
		                           syc_input_time(run->hot.reader),
		                           &is_known);
		if (r == 0 && !is_known) {
			fprintf(stderr,
			        "%s: %s: the capture has no function %s; "
			        "syscap stat --all lists the names\n",
			        run->command, run->file, run->annotate);
			run->status = SYC_EXIT_PROBLEM;
		}
		return r;
	}
	if (run->json)
		return syc_stat_json(summary, &run->hot);
	return syc_stat_text(summary, run->file, &run->hot, run->all);
}

static int look(struct run *run, struct syscap_reader *reader,
                struct syc_stat_summary *summary)
{
	struct syscap_error error = { 0 };
	struct syscap_view *view;
	int r;

	syc_filter_options_settle(&run->filter, summary->begin);
	r = syscap_view_new(run->profile, &run->filter.filter, &view, &error);
	if (syc_filter_check_report(run->command, run->file, run->profile,
	                            &run->filter.filter, r, &error))
		run->status = SYC_EXIT_PROBLEM;
	if (r == -EINVAL)
		return 0;
	if (r < 0)
		return r;
	run->hot.profile = run->profile;
	run->hot.reader = reader;
	run->hot.filter = &run->filter.filter;
	run->hot.is_filtered = run->filter.is_any;
	run->hot.whole = has_condition(&run->filter) ? " (whole capture)" : "";
	run->hot.view = view;
	if (run->top > 0)
		run->hot.n_rows = (size_t)run->top;
	else
		run->hot.n_rows = run->json || run->all ? SIZE_MAX : MOST_ROWS;
	run->hot.n_functions = run->n_functions > 0 ? (size_t)run->n_functions
	                                            : run->hot.n_rows;
	if (run->filter.filter.has_from)
		summary->marks.from = run->filter.filter.from;
	if (summary->is_filtered)
		r = stat_filtered_add(summary, run->profile, view, reader);
	if (r == 0)
		r = syc_stat_summary_finish(summary);
	if (r == 0) {
		syc_stat_sort_marks(run->hot.sort, &summary->marks);
		syc_stat_sort_counters(run->hot.sort, &summary->counters);
		r = print(run, summary);
	}
	syscap_view_free(view);
	return r;
}

static unsigned wanted_parts(const struct syc_filter_options *filter)
{
	unsigned parts = SYSCAP_PROFILE_SAMPLES | SYSCAP_PROFILE_ALLOCATIONS;

	if (stat_filtered_is(&filter->filter))
		parts |= SYSCAP_PROFILE_THREADS;
	if (syc_filter_options_has_marks(filter))
		parts |= SYSCAP_PROFILE_MARKS;
	return parts;
}

static int show(struct run *run, struct syscap_reader *reader)
{
	const struct syscap_profile_options options = {
		.parts = wanted_parts(&run->filter),
		.no_lookup = run->no_lookup,
		.is_once = true,
	};
	struct syc_stat_summary summary;
	int r = syscap_profile_new(&options, &run->profile);

	if (r < 0)
		return r;
	syc_stat_summary_init(&summary, reader);
	summary.is_filtered = stat_filtered_is(&run->filter.filter);
	summary.profile = run->profile;
	r = read_frames(run, reader, &summary);
	if (r == 0)
		r = look(run, reader, &summary);
	syc_stat_summary_fini(&summary);
	syscap_profile_free(run->profile);
	return r;
}

enum {
	JSON = 256,
	FUNCTIONS_OPTION,
	THREADS,
	TREE,
	LINES,
	MIN,
	SORT,
	TOP,
	ALL,
	NO_LOOKUP,
	ANNOTATE,
};

static bool take(struct run *run, int c, const char *value)
{
	switch (c) {
	case JSON:
		run->json = true;
		return true;
	case THREADS:
		run->hot.threads = true;
		return true;
	case TREE:
		run->hot.tree = true;
		return true;
	case LINES:
		run->hot.lines = true;
		return true;
	case ALL:
		run->all = true;
		return true;
	case ANNOTATE:
		run->annotate = value;
		return true;
	case NO_LOOKUP:
		run->no_lookup = true;
		return true;
	case FUNCTIONS_OPTION:
		if (syc_quantity_count(value, &run->n_functions))
			return true;
		fprintf(stderr,
		        "%s: --functions: expected a number of at least 1\n",
		        run->command);
		return false;
	case SORT:
		return syc_stat_sort_parse(run->command, value, &run->hot.sort);
	case TOP:
		if (syc_quantity_count(value, &run->top))
			return true;
		fprintf(stderr, "%s: --top: expected a number of at least 1\n",
		        run->command);
		return false;
	case MIN:
		if (syc_quantity_percent(value, &run->hot.min_percent))
			return true;
		fprintf(stderr, "%s: --min: expected a share such as 1%%\n",
		        run->command);
		return false;
	default:
		return syc_filter_options_is(c) &&
		       syc_filter_options_take(&run->filter, run->command, c,
		                               value);
	}
}

/* Returns -1 to continue, or the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_stat,
		                   .argc = argc,
		                   .argv = argv };
	int key;

	while ((key = syc_options_next(&words)) > 0)
		if (!take(run, key, words.value))
			return syc_cli_error_misuse(argv[0]);
	if (words.status >= 0)
		return words.status;
	if (run->annotate != NULL && run->json) {
		fprintf(stderr,
		        "%s: --annotate and --json exclude each other; choose "
		        "one\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if (argc - optind != 1) {
		fprintf(stderr, "%s: expected one FILE\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	run->file = argv[optind];
	return -1;
}

static int run_stat(int argc, char **argv)
{
	struct run run = {
		.command = argv[0],
		.hot.min_percent = TREE_MIN,
		.status = SYC_EXIT_DONE,
	};
	const int status = parse(&run, argc, argv);
	struct syscap_reader *reader;
	struct syscap_error error;

	if (status >= 0)
		return status;
	if (syc_input_open(run.file, &reader, &error) < 0) {
		syc_cli_error_print(argv[0], run.file, &error);
		return SYC_EXIT_PROBLEM;
	}
	syc_cli_error_note_merged(argv[0], run.file, reader);
	if (show(&run, reader) < 0) {
		syc_cli_error_no_memory(argv[0]);
		run.status = SYC_EXIT_PROBLEM;
	}
	if (syc_cli_error_warn_unread(argv[0], run.file, reader))
		run.status = SYC_EXIT_PROBLEM;
	syscap_reader_close(reader);
	return syc_cli_error_finish_output(argv[0], run.status);
}

const struct syc_command syc_cmd_stat = {
	.name = "stat",
	.run = run_stat,
	.summary = "print statistics of a capture",
	.synopsis = "[OPTION]... [FILTER]... FILE",
	.about = "Print statistics of a capture: functions by time, "
		 "processes, lost frames, marks, counters and logs.",
	.example = "syscap stat --tree app.syscap",
	.status = "0 on success; 1 if the capture is damaged or unreadable "
		  "(all readable data is shown) or lacks a filter's "
		  "names; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "functions", FUNCTIONS_OPTION, "N",
	                  "show N functions (10)", NULL },
			{ "threads", THREADS, NULL,
	                  "also show the functions of each thread", NULL },
			{ "tree", TREE, NULL, "show the call tree", NULL },
			{ "min", MIN, "SHARE",
	                  "with --tree: omit nodes below SHARE (1%)", NULL },
			{ "lines", LINES, NULL, "show the hottest source lines",
	                  NULL },
			{ "annotate", ANNOTATE, "FUNCTION",
	                  "show only the source of FUNCTION by line", NULL },
			{ "sort", SORT, "KEY",
	                  "sort functions, marks and counters.",
	                  SYC_STAT_SORT_KEYS },
			{ "top", TOP, "N", "show N rows of each table (10)",
	                  NULL },
			{ "all", ALL, NULL, "show all rows of all tables",
	                  NULL },
			{ "json", JSON, NULL, "print one JSON object", NULL },
			{ "no-lookup", NO_LOOKUP, NULL,
	                  "use only names stored in FILE", NULL },
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters:",
};
