/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_report.c - `syscap report`: a capture as a page for any browser. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/fault.h"
#include "cli/input.h"
#include "cli/page.h"

struct run {
	struct syc_page_request request;
	char name[4096]; /* of the page, where none was given */
	bool opens;
};

enum {
	OPEN = 256,
	REDACT,
	MAX_SIZE
};

#define MOST_MIB 4096

static bool take_size(struct run *run, const char *text)
{
	char *end;
	unsigned long mib;

	errno = 0;
	mib = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != 0 || errno != 0 || mib < 1 ||
	    mib > MOST_MIB) {
		fprintf(stderr,
		        "%s: --max-size: '%s' is no number from 1 to %d\n",
		        run->request.command, text, MOST_MIB);
		return false;
	}
	run->request.max_mib = (unsigned)mib;
	return true;
}

/* "dir/x.syscap" becomes "x.html", here. */
static bool choose_name(struct run *run)
{
	const char *file = run->request.file;
	const char *slash = strrchr(file, '/');
	const char *base = slash != NULL ? slash + 1 : file;
	size_t n = strlen(base);

	if (run->request.output.name != NULL || strcmp(file, "-") == 0)
		return true;
	if (n > 7 && strcmp(base + n - 7, ".syscap") == 0)
		n -= 7;
	if (n + sizeof(".html") > sizeof(run->name)) {
		fprintf(stderr, "%s: %s: its name is too long\n",
		        run->request.command, file);
		return false;
	}
	snprintf(run->name, sizeof(run->name), "%.*s.html", (int)n, base);
	run->request.output.name = run->name;
	return syc_page_may_replace(run->request.command, run->name);
}

/* -1: go on; else the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_report,
		                   .argc = argc,
		                   .argv = argv };
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		if (syc_filter_options_is(key)) {
			if (!syc_filter_options_take(&run->request.filter,
			                             argv[0], key, words.value))
				return syc_fault_misuse(argv[0]);
		} else if (key == 'o') {
			run->request.output.name = words.value;
		} else if (key == OPEN) {
			run->opens = true;
		} else if (key == MAX_SIZE) {
			if (!take_size(run, words.value))
				return syc_fault_misuse(argv[0]);
		} else {
			run->request.redact = true;
		}
	}
	if (words.status >= 0)
		return words.status;
	if (run->request.filter.filter.reverse ||
	    run->request.filter.filter.of != SYSCAP_VIEW_SAMPLES) {
		fprintf(stderr,
		        "%s: --reverse and --of: the page has both, at a click\n",
		        argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	if (argc - optind != 1 && argc - optind != 2) {
		fprintf(stderr,
		        "%s: expected one file, or one and another "
		        "that it is compared with\n",
		        argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	/* As of diff: what was before, what is now. */
	run->request.file = argv[argc - 1];
	if (argc - optind == 2)
		run->request.other = argv[optind];
	/* Builds differ in what they inline. */
	run->request.filter.filter.no_inlines |= run->request.other != NULL;
	if (!choose_name(run))
		return SYC_EXIT_PROBLEM;
	if (run->opens && (run->request.output.name == NULL ||
	                   strcmp(run->request.output.name, "-") == 0)) {
		fprintf(stderr, "%s: --open: the page needs a name: -o\n",
		        argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	return -1;
}

static int run_report(int argc, char **argv)
{
	struct run run = { .request.command = argv[0] };
	int status = parse(&run, argc, argv);
	const char *output = run.request.output.name;

	if (status >= 0)
		return status;
	if (syc_input_refuse_output(argv[0], run.request.file, output) ||
	    (run.request.other != NULL &&
	     syc_input_refuse_output(argv[0], run.request.other, output)))
		return SYC_EXIT_MISUSE;
	status = syc_page_make(&run.request);
	if (output == NULL || strcmp(output, "-") == 0 ||
	    run.request.output.file == NULL)
		return status;
	fprintf(stderr, "%s: wrote %s\n", argv[0], output);
	if (run.opens && !syc_page_open(argv[0], output))
		return SYC_EXIT_PROBLEM;
	return status;
}

const struct syc_command syc_cmd_report = {
	.name = "report",
	.run = run_report,
	.summary = "make a page of a capture that any browser shows",
	.synopsis = "[OPTION]... [FILTER]... [BEFORE] FILE",
	.about = "Write FILE as one HTML file, which needs nothing else and "
		 "fetches nothing: flame graph, flame chart, functions, marks, "
		 "counters, logs, and what is different inside of the slow "
		 "frames; with BEFORE, another capture, what is different from "
		 "that.",
	.status = "0; 1 when FILE is damaged or could not be read, or the "
		  "page not be written; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "output", 'o', "OUTPUT",
	                  "the page (FILE with .html for .syscap, here); - is "
	                  "standard output",
	                  NULL },
			{ "max-size", MAX_SIZE, "MIB",
	                  "the page has no more, of 1,048,576 bytes (80): samples "
	                  "and sums stay exact, marks that do not fit become "
	                  "counted bars",
	                  NULL },
			{ "open", OPEN, NULL, "show it, by xdg-open", NULL },
			{ "redact", REDACT, NULL,
	                  "leave out arguments of command lines, home folders, "
	                  "metadata, embedded files and messages",
	                  NULL },
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters, see syscap-stat(1):",
};
