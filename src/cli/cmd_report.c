/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_report.c - `syscap report`: a capture as a page for any browser. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/checker.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/view_query.h"
#include "report/report.h"

extern char **environ;

#define USUAL_MIB 80

/* The output of `syscap check` as text; NULL: no memory. */
static char *check(struct syc_view_query *query)
{
	struct syc_findings findings = { .file = "capture" };
	struct syc_checker checker = { .findings = &findings,
		                       .reader = query->reader };
	char *text = NULL;
	size_t size;
	int r;

	findings.out = open_memstream(&text, &size);
	if (findings.out == NULL)
		return NULL;
	syscap_reader_rewind(query->reader);
	syc_findings_begin(&findings);
	r = syc_checker_run(&checker);
	if (r == 0)
		syc_findings_end(&findings, checker.n_frames);
	syc_checker_fini(&checker);
	if (fclose(findings.out) != 0 || r < 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Make the view of allocations, with the same filter. */
static int look_at_heap(const struct syc_view_query *query,
                        struct syscap_view **ret_view)
{
	struct syscap_filter filter = query->filter;
	size_t n;

	syscap_profile_allocations(query->profile, &n);
	if (n == 0)
		return 0;
	filter.of = SYSCAP_VIEW_ALLOCATED;
	return syscap_view_new(query->profile, &filter, ret_view, NULL);
}

static void print_count(const char *command, uint64_t n, const char *text)
{
	if (n > 0)
		fprintf(stderr, "%s: note: %" PRIu64 " %s\n", command, n, text);
}

static void print_cell(const char *command, uint64_t cell, const char *what)
{
	if (cell > 0)
		fprintf(stderr,
		        "%s: note: %s of one stack are combined in intervals "
		        "of %.3g ms\n",
		        command, what, (double)cell / 1e6);
}

/* Report which events the page lacks because of its limit. */
static void print_limits(const struct syc_report_page_request *request,
                         const struct syc_report *report)
{
	const char *command = request->command;
	const unsigned mib = (unsigned)(report->max_size >> 20);

	print_cell(command, report->heap_cell, "allocations");
	print_count(command, report->n_marks_summed,
	            "of the shorter marks are combined");
	print_count(command, report->n_values_omitted,
	            "values of counters are omitted");
	print_count(command, report->n_logs_omitted,
	            "of the least severe log messages are omitted");
	print_cell(command, report->sample_cell, "samples");
	if (report->written > report->max_size)
		fprintf(stderr,
		        "%s: warning: the page has %.1f MiB instead of %u: "
		        "functions, stacks and texts are never omitted. "
		        "Filter the capture, for example with --from and --to\n",
		        command, (double)report->written / (1 << 20), mib);
	else if (report->heap_cell > 0 || report->n_marks_summed > 0 ||
	         report->n_values_omitted > 0 || report->n_logs_omitted > 0 ||
	         report->sample_cell > 0)
		fprintf(stderr,
		        "%s: note: so the page stays within "
		        "--max-size=%u\n",
		        command, mib);
}

static int write_page(struct syc_report_page_request *request,
                      struct syc_view_query *query,
                      const struct syc_view_query *other)
{
	struct syscap_view *heap = NULL;
	char *checked = check(query);
	int r = checked == NULL ? -ENOMEM : look_at_heap(query, &heap);
	struct syc_report report = {
		.profile = query->profile,
		.view = query->view,
		.heap = heap,
		.reader = query->reader,
		.name = request->file,
		.other = other->profile,
		.other_view = other->view,
		.other_name = request->other,
		.asked = &query->filter,
		.filter = request->filter.text,
		.version = SYSCAP_VERSION,
		.check = checked,
		.redact = request->redact,
		.with_recording = request->with_recording,
		.max_size = (uint64_t)(request->max_mib > 0 ? request->max_mib
		                                            : USUAL_MIB)
		            << 20,
		.out = request->output.file,
	};

	if (r == 0)
		r = syc_report_write(&report);
	syscap_view_free(heap);
	free(checked);
	if (r < 0) {
		request->output.is_spoiled = true;
		syc_cli_error_no_memory(request->command);
		return SYC_EXIT_PROBLEM;
	}
	if (!request->quiet)
		print_limits(request, &report);
	if (!syc_report_has_zlib() && !request->quiet)
		fprintf(stderr,
		        "%s: note: built without zlib, so the page is not "
		        "compressed\n",
		        request->command);
	return query->status;
}

bool syc_report_page_may_replace(const char *command, const char *name)
{
	static const char ours[] = "<title>syscap report</title>";
	char head[4096]; /* contains the title, which precedes the style */
	const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = 0;

	if (fd < 0 && errno == ENOENT)
		return true;
	if (fd >= 0) {
		n = read(fd, head, sizeof(head));
		close(fd);
	}
	if (fd >= 0 && (n == 0 || (n > 0 && memmem(head, (size_t)n, ours,
	                                           sizeof(ours) - 1) != NULL)))
		return true;
	fprintf(stderr,
	        "%s: %s: exists and is not a page of syscap; choose another "
	        "name\n",
	        command, name);
	return false;
}

int syc_report_page_make(struct syc_report_page_request *request)
{
	const struct syscap_profile_options options = { 0 };
	struct syc_view_query query = { .command = request->command,
		                        .file = request->file };
	struct syc_view_query other = { .command = request->command,
		                        .file = request->other };
	int status = SYC_EXIT_PROBLEM;

	request->output.command = request->command;
	/* The page has all samples, and its user shows or omits syscap's. */
	request->with_recording = request->filter.filter.with_recording;
	request->filter.filter.with_recording = true;
	if (syc_view_query_open(&query, &options, &request->filter.filter) &&
	    (request->other == NULL ||
	     syc_view_query_open(&other, &options, &request->filter.filter)) &&
	    syc_output_file_open(&request->output, true)) {
		status = write_page(request, &query, &other);
		if (other.status != SYC_EXIT_DONE && status == SYC_EXIT_DONE)
			status = other.status;
		status = syc_output_file_close(&request->output, status);
	}
	syc_view_query_close(&query);
	syc_view_query_close(&other);
	return status;
}

/* Show the page @file in a browser; false, with a message. */
static bool report_page_open(const char *command, const char *file)
{
	char path[4200], program[] = "xdg-open";
	char *const argv[] = { program, path, NULL };
	int status = 0;
	pid_t pid;
	int r;

	/* A name may look like an option, and xdg-open has no "--". */
	snprintf(path, sizeof(path), "%s%s", file[0] == '/' ? "" : "./", file);
	r = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);

	if (r == 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) == 0)
		return true;
	fprintf(stderr, "%s: %s: cannot open a browser with xdg-open: %s\n",
	        command, file, r != 0 ? strerror(r) : "it failed");
	return false;
}

struct run {
	struct syc_report_page_request request;
	char name[4096]; /* default name of the page */
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
		        "%s: --max-size: '%s' is not a number from 1 to %d\n",
		        run->request.command, text, MOST_MIB);
		return false;
	}
	run->request.max_mib = (unsigned)mib;
	return true;
}

/* "dir/x.syscap" becomes "x.html", in the current directory. */
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
		fprintf(stderr, "%s: %s: the name is too long; use -o OUTPUT\n",
		        run->request.command, file);
		return false;
	}
	snprintf(run->name, sizeof(run->name), "%.*s.html", (int)n, base);
	run->request.output.name = run->name;
	return syc_report_page_may_replace(run->request.command, run->name);
}

/* Returns -1 to continue, or the exit status. */
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
				return syc_cli_error_misuse(argv[0]);
		} else if (key == 'o') {
			run->request.output.name = words.value;
		} else if (key == OPEN) {
			run->opens = true;
		} else if (key == MAX_SIZE) {
			if (!take_size(run, words.value))
				return syc_cli_error_misuse(argv[0]);
		} else {
			run->request.redact = true;
		}
	}
	if (words.status >= 0)
		return words.status;
	if (run->request.filter.filter.reverse ||
	    run->request.filter.filter.of != SYSCAP_VIEW_SAMPLES) {
		fprintf(stderr,
		        "%s: --reverse and --of are choices in the page "
		        "itself\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if (argc - optind != 1 && argc - optind != 2) {
		fprintf(stderr, "%s: expected FILE, or BEFORE and FILE\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	/* As in `diff`, the old capture comes first, then the new capture. */
	run->request.file = argv[argc - 1];
	if (argc - optind == 2)
		run->request.other = argv[optind];
	/* Ignore inlined functions, since builds inline different functions. */
	run->request.filter.filter.no_inlines |= run->request.other != NULL;
	if (!choose_name(run))
		return SYC_EXIT_PROBLEM;
	if (run->opens && (run->request.output.name == NULL ||
	                   strcmp(run->request.output.name, "-") == 0)) {
		fprintf(stderr,
		        "%s: --open needs the name of a file; use -o OUTPUT\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
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
	status = syc_report_page_make(&run.request);
	if (output == NULL || strcmp(output, "-") == 0 ||
	    run.request.output.file == NULL)
		return status;
	fprintf(stderr, "%s: wrote %s\n", argv[0], output);
	if (run.opens && !report_page_open(argv[0], output))
		return SYC_EXIT_PROBLEM;
	return status;
}

const struct syc_command syc_cmd_report = {
	.name = "report",
	.run = run_report,
	.summary = "make an HTML page of a capture",
	.synopsis = "[OPTION]... [FILTER]... [BEFORE] FILE",
	.about = "Make one self-contained HTML page of FILE: flame graph, "
		 "flame chart, functions, marks, counters, logs, and a "
		 "comparison of slow marks with the others.  With the "
		 "capture BEFORE, the page opens at the comparison with it.",
	.example = "syscap report --open app.syscap",
	.status = "0 on success; 1 if FILE is damaged or unreadable, or the "
		  "page is unwritable; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "output", 'o', "OUTPUT",
	                  "write to OUTPUT (default: FILE's name with .html, "
	                  "in the current directory); - is standard output",
	                  NULL },
			{ "max-size", MAX_SIZE, "MIB",
	                  "limit the page to MIB MiB (80): sums stay exact, "
	                  "excess events are combined and counted",
	                  NULL },
			{ "open", OPEN, NULL, "show the page with xdg-open",
	                  NULL },
			{ "redact", REDACT, NULL,
	                  "omit command arguments, home directories, "
	                  "metadata, embedded files and messages",
	                  NULL },
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters (see syscap-stat(1)):",
};
