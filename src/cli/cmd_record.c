/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_record.c - `syscap record`: its command line. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "recorder/recorder.h"

#define RING_KIB_DEFAULT 1024u
#define RING_KIB_MIN     4u
#define RING_KIB_MAX     1048576u
#define DRAIN_MS_MAX     1000u

enum {
	OPT_RING_KIB = 256,
	OPT_FORCE,
	OPT_NO_MAPS,
	OPT_DRAIN_INTERVAL,
	OPT_TRACE_FD,
	OPT_GJS,
	OPT_SAMPLE,
	OPT_MEMORY,
	OPT_IO,
	OPT_STALLS,
	OPT_COUNTERS,
	OPT_STDERR,
	OPT_CRASHES,
	OPT_LOGS,
	OPT_NO_SYMBOLS,
	OPT_LINES,
	OPT_DEBUGINFOD,
	OPT_REPORT,
	OPT_BUS_NAME,
	OPT_GNOME_SHELL,
	OPT_DURATION
};

static bool parse_number(const char *text, const char *what, unsigned min,
                         unsigned max, unsigned *ret_number)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != 0 || errno != 0 ||
	    n < min || n > max) {
		fprintf(stderr,
		        "syscap record: %s: '%s' is not a number from %u to "
		        "%u\n",
		        what, text, min, max);
		return false;
	}
	*ret_number = (unsigned)n;
	return true;
}

/* The page that the command makes at the end. */
struct page {
	bool is_wanted;
	/* Name; NULL: the capture's name with another ending. */
	const char *name;
};

/* "x.syscap" becomes "x.html", in the same directory. */
static char *name_page(const char *capture)
{
	size_t n = strlen(capture);
	char *name;

	if (n > 7 && strcmp(capture + n - 7, ".syscap") == 0)
		n -= 7;
	return asprintf(&name, "%.*s.html", (int)n, capture) < 0 ? NULL : name;
}

static char *name_of(const struct page *page,
                     const struct syc_record_options *options)
{
	return page->name != NULL ? strdup(page->name)
	                          : name_page(options->output);
}

/* Check the name of the page before recording. */
static bool may_make_page(const struct page *page,
                          const struct syc_record_options *options)
{
	char *name = name_of(page, options);
	const bool may = page->name != NULL || name == NULL ||
	                 syc_report_page_may_replace("syscap record", name);

	free(name);
	return may;
}

/*
 * Make the page.  Returns the command's status, or 125 if only the page failed.
 */
static int make_page(const struct page *page,
                     const struct syc_record_options *options, int status)
{
	char *name = name_of(page, options);
	struct syc_report_page_request request = { .command = "syscap record",
		                                   .file = options->output,
		                                   .output.name = name };

	if (access(options->output, R_OK) != 0) {
		free(name);
		return status; /* nothing was recorded, which is reported
		                * already */
	}
	if (name == NULL) {
		syc_cli_error_no_memory("syscap record");
		return status != 0 ? status : 125;
	}
	if (syc_report_page_make(&request) != SYC_EXIT_DONE)
		status = status != 0 ? status : 125;
	else if (!options->quiet)
		fprintf(stderr, "syscap record: wrote %s\n", name);
	free(name);
	return status;
}

static const struct syc_option table[] = {
	{ "output", 'o', "FILE", "write the capture to FILE (capture.syscap)",
	  NULL },
	{ "sample", OPT_SAMPLE, "[=HZ,CLOCK]",
	  "sample stacks at HZ (1000) of CLOCK (cpu)", NULL },
	{ "memory", OPT_MEMORY, "[=BYTES,mmap]",
	  "record allocations: all, or one per BYTES", NULL },
	{ "io", OPT_IO, "[=TIME,waits]",
	  "record calls that block for TIME (100us) or longer", NULL },
	{ "stalls", OPT_STALLS, "[=TIME,all]",
	  "record main loops that stall for TIME (50ms)", NULL },
	{ "counters", OPT_COUNTERS, "[=GROUP]",
	  "read kernel counters: all or GROUP (cpu, net, ...)", NULL },
	{ "logs", OPT_LOGS, NULL,
	  "record logs of GLib, syslog() and the journal", NULL },
	{ "stderr", OPT_STDERR, NULL, "record standard error line by line",
	  NULL },
	{ "no-symbols", OPT_NO_SYMBOLS, NULL,
	  "do not add function names to FILE", NULL },
	{ "lines", OPT_LINES, NULL,
	  "add source lines and inlined functions to FILE", NULL },
	{ "report", OPT_REPORT, "[=PAGE]",
	  "make an HTML page of FILE (FILE with .html)", NULL },
	{ "force", OPT_FORCE, NULL, "overwrite any FILE and keep no FILE.old",
	  NULL },
	{ "bus-name", OPT_BUS_NAME, "NAME",
	  "also record the running program NAME of D-Bus", NULL },
	{ "pid", 'p', "PID", "also record the running process PID", NULL },
	{ "duration", OPT_DURATION, "TIME",
	  "without COMMAND, record for TIME (until Ctrl-C)", NULL },
	{ "quiet", 'q', NULL, "print no progress and no summary", NULL },
	{ 0 },
};

static const struct syc_option rare[] = {
	{ "debuginfod", OPT_DEBUGINFOD, "[=TIME]",
	  "download debug files for at most TIME (60s)", NULL },
	{ "crashes", OPT_CRASHES, NULL,
	  "record the stack of a thread that crashes", NULL },
	{ "gnome-shell", OPT_GNOME_SHELL, NULL,
	  "the same as --bus-name=org.gnome.Shell", NULL },
	{ "ring-kib", OPT_RING_KIB, "N",
	  "size of each thread's ring in KiB (1024)", NULL },
	{ "no-maps", OPT_NO_MAPS, NULL, "do not record which files are mapped",
	  NULL },
	{ "drain-interval", OPT_DRAIN_INTERVAL, "MS",
	  "empty rings every MS ms, 1 to 1000 (adaptive)", NULL },
	{ "trace-fd", OPT_TRACE_FD, NULL,
	  "set $SYSPROF_TRACE_FD and join that capture", NULL },
	{ "gjs", OPT_GJS, NULL,
	  "make GJS write JavaScript stacks and join them", NULL },
	{ 0 },
};

/*
 * Return whether @command is the value of @option.  An optional value after a
 * blank would be taken for the command.
 */
static bool is_value_of_sample(const char *option, const char *command)
{
	const size_t digits = strspn(command, "0123456789");

	return strcmp(option, "--sample") == 0 && digits > 0 &&
	       (command[digits] == 0 || command[digits] == ',');
}

/* Bus names have a dot, and object paths begin with a slash. */
static bool add_bus_name(struct syc_record_options *options, const char *text)
{
	const char *const comma = strchr(text, ',');
	const char *const dot = strchr(text, '.');

	if (dot == NULL || text[0] == 0 || (comma != NULL && comma[1] != '/') ||
	    (comma != NULL && dot > comma)) {
		fprintf(stderr,
		        "syscap record: --bus-name: '%s' is not a name such as "
		        "org.gnome.Shell or system:org.example.Name,/object\n",
		        text);
		return false;
	}
	if (options->n_bus_names == SYC_BUS_NAMES_MAX) {
		fprintf(stderr,
		        "syscap record: --bus-name: at most %u programs\n",
		        SYC_BUS_NAMES_MAX);
		return false;
	}
	options->bus_names[options->n_bus_names++] = text;
	return true;
}

static bool add_pid(struct syc_record_options *options, const char *text)
{
	unsigned pid;

	if (!parse_number(text, "--pid", 1, INT32_MAX, &pid))
		return false;
	if (options->n_pids == SYC_ATTACH_MAX) {
		fprintf(stderr, "syscap record: --pid: at most %u processes\n",
		        SYC_ATTACH_MAX);
		return false;
	}
	options->pids[options->n_pids++] = (int32_t)pid;
	return true;
}

/* Return whether the recording needs no command. */
static bool has_running_programs(const struct syc_record_options *options)
{
	return options->n_bus_names != 0 || options->n_pids != 0;
}

/* Return whether an option applies to the command, which is missing. */
static bool needs_command(const struct syc_record_options *options)
{
	const char *const option = options->sample != NULL    ? "--sample"
	                           : options->memory != NULL  ? "--memory"
	                           : options->io != NULL      ? "--io"
	                           : options->stalls != NULL  ? "--stalls"
	                           : options->logs != NULL    ? "--logs"
	                           : options->crashes != NULL ? "--crashes"
	                           : options->error_lines     ? "--stderr"
	                           : options->trace_fd        ? "--trace-fd"
	                           : options->gjs             ? "--gjs"
	                                                      : NULL;

	if (option != NULL)
		fprintf(stderr,
		        "syscap record: %s needs a COMMAND: a program that "
		        "runs already records only its own events\n",
		        option);
	return option != NULL;
}

/* Returns -1 to continue, or the exit status. */
static int parse(int argc, char **argv, struct syc_record_options *options,
                 struct page *page)
{
	struct syc_words words = { .command = &syc_cmd_record,
		                   .argc = argc,
		                   .argv = argv,
		                   .stops = true };
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		switch (key) {
		case 'o':
			options->output = words.value;
			break;
		case 'q':
			options->quiet = true;
			break;
		case OPT_FORCE:
			options->force = true;
			break;
		case OPT_TRACE_FD:
			options->trace_fd = true;
			break;
		case OPT_GJS:
			options->gjs = true;
			break;
		case OPT_NO_MAPS:
			options->maps = false;
			break;
		case OPT_NO_SYMBOLS:
			options->symbols = false;
			break;
		case OPT_LINES:
			if (!syc_lines_option_check(argv[0]))
				return SYC_EXIT_MISUSE;
			options->lines = true;
			break;
		case OPT_DEBUGINFOD:
			if (!syc_debuginfod_option_read(argv[0], words.value,
			                                &options->download_ns))
				return SYC_EXIT_MISUSE;
			break;
		case OPT_REPORT:
			page->is_wanted = true;
			page->name = words.value;
			break;
		case OPT_SAMPLE:
			options->sample =
				syc_sample_option_read(argv[0], words.value);
			if (options->sample == NULL)
				return SYC_EXIT_MISUSE;
			break;
		case OPT_MEMORY:
			options->memory =
				syc_memory_option_read(argv[0], words.value);
			if (options->memory == NULL)
				return SYC_EXIT_MISUSE;
			break;
		case OPT_IO:
			options->io = syc_io_option_read(argv[0], words.value);
			if (options->io == NULL)
				return SYC_EXIT_MISUSE;
			break;
		case OPT_STALLS:
			options->stalls =
				syc_stalls_option_read(argv[0], words.value);
			if (options->stalls == NULL)
				return SYC_EXIT_MISUSE;
			break;
		case OPT_COUNTERS:
			if (!syc_counters_option_read(argv[0], words.value,
			                              &options->counters))
				return SYC_EXIT_MISUSE;
			break;
		case OPT_LOGS:
			options->logs = "1";
			break;
		case OPT_CRASHES:
			options->crashes = "1";
			break;
		case OPT_STDERR:
			options->error_lines = true;
			break;
		case OPT_BUS_NAME:
			if (!add_bus_name(options, words.value))
				return SYC_EXIT_MISUSE;
			break;
		case OPT_GNOME_SHELL:
			if (!add_bus_name(options, "org.gnome.Shell"))
				return SYC_EXIT_MISUSE;
			break;
		case 'p':
			if (!add_pid(options, words.value))
				return SYC_EXIT_MISUSE;
			break;
		case OPT_DURATION:
			if (!syc_quantity_duration(words.value,
			                           &options->wait_ns) ||
			    options->wait_ns <= 0) {
				fprintf(stderr,
				        "syscap record: --duration: '%s' is "
				        "not a time such as 10s or 500ms\n",
				        words.value);
				return SYC_EXIT_MISUSE;
			}
			break;
		case OPT_RING_KIB:
			if (!parse_number(words.value, "--ring-kib",
			                  RING_KIB_MIN, RING_KIB_MAX,
			                  &options->ring_kib))
				return SYC_EXIT_MISUSE;
			break;
		case OPT_DRAIN_INTERVAL:
			if (!parse_number(words.value, "--drain-interval", 1,
			                  DRAIN_MS_MAX, &options->drain_ms))
				return SYC_EXIT_MISUSE;
			break;
		}
	}
	if (words.status >= 0)
		return words.status;
	if (options->wait_ns != 0 &&
	    (optind != argc || !has_running_programs(options))) {
		fputs("syscap record: --duration needs --pid or --bus-name, "
		      "and no COMMAND\n",
		      stderr);
		return SYC_EXIT_MISUSE;
	}
	if (optind == argc && !has_running_programs(options)) {
		fputs("syscap record: expected a command\n"
		      "Try 'syscap record --help'.\n",
		      stderr);
		return SYC_EXIT_MISUSE;
	}
	if (syc_input_refuse_dash(argv[0], options->output,
	                          "standard output belongs to COMMAND"))
		return syc_cli_error_misuse(argv[0]);
	if (optind == argc) {
		static char *const nothing[] = { NULL };

		options->is_waiting = true;
		options->argv = nothing;
		return needs_command(options) ? SYC_EXIT_MISUSE : -1;
	}
	options->argv = argv + optind;
	if (is_value_of_sample(argv[optind - 1], argv[optind])) {
		fprintf(stderr,
		        "syscap record: --sample: to run '%s' write '-- %s'; "
		        "to set the rate write --sample=%s\n",
		        argv[optind], argv[optind], argv[optind]);
		return SYC_EXIT_MISUSE;
	}
	return -1;
}

static int run_record(int argc, char **argv)
{
	struct syc_record_options options = {
		.output = "capture.syscap",
		.version = SYSCAP_VERSION,
		.maps = true,
		.symbols = true,
	};
	const char *ring_kib = getenv("SYSCAP_RING_KIB");
	struct page page = { .is_wanted = false };
	const int status = parse(argc, argv, &options, &page);

	if (status >= 0)
		return status;
	/* The option overrides even an invalid value. */
	if (options.ring_kib == 0) {
		options.ring_kib = RING_KIB_DEFAULT;
		if (ring_kib != NULL && ring_kib[0] != 0 &&
		    !parse_number(ring_kib, "SYSCAP_RING_KIB", RING_KIB_MIN,
		                  RING_KIB_MAX, &options.ring_kib))
			return SYC_EXIT_MISUSE;
	} else {
		options.attach_ring_kib = options.ring_kib;
	}
	if (page.is_wanted && !may_make_page(&page, &options))
		return 125;
	const int r = syc_record_run(&options);
	return page.is_wanted ? make_page(&page, &options, r) : r;
}

const struct syc_command syc_cmd_record = {
	.name = "record",
	.run = run_record,
	.summary = "run a program and record it",
	.synopsis = "[OPTION]... [--] COMMAND [ARGUMENT]...",
	.about =
		"Run COMMAND and write a capture of COMMAND and its descendants.",
	.example = "syscap record --sample -o app.syscap -- ./app --verbose",
	.status = "COMMAND's (128+signal); 125 failed, 126, 127 not run, 2 "
		  "wrong use.",
	.options = table,
	.shared = rare,
	.shared_title = "Rarely needed (see syscap-record(1)):",
	.operand = SYC_OPERAND_COMMAND,
};
