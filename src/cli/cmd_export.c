/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_export.c - `syscap export`: a capture in the formats of other viewers. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/filter_options.h"
#include "cli/view_query.h"
#include "export/export.h"
#include "profile/model.h"

/* Contents of a format. */
#define MARKS       SYSCAP_PROFILE_MARKS
#define ALLOCATIONS SYSCAP_PROFILE_ALLOCATIONS
#define COUNTERS    SYSCAP_PROFILE_COUNTERS
#define LOGS        SYSCAP_PROFILE_LOGS

struct run {
	const struct syc_export_format *format;
	struct syc_output_file output;
	struct syc_filter_options filter;
	struct syc_view_query query;
};

/* Report @n omitted items.  @one names a single item. */
static void tell(const struct run *run, uint64_t n, const char *one,
                 const char *many)
{
	if (n > 0)
		fprintf(stderr,
		        "%s: %s: note: omitted %" PRIu64
		        " %s, which the format cannot hold\n",
		        run->output.command, run->query.file, n,
		        n == 1 ? one : many);
}

/* Report @n omitted items that the option --of=@of exports. */
static void tell_option(const struct run *run, uint64_t n, const char *one,
                        const char *many, const char *of)
{
	if (n == 0)
		return;
	if (!run->format->has_bytes)
		tell(run, n, one, many);
	else
		fprintf(stderr,
		        "%s: %s: note: omitted %" PRIu64
		        " %s; --of=%s exports %s\n",
		        run->output.command, run->query.file, n,
		        n == 1 ? one : many, of, n == 1 ? "it" : "them");
}

/* Return whether the output is empty if there are no stacks. */
static bool has_only_stacks(const struct run *run)
{
	const struct syc_export_format *const format = run->format;

	if (format->holds == (SYSCAP_PROFILE_SAMPLES | MARKS))
		return syscap_profile_n_marks(run->query.profile) == 0;
	/* The table of losses has no stacks. */
	return format->holds == SYSCAP_PROFILE_SAMPLES && !format->has_losses;
}

/* Print the reason of an empty file. */
static void tell_empty(const struct run *run)
{
	const enum syscap_view_of of = run->filter.filter.of;
	const struct syscap_view *view = run->query.view;
	bool was_recorded;

	if (run->query.status != SYC_EXIT_DONE || view->n_passed > 0)
		return;
	if (view->n_looked > 0)
		fprintf(stderr,
		        "%s: %s: note: of %" PRIu64
		        " %s, none passes the filter; widen the filter\n",
		        run->output.command, run->query.file, view->n_looked,
		        syscap_view_of_name(of, view->n_looked));
	if (view->n_looked > 0 || !has_only_stacks(run))
		return;
	was_recorded =
		syc_processes_was_recorded(&run->query.profile->processes, of);
	fprintf(stderr, "%s: %s: note: the capture has no %s%s%s\n",
	        run->output.command, run->query.file,
	        syscap_view_of_name(of, 0),
	        was_recorded ? "" : "; record with ",
	        was_recorded ? "" : syc_filter_options_record(of));
}

/* Report the stacks of waits that the output omits. */
static void tell_waits(const struct run *run)
{
	static const struct {
		enum syscap_view_of of;
		const char *option, *one, *many;
	} kinds[] = { { SYSCAP_VIEW_BLOCKED, "blocked",
		        "stack of a call that blocked",
		        "stacks of calls that blocked" },
		      { SYSCAP_VIEW_STALLED, "stalled", "stack of a stall",
		        "stacks of stalls" } };
	const struct syscap_profile_wait *waits;
	size_t n, n_of[2] = { 0 };

	waits = syscap_profile_waits(run->query.profile, &n);
	for (size_t i = 0; i < n; i++)
		n_of[waits[i].is_stall]++;
	for (int i = 0; i < 2; i++)
		if (run->filter.filter.of != kinds[i].of)
			tell_option(run, n_of[i], kinds[i].one, kinds[i].many,
			            kinds[i].option);
}

/* Report allocations that the output omits, and frees, which no sum of
 * stacks has. */
static void tell_allocations(const struct run *run, uint64_t n_allocations,
                             uint64_t n_frees)
{
	if ((run->format->holds & ALLOCATIONS) != 0)
		return;
	if (syc_filter_options_stacks(&run->filter) != ALLOCATIONS)
		tell_option(run, n_allocations, "allocation", "allocations",
		            "allocated");
	tell(run, n_frees, "free", "frees");
}

/* Report marks that began before the recording.  Returns 0 or -ENOMEM. */
static int note_early_marks(const struct run *run)
{
	struct syc_early_marks marks;
	int r;

	if (run->format->table != NULL || (run->format->holds & MARKS) == 0)
		return 0;
	r = syc_view_query_early_marks(&run->query, false, &marks);
	if (r == 0 && marks.n_cut > 0)
		fprintf(stderr,
		        "%s: %s: note: marks that began before the recording: "
		        "%" PRIu64 ", measured from its start\n",
		        run->output.command, run->query.file, marks.n_cut);
	if (r == 0 && marks.n_before > 0)
		fprintf(stderr,
		        "%s: %s: note: marks that ended before the recording: "
		        "%" PRIu64 ", not counted\n",
		        run->output.command, run->query.file, marks.n_before);
	if (r == 0 && marks.n_false > 0) {
		fprintf(stderr, "%s: %s: note: ", run->output.command,
		        run->query.file);
		syc_mark_stats_false_text(&marks, stderr);
		fputc('\n', stderr);
	}
	return r;
}

/*
 * Warn about contents that the format cannot hold.  A csv table, which was
 * requested by name, gets no warnings.
 */
static void tell_left_out(const struct run *run,
                          const struct syc_export *export)
{
	struct syscap_reader *reader = run->query.reader;
	const unsigned holds = run->format->holds;
	uint64_t n[SYSCAP_FRAME_LAST] = { 0 };
	struct syscap_frame frame;
	uint64_t n_frees = 0;
	size_t n_losses;
	int r;

	if (run->format->table != NULL)
		return;
	syscap_reader_rewind(reader);
	while ((r = syscap_reader_next(reader, &frame, NULL)) != 0) {
		if (r > 0 && frame.type < SYSCAP_FRAME_LAST)
			n[frame.type]++;
		if (r > 0 && frame.type == SYSCAP_FRAME_ALLOCATION)
			n_frees += frame.allocation.size <= 0;
		else if (r < 0 && r != -EILSEQ)
			break;
	}
	syscap_profile_losses(run->query.profile, &n_losses);
	if ((holds & MARKS) == 0)
		tell(run, n[SYSCAP_FRAME_MARK] - n_losses, "mark", "marks");
	tell(run, export->n_overlaps,
	     "mark that overlaps another mark of its thread",
	     "marks that overlap other marks of their thread");
	if ((holds & COUNTERS) == 0)
		tell(run, n[SYSCAP_FRAME_CTRSET], "frame of counters",
		     "frames of counters");
	tell(run, export->n_no_numbers, "counter value that is not a number",
	     "counter values that are not numbers");
	if ((holds & LOGS) == 0)
		tell(run, n[SYSCAP_FRAME_LOG], "line of logs", "lines of logs");
	tell_allocations(run, n[SYSCAP_FRAME_ALLOCATION] - n_frees, n_frees);
	tell_waits(run);
	if (!run->format->has_losses)
		tell(run, n_losses, "interval with losses",
		     "intervals with losses");
	tell(run, export->n_ticks, "tick of samples", "ticks of samples");
}

/* Make the view of allocations, with the same filter. */
static int look_at_heap(const struct run *run, struct syscap_view **ret_view)
{
	struct syscap_filter filter = run->query.filter;
	size_t n;

	syscap_profile_allocations(run->query.profile, &n);
	if ((run->format->holds & ALLOCATIONS) == 0 || n == 0)
		return 0;
	filter.of = SYSCAP_VIEW_ALLOCATED;
	return syscap_view_new(run->query.profile, &filter, ret_view, NULL);
}

static int write_out(struct run *run)
{
	char note[SYC_VIEW_NOTE];
	struct syscap_view *heap = NULL;
	int r = look_at_heap(run, &heap);
	struct syc_export export = {
		.profile = run->query.profile,
		.view = run->query.view,
		.heap = heap,
		.reader = run->query.reader,
		.filter = &run->query.filter,
		.name = run->query.file,
		.note = note,
		.capture_time = syc_input_time(run->query.reader),
		.out = run->output.file,
	};

	syc_view_query_note(&run->query, note);
	if (r == 0)
		r = run->format->write(&export);
	syscap_view_free(heap);
	if (r >= 0)
		r = note_early_marks(run);
	if (r < 0) {
		run->output.is_spoiled = true;
		syc_cli_error_no_memory(run->output.command);
		return SYC_EXIT_PROBLEM;
	}
	tell_empty(run);
	syc_filter_options_note_recording(run->query.command, run->query.file,
	                                  run->query.view, &run->query.filter);
	syc_view_query_print_note(&run->query);
	tell_left_out(run, &export);
	return run->query.status;
}

static int show(struct run *run)
{
	const struct syscap_profile_options options = {
		.parts = run->format->holds |
		         syc_filter_options_parts(&run->filter) |
		         (run->filter.filter.of != SYSCAP_VIEW_SAMPLES
		                  ? syc_filter_options_stacks(&run->filter)
		                  : 0),
	};
	int status = SYC_EXIT_PROBLEM;

	run->filter.filter.by_line = run->format->has_lines;
	if (syc_view_query_open(&run->query, &options, &run->filter.filter) &&
	    syc_output_file_open(&run->output, run->format->is_binary)) {
		status = write_out(run);
		status = syc_output_file_close(&run->output, status);
	}
	syc_view_query_close(&run->query);
	return status;
}

static const struct syc_export_format *
find_format(const char *command, const char *name, const char *table)
{
	if (name == NULL) {
		fprintf(stderr,
		        "%s: no format given; --format is one of " SYC_EXPORT_FORMATS
		        "\n",
		        command);
		return NULL;
	}
	for (const struct syc_export_format *format = syc_export_formats;
	     format->name != NULL; format++)
		if (strcmp(format->name, name) == 0 &&
		    (table == NULL) == (format->table == NULL) &&
		    (table == NULL || strcmp(format->table, table) == 0))
			return format;
	if (strcmp(name, "csv") == 0 && table != NULL)
		fprintf(stderr,
		        "%s: csv: unknown table '%s'; --table is one of " SYC_EXPORT_TABLES
		        "\n",
		        command, table);
	else if (strcmp(name, "csv") == 0)
		fprintf(stderr,
		        "%s: csv: no table given; --table is one of " SYC_EXPORT_TABLES
		        "\n",
		        command);
	else if (table != NULL)
		fprintf(stderr, "%s: --table works only with --format=csv\n",
		        command);
	else
		fprintf(stderr,
		        "%s: unknown format '%s'; --format is one of " SYC_EXPORT_FORMATS
		        "\n",
		        command, name);
	return NULL;
}

enum {
	TABLE = 256
};

/* Returns -1 to continue, or the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_export,
		                   .argc = argc,
		                   .argv = argv };
	const char *format = NULL, *table = NULL;
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		if (syc_filter_options_is(key)) {
			if (!syc_filter_options_take(&run->filter, argv[0], key,
			                             words.value))
				return syc_cli_error_misuse(argv[0]);
		} else if (key == 'o') {
			run->output.name = words.value;
		} else if (key == 'f') {
			format = words.value;
		} else {
			table = words.value;
		}
	}
	if (words.status >= 0)
		return words.status;
	run->format = find_format(argv[0], format, table);
	if (run->format == NULL)
		return syc_cli_error_misuse(argv[0]);
	if (run->filter.filter.of != SYSCAP_VIEW_SAMPLES &&
	    !run->format->has_bytes) {
		fprintf(stderr,
		        "%s: --of works only with folded, callgrind and csv "
		        "(functions)\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if (argc - optind != 1) {
		fprintf(stderr, "%s: expected one FILE\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	run->query.file = argv[optind];
	return -1;
}

static int run_export(int argc, char **argv)
{
	struct run run = {
		.output.command = argv[0],
		.query.command = argv[0],
	};
	const int status = parse(&run, argc, argv);

	if (status >= 0)
		return status;
	if (syc_input_refuse_output(argv[0], run.query.file, run.output.name))
		return SYC_EXIT_MISUSE;
	return show(&run);
}

const struct syc_command syc_cmd_export = {
	.name = "export",
	.run = run_export,
	.summary = "convert a capture for another viewer",
	.synopsis = "--format=FORMAT [-o OUTPUT] [FILTER]... FILE\n"
		    "--format=csv --table=TABLE [-o OUTPUT] [FILTER]... FILE",
	.about = "Convert FILE for another program.  Data that FORMAT cannot "
		 "hold is counted on standard error.",
	.example = "syscap export --format=perfetto -o app.pftrace app.syscap",
	.status = "0 on success; 1 if FILE is damaged, unreadable or lacks "
		  "a filter's names, or OUTPUT is unwritable; 2 for wrong "
		  "use.",
	.options =
		(const struct syc_option[]){
			{ "format", 'f', "FORMAT", "write FORMAT.",
	                  SYC_EXPORT_FORMATS },
			{ "table", TABLE, "TABLE",
	                  "write this table (csv only).", SYC_EXPORT_TABLES },
			{ "output", 'o', "OUTPUT",
	                  "write to OUTPUT (default -, standard output)",
	                  NULL },
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters (see syscap-stat(1)):",
};
