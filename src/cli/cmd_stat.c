/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_stat.c - `syscap stat`: what is in a capture, in numbers. */
#define _GNU_SOURCE
#include "cli/cmd.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/fault.h"
#include "cli/stat_summary.h"

/* Damaged frames that are told one by one; the rest is counted. */
#define MOST_FAULTS 10

static void print_help(void)
{
	puts("Usage: syscap stat [--json] FILE\n"
	     "\n"
	     "Show what is in a capture: time span, processes and threads,\n"
	     "frames by type, lost frames, marks with their durations,\n"
	     "counters, and logs by severity.\n"
	     "\n"
	     "  --json    as one JSON object\n"
	     "  --help    show this text\n"
	     "\n"
	     "Exit status: 0; 1 when the capture is damaged or could not be\n"
	     "read, with what could be read shown; 2 for wrong use.");
}

struct run {
	const char *command, *file;
	int status;
};

static void report_fault(struct run *run, const struct syscap_error *error,
                         uint64_t n_damaged)
{
	run->status = SC_EXIT_PROBLEM;
	if (error->code != EILSEQ || n_damaged <= MOST_FAULTS)
		sc_fault_print(run->command, run->file, error);
}

/* Walk the file; what cannot be read is told and left out. */
static int read_frames(struct run *run, struct syscap_reader *reader,
                       struct sc_stat_summary *summary)
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
		} else if (sc_stat_summary_add(summary, reader, &frame) < 0) {
			return -ENOMEM;
		}
	}
	if (summary->n_damaged > MOST_FAULTS)
		fprintf(stderr, "%s: %s: %" PRIu64 " more frames are damaged\n",
		        run->command, run->file,
		        summary->n_damaged - MOST_FAULTS);
	return sc_stat_summary_finish(summary);
}

static void show(struct run *run, struct syscap_reader *reader, bool json)
{
	struct sc_stat_summary summary;

	sc_stat_summary_init(&summary, reader);
	int r = read_frames(run, reader, &summary);
	if (r == 0 && json)
		sc_stat_json(&summary);
	else if (r == 0)
		r = sc_stat_text(&summary, run->file);
	if (r < 0) {
		sc_fault_no_memory(run->command);
		run->status = SC_EXIT_PROBLEM;
	}
	sc_stat_summary_fini(&summary);
}

int sc_cmd_stat(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct run run = { .command = argv[0], .status = SC_EXIT_DONE };
	struct syscap_reader *reader;
	struct syscap_error error;
	bool json = false;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'j') {
			json = true;
		} else if (c == 'h') {
			print_help();
			return sc_fault_finish_output(argv[0], SC_EXIT_DONE);
		} else {
			return sc_fault_misuse(argv[0]);
		}
	}
	if (argc - optind != 1) {
		fprintf(stderr, "%s: expected one file\n", argv[0]);
		return sc_fault_misuse(argv[0]);
	}

	run.file = argv[optind];
	if (syscap_reader_open(run.file, &reader, &error) < 0) {
		sc_fault_print(argv[0], run.file, &error);
		return SC_EXIT_PROBLEM;
	}
	sc_fault_tell_merged(argv[0], run.file, reader);
	show(&run, reader, json);
	if (sc_fault_tell_unread(argv[0], run.file, reader))
		run.status = SC_EXIT_PROBLEM;
	syscap_reader_close(reader);
	return sc_fault_finish_output(argv[0], run.status);
}
