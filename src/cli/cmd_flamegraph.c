/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_flamegraph.c - `syscap flamegraph`: a picture of the stacks of a capture.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/filter_options.h"
#include "cli/view_query.h"
#include "export/export.h"
#include "export/stacks.h"

struct run {
	struct syc_output_file output;
	struct syc_filter_options filter;
	struct syscap_profile_options options;
	struct syc_view_query new, base;
	bool folded, by_self;
};

static const char *title_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	return strcmp(file, "-") == 0 ? "standard input"
	       : slash != NULL        ? slash + 1
	                              : file;
}

/* Write "stack OLD NEW", the input of other tools for difference graphs. */
static int write_folded_diff(const struct run *run,
                             const struct syc_flamegraph_diff *diff)
{
	const struct syscap_view *view = run->new.view;
	FILE *out = run->output.file;
	struct syc_folded folded;
	int r = syc_folded_init(&folded, run->new.profile, false);

	for (uint32_t i = 1; r == 0 && i < view->n_nodes; i++) {
		if (view->selfs[i] == 0 && diff->selfs[i] == 0)
			continue;
		r = syc_folded_stack(&folded, out, view, i);
		fprintf(out, " %" PRIu64 " %" PRIu64 "\n", diff->selfs[i],
		        view->selfs[i]);
	}
	syc_folded_fini(&folded);
	return r;
}

static int write_diff(struct run *run, struct syc_flamegraph *graph)
{
	struct syc_flamegraph_diff diff;
	int r = syc_flamegraph_diff_init(&diff, run->new.profile, run->new.view,
	                                 run->base.profile, run->base.view);

	if (r < 0)
		return r;
	diff.name = title_of(run->base.file);
	graph->diff = &diff;
	if (run->folded)
		r = write_folded_diff(run, &diff);
	else
		r = syc_flamegraph_write(graph, run->output.file);
	syc_flamegraph_diff_fini(&diff);
	return r;
}

static int write_graph(struct run *run)
{
	struct syc_flamegraph graph = {
		.profile = run->new.profile,
		.view = run->new.view,
		.title = title_of(run->new.file),
		.filter = run->filter.text,
		.by_self = run->by_self,
	};

	if (run->base.file != NULL)
		return write_diff(run, &graph);
	if (!run->folded)
		return syc_flamegraph_write(&graph, run->output.file);
	return syc_folded_write(run->output.file, graph.profile, graph.view);
}

static bool has_samples(struct syc_view_query *query)
{
	if (query->view->total > 0)
		return true;
	fprintf(stderr, "%s: %s: the capture has no %s%s\n", query->command,
	        query->file, syscap_view_of_name(query->filter.of, 0),
	        query->view->n_looked > 0 ? " that pass the filter" : "");
	query->status = SYC_EXIT_PROBLEM;
	return false;
}

static bool ask(struct run *run)
{
	struct syc_view_query *base = &run->base;

	if (!syc_view_query_open(&run->new, &run->options,
	                         &run->filter.filter) ||
	    !has_samples(&run->new))
		return false;
	if (base->file == NULL)
		return true;
	if (!syc_view_query_open(base, &run->options, &run->filter.filter) ||
	    !has_samples(base))
		return false;
	if (base->view->unit == run->new.view->unit)
		return true;
	fprintf(stderr,
	        "%s: %s counts %s, but %s counts %s; compare captures of the "
	        "same clock\n",
	        base->command, run->new.file,
	        syscap_view_unit_name(run->new.view->unit), base->file,
	        syscap_view_unit_name(base->view->unit));
	base->status = SYC_EXIT_PROBLEM;
	return false;
}

static void note_recording(const struct syc_view_query *query)
{
	syc_filter_options_note_recording(query->command, query->file,
	                                  query->view, &query->filter);
	syc_view_query_print_note(query);
}

static int show(struct run *run)
{
	int status = SYC_EXIT_PROBLEM;

	if (ask(run) && syc_output_file_open(&run->output, false)) {
		status = run->new.status != SYC_EXIT_DONE ? run->new.status
		                                          : run->base.status;
		note_recording(&run->new);
		if (run->base.file != NULL)
			note_recording(&run->base);
		if (write_graph(run) < 0) {
			run->output.is_spoiled = true;
			syc_cli_error_no_memory(run->output.command);
			status = SYC_EXIT_PROBLEM;
		}
		status = syc_output_file_close(&run->output, status);
	}
	syc_view_query_close(&run->new);
	syc_view_query_close(&run->base);
	return status;
}

enum {
	FOLDED = 256,
	DIFF,
	BY_SELF
};

/* Returns -1 to continue, or the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_flamegraph,
		                   .argc = argc,
		                   .argv = argv };
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		if (syc_filter_options_is(key)) {
			if (!syc_filter_options_take(&run->filter, argv[0], key,
			                             words.value))
				return syc_cli_error_misuse(argv[0]);
		} else if (key == 'o') {
			run->output.name = words.value;
		} else if (key == FOLDED) {
			run->folded = true;
		} else if (key == DIFF) {
			run->base.file = words.value;
		} else {
			run->by_self = true;
		}
	}
	if (words.status >= 0)
		return words.status;
	if (argc - optind != 1) {
		fprintf(stderr, "%s: expected one FILE\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	run->new.file = argv[optind];
	if (run->by_self && run->base.file == NULL) {
		fprintf(stderr, "%s: --by-self works only with --diff=BASE\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if (run->base.file != NULL && strcmp(run->base.file, "-") == 0 &&
	    strcmp(run->new.file, "-") == 0) {
		fprintf(stderr,
		        "%s: -: standard input is readable only once; name a "
		        "file for FILE or BASE\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	return -1;
}

static int run_flamegraph(int argc, char **argv)
{
	struct run run = {
		.output.command = argv[0],
		.new.command = argv[0],
		.base.command = argv[0],
	};
	const int status = parse(&run, argc, argv);

	if (status >= 0)
		return status;
	if (syc_input_refuse_output(argv[0], run.new.file, run.output.name) ||
	    syc_input_refuse_output(argv[0], run.base.file, run.output.name))
		return SYC_EXIT_MISUSE;
	/* Ignore inlined functions, since builds inline different functions. */
	run.filter.filter.no_inlines |= run.base.file != NULL;
	run.options.parts = syc_filter_options_stacks(&run.filter) |
	                    syc_filter_options_parts(&run.filter);
	return show(&run);
}

const struct syc_command syc_cmd_flamegraph = {
	.name = "flamegraph",
	.run = run_flamegraph,
	.summary = "draw a flame graph as SVG",
	.synopsis = "[-o OUTPUT] [--folded] [FILTER]... FILE\n"
		    "--diff=BASE [--by-self] [-o OUTPUT] [FILTER]... FILE",
	.about = "Draw the stacks of FILE's samples as a flame graph: an SVG "
		 "for any browser, with search and zoom.",
	.example = "syscap flamegraph -o app.svg app.syscap",
	.status = "0 on success; 1 if a capture is damaged or unreadable, or "
		  "no samples pass the filters; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "output", 'o', "OUTPUT",
	                  "write to OUTPUT (default -, standard output)",
	                  NULL },
			{ "folded", FOLDED, NULL,
	                  "write folded stacks as text, with their sums",
	                  NULL },
			{ "diff", DIFF, "FILE",
	                  "colour functions by change since the capture FILE: "
	                  "red grew, blue shrank",
	                  NULL },
			{ "by-self", BY_SELF, NULL,
	                  "with --diff: colour by self time, without callees",
	                  NULL },
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters (see syscap-stat(1)):",
};
