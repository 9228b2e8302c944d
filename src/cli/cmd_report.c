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

#include "cli/check.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/stat_summary.h"
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

static bool has(const struct syc_view_query *query, enum syscap_view_of of)
{
	const struct syscap_profile_wait *waits;
	size_t n;

	if (of != SYSCAP_VIEW_BLOCKED && of != SYSCAP_VIEW_STALLED) {
		syscap_profile_allocations(query->profile, &n);
		return n > 0;
	}
	waits = syscap_profile_waits(query->profile, &n);
	for (size_t i = 0; i < n; i++)
		if (waits[i].is_stall == (of == SYSCAP_VIEW_STALLED))
			return true;
	return false;
}

/* Make a view with the same filter, if the capture has the amount @of. */
static int look_at(const struct syc_view_query *query, enum syscap_view_of of,
                   struct syscap_view **ret_view)
{
	struct syscap_filter filter = query->filter;

	if (!has(query, of))
		return 0;
	filter.of = of;
	return syscap_view_new(query->profile, &filter, ret_view, NULL);
}

static void print_count(const char *command, uint64_t n, const char *one,
                        const char *many)
{
	if (n > 0)
		fprintf(stderr, "%s: note: %" PRIu64 " %s\n", command, n,
		        n == 1 ? one : many);
}

static void print_cell(const char *command, uint64_t cell, const char *what)
{
	if (cell > 0)
		fprintf(stderr,
		        "%s: note: combined %s of one stack in intervals of "
		        "%.3g ms\n",
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
	            "shorter mark: only its duration is on the page",
	            "shorter marks: only their sums are on the page");
	print_count(command, report->n_values_omitted, "counter value omitted",
	            "counter values omitted");
	print_count(
		command, report->n_sources_omitted,
		"source file omitted: unreadable here, too large or not text",
		"source files omitted: unreadable here, too large or not text");
	print_count(command, report->n_logs_omitted,
	            "less severe log message omitted",
	            "less severe log messages omitted");
	print_cell(command, report->wait_cells[SYC_WAITS_BLOCKED],
	           "calls that blocked");
	print_cell(command, report->wait_cells[SYC_WAITS_STALLED],
	           "stacks of stalls");
	print_cell(command, report->sample_cell, "samples");
	if (report->written > report->max_size)
		fprintf(stderr,
		        "%s: warning: the page has %.1f MiB, above the limit "
		        "of %u; filter the capture, for example with --from "
		        "and --to\n",
		        command, (double)report->written / (1 << 20), mib);
	else if (report->heap_cell > 0 || report->n_marks_summed > 0 ||
	         report->n_values_omitted > 0 || report->n_logs_omitted > 0 ||
	         report->wait_cells[SYC_WAITS_BLOCKED] > 0 ||
	         report->wait_cells[SYC_WAITS_STALLED] > 0 ||
	         report->sample_cell > 0)
		fprintf(stderr,
		        "%s: note: the page thus stays within %u MiB; "
		        "--max-size raises this limit\n",
		        command, mib);
}

/* The packages of binaries without names; NULL: no memory. */
static char *find_packages(const struct syc_view_query *query)
{
	const char *binaries[SYC_MOST_BINARIES];
	char names[SYC_MOST_BINARIES][SYC_PACKAGE_NAME], *text = NULL;
	size_t n = 0, size, k;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	for (size_t i = 0; i < query->view->n_sums; i++) {
		const struct syscap_view_sum *sum = &query->view->sums[i];
		const struct syscap_profile_function *function =
			syscap_profile_function(query->profile, sum->function);

		if (function->is_named || function->binary[0] == 0 ||
		    (double)sum->self < (double)query->view->total / 1000)
			continue;
		for (k = 0; k < n; k++)
			if (strcmp(binaries[k], function->binary) == 0)
				break;
		if (k == n && n < SYC_MOST_BINARIES)
			binaries[n++] = function->binary;
	}
	if (n > 0)
		syc_stat_packages(query->profile, binaries, n, names);
	for (k = 0; k < n; k++)
		if (names[k][0] != 0)
			fprintf(out, "%s=%s\n", binaries[k], names[k]);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static int write_page(struct syc_report_page_request *request,
                      struct syc_view_query *query,
                      const struct syc_view_query *other)
{
	static const char *const amounts[] = {
		[SYSCAP_VIEW_SAMPLES] = "",
		[SYSCAP_VIEW_ALLOCATED] = "allocated",
		[SYSCAP_VIEW_LEAKED] = "leaked",
		[SYSCAP_VIEW_TEMPORARY] = "temporary",
		[SYSCAP_VIEW_BLOCKED] = "blocked",
		[SYSCAP_VIEW_STALLED] = "stalled",
		[SYSCAP_VIEW_PEAK] = "live",
	};
	struct syscap_view *heap = NULL, *blocked = NULL, *stalled = NULL;
	char *checked = check(query), *packages;
	int r = checked == NULL ? -ENOMEM
	                        : look_at(query, SYSCAP_VIEW_ALLOCATED, &heap);
	struct syc_report report = {
		.profile = query->profile,
		.view = query->view,
		.of = amounts[request->of],
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
		.with_source = request->with_source,
		.with_recording = request->with_recording,
		.max_size = (uint64_t)(request->max_mib > 0 ? request->max_mib
		                                            : USUAL_MIB)
		            << 20,
		.out = request->output.file,
	};

	if (r == 0)
		r = look_at(query, SYSCAP_VIEW_BLOCKED, &blocked);
	if (r == 0)
		r = look_at(query, SYSCAP_VIEW_STALLED, &stalled);
	packages = request->redact ? NULL : find_packages(query);
	if (r == 0) {
		report.packages = packages;
		report.heap = heap;
		report.waits[SYC_WAITS_BLOCKED] = blocked;
		report.waits[SYC_WAITS_STALLED] = stalled;
		r = syc_report_write(&report);
	}
	syscap_view_free(heap);
	syscap_view_free(blocked);
	syscap_view_free(stalled);
	free(checked);
	free(packages);
	if (r < 0) {
		request->output.is_spoiled = true;
		syc_cli_error_no_memory(request->command);
		return SYC_EXIT_PROBLEM;
	}
	if (!request->quiet && request->of != SYSCAP_VIEW_SAMPLES &&
	    !has(query, request->of))
		fprintf(stderr,
		        "%s: %s: note: the capture has no %s, so the page "
		        "shows another amount\n",
		        request->command, request->file,
		        syscap_view_of_name(request->of, 0));
	if (!request->quiet)
		print_limits(request, &report);
	if (!syc_report_has_zlib() && !request->quiet)
		fprintf(stderr,
		        "%s: note: the page is not compressed, because syscap "
		        "was built without zlib\n",
		        request->command);
	return query->status;
}

bool syc_report_page_may_replace(const char *command, const char *name)
{
	static const char ours[] = "<title>syscap report</title>";
	char head[4096]; /* beginning of the file, with the title */
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
	        "%s: %s: the file exists and is not a page of syscap; choose "
	        "another name\n",
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
	/* The page has all samples, and shows or omits syscap's own samples on
	 * request. */
	request->with_recording = request->filter.filter.with_recording;
	request->filter.filter.with_recording = true;
	/* Do not select an amount here, because the page has all amounts. */
	request->of = request->filter.filter.of;
	request->filter.filter.of = SYSCAP_VIEW_SAMPLES;
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

/* Show the page @file in a browser.  Returns false, with a message, on
 * failure. */
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
	fprintf(stderr,
	        "%s: %s: xdg-open cannot open the page: %s; open the file in "
	        "a browser\n",
	        command, file, r != 0 ? strerror(r) : "failure");
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
	MAX_SIZE,
	SOURCE
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

/* --of is not a filter of the page, so the page does not state --of. */
static bool take_filter(struct run *run, int key, const char *value)
{
	struct syc_filter_options *filter = &run->request.filter;
	const size_t n = strlen(filter->text);

	if (!syc_filter_options_take(filter, run->request.command, key, value))
		return false;
	if (strncmp(filter->text + n + (n > 0), "--of=", 5) == 0)
		filter->text[n] = 0;
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
			if (!take_filter(run, key, words.value))
				return syc_cli_error_misuse(argv[0]);
		} else if (key == 'o') {
			run->request.output.name = words.value;
		} else if (key == OPEN) {
			run->opens = true;
		} else if (key == SOURCE) {
			run->request.with_source = true;
		} else if (key == MAX_SIZE) {
			if (!take_size(run, words.value))
				return syc_cli_error_misuse(argv[0]);
		} else {
			run->request.redact = true;
		}
	}
	if (words.status >= 0)
		return words.status;
	if (run->request.filter.filter.reverse) {
		fprintf(stderr,
		        "%s: --reverse does not apply to pages; the page "
		        "itself can show callees first\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if (run->request.with_source && run->request.redact) {
		fprintf(stderr,
		        "%s: --source and --redact exclude each other, "
		        "because --source embeds whole files\n",
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
		        "%s: --open cannot show standard output; use -o "
		        "OUTPUT\n",
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
		 "capture BEFORE, the page opens at the comparison of both.",
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
			{ "source", SOURCE, NULL,
	                  "embed the source files of functions with lines",
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
