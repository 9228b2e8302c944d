/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_symbolize.c - `syscap symbolize`: put names of functions into captures. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/in_use.h"
#include "capture/join_symbols.h"
#include "capture/line_table.h"
#include "cli/cmd.h"
#include "cli/fault.h"
#include "cli/input.h"
#include "cli/lines_option.h"
#include "cli/printable.h"
#include "code/code_files.h"
#include "code/code_names.h"
#include "symbols/line_places.h"
#include "symbols/resolver.h"
#include "symbols/rewrite.h"
#include "symbols/table.h"

#define PROGRESS_NS INT64_C(250000000)

struct symbolize_options {
	const char *command;
	const char *output; /* NULL: the input */
	const char *root;
	const char **debug_dirs;
	size_t n_debug_dirs;
	bool force, quiet, lines;
	const char *file;
};

/* What one run needs; freed at its end. */
struct symbolize_job {
	const struct symbolize_options *options;
	char *target;      /* what is replaced, links followed */
	const char *shown; /* the same as the user calls it */
	struct syscap_reader *reader;
	struct syscap_file_info info;
	struct syscap_wire_file header;
	struct stat before; /* the file, as it was when we began to read */
	bool had_table, had_lines;
	int64_t end; /* the latest time in it */
	struct syc_code_names *code;
	struct syc_symbols *symbols;
	struct syc_symbol_table *table;
	struct syc_line_bytes lines;
	bool is_terminal, has_line;
	int64_t next_line; /* ns */
	int status;
};

/* For the handler of signals that end us: what must not stay behind. */
static char temporary[PATH_MAX];

static void erase_line(struct symbolize_job *job)
{
	if (job->has_line)
		fputs("\r\033[K", stderr);
	job->has_line = false;
}

static void print_progress(void *data, uint64_t done, uint64_t all)
{
	struct symbolize_job *job = data;
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	const int64_t now = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
	if (!job->is_terminal || job->options->quiet || now < job->next_line)
		return;
	/* What is over at once needs no line. */
	if (job->next_line != 0) {
		fprintf(stderr, "\rfinding names %3.0f %%\033[K",
		        100.0 * (double)done / (double)all);
		job->has_line = true;
	}
	job->next_line = now + PROGRESS_NS;
}

static void report_trouble(struct symbolize_job *job, const char *file,
                           const struct syscap_error *error)
{
	erase_line(job);
	syc_fault_print(job->options->command, file, error);
	job->status = SYC_EXIT_PROBLEM;
}

static void complain_of(struct symbolize_job *job, const char *file, int code,
                        const char *text)
{
	struct syscap_error error = { .code = -code };

	snprintf(error.message, sizeof(error.message), "%s", text);
	report_trouble(job, file, &error);
}

static void note(struct symbolize_job *job, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct symbolize_job *job, const char *format, ...)
{
	va_list arguments;
	char *text;
	int r;

	if (job->options->quiet)
		return;
	va_start(arguments, format);
	r = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (r < 0)
		return;
	erase_line(job);
	fprintf(stderr, "%s: %s: note: ", job->options->command,
	        job->options->file);
	syc_printable_write(stderr, text, false);
	putc('\n', stderr);
	free(text);
}

/* -------------------------------------------------------------- the input */

static bool read_header(struct symbolize_job *job)
{
	const char *file = job->options->file;
	const int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool is_good = false;

	if (fd < 0 || pread(fd, &job->header, sizeof(job->header), 0) !=
	                      (ssize_t)sizeof(job->header))
		complain_of(job, file, -errno, strerror(errno));
	else
		is_good = true;
	if (fd >= 0)
		close(fd);
	return is_good;
}

static void note_table(struct symbolize_job *job, const char *path)
{
	if (strcmp(path, SYC_JOIN_SYMBOLS_PATH) == 0)
		job->had_table = true;
	else if (strcmp(path, SYC_LINE_TABLE_PATH) == 0)
		job->had_lines = true;
}

/* See that every frame can be copied, and what is in it. */
static bool look_through(struct symbolize_job *job)
{
	const char *file = job->options->file;
	struct syscap_error error;
	struct syscap_frame frame;
	int r;

	job->end = job->info.begin;
	while ((r = syscap_reader_next(job->reader, &frame, &error)) != 0) {
		if (r == -EBADMSG) {
			report_trouble(job, file, &error);
			note(job,
			     "'syscap cat -o WHOLE %s' copies what is "
			     "whole",
			     file);
			return false;
		}
		if (frame.time > job->end)
			job->end = frame.time;
		if (r > 0 && frame.type == SYSCAP_FRAME_FILE_CHUNK)
			note_table(job, frame.file_chunk.path);
	}
	if (job->info.end > job->end)
		job->end = job->info.end;
	return true;
}

static bool open_input(struct symbolize_job *job)
{
	const char *file = job->options->file;
	struct syscap_error error;

	/* First: what changes from here on is seen to have changed */
	if (stat(file, &job->before) != 0) {
		complain_of(job, file, -errno, strerror(errno));
		return false;
	}
	if (syscap_reader_open(file, &job->reader, &error) < 0) {
		report_trouble(job, file, &error);
		return false;
	}
	if (!read_header(job))
		return false;
	syscap_reader_info(job->reader, &job->info);
	if (job->info.merged_frames > 0 || job->info.not_merged[0] != 0) {
		complain_of(job, file, -EINVAL,
		            "its process was killed: run 'syscap recover' "
		            "first");
		return false;
	}
	if (job->info.foreign_order) {
		complain_of(job, file, -EINVAL,
		            "it is big-endian: run 'syscap cat' first");
		return false;
	}
	return look_through(job);
}

/* -------------------------------------------------------------- the names */

static void tell_code(void *data, const char *text)
{
	note(data, "%s", text);
}

static int read_code(struct symbolize_job *job)
{
	const struct syc_code_files_options options = {
		.tell = tell_code,
		.data = job,
	};
	struct syc_code_files_totals totals;
	int r = syc_code_names_new(&job->code);

	syscap_reader_rewind(job->reader);
	if (r == 0)
		r = syc_code_names_scan(job->code, job->reader);
	syscap_reader_rewind(job->reader);
	/* Those of another machine say nothing about this capture. */
	if (r == 0 && job->options->root == NULL)
		r = syc_code_files_read(job->code, job->reader, &options,
		                        &totals);
	return r == 0 ? syc_code_names_settle(job->code) : r;
}

static void tell_lines(void *data, const char *path, const char *why)
{
	note(data, "%s: %s", path, why);
}

static int find_lines(struct symbolize_job *job)
{
	const struct syc_line_listener listener = { tell_lines, job };

	return syc_line_places_make(syc_symbols_places(job->symbols),
	                            job->reader, &listener, &job->lines);
}

static int find_names(struct symbolize_job *job)
{
	const struct symbolize_options *options = job->options;
	const struct syc_symbol_table_options table_options = {
		.extend = true,
		.progress = print_progress,
		.data = job,
	};
	struct syc_symbols_options symbols_options = {
		.root = options->root,
		.debug_dirs = options->debug_dirs,
		.n_debug_dirs = options->n_debug_dirs,
		.is_live = options->root == NULL,
		.code = syc_code_names_symbol,
		.has_lines = options->lines,
	};
	int r = read_code(job);

	if (r < 0)
		return r;
	symbols_options.code_data = job->code;
	/* Asked for nothing, it would only make every answer slower. */
	if (!syc_code_names_any(job->code))
		symbols_options.code = NULL;
	r = syc_symbols_new(&symbols_options, &job->symbols);
	if (r == 0)
		r = syc_symbols_learn(job->symbols, job->reader);
	if (r == 0)
		r = syc_symbol_table_make(job->symbols, job->reader,
		                          &table_options, &job->table);
	if (r == 0 && options->lines)
		r = find_lines(job);
	return r;
}

static void tell_file(void *data, const struct syc_symbols_use *use)
{
	struct symbolize_job *job = data;
	const char *noun = use->n_asked == 1 ? "address" : "addresses";

	if (use->state == SYC_SYMBOLS_MISSING)
		note(job, "%s: it is not here: %" PRIu64 " %s", use->path,
		     use->n_asked, noun);
	else if (use->state == SYC_SYMBOLS_UNNAMED)
		note(job, "%s: it has no symbols%s%s: %" PRIu64 " %s",
		     use->path, use->why[0] ? ": " : "", use->why, use->n_asked,
		     noun);
	else if (use->state != SYC_SYMBOLS_USED)
		note(job, "%s: not used: %s: %" PRIu64 " %s", use->path,
		     use->why, use->n_asked, noun);
	else if (use->n_named < use->n_asked && use->why[0] != 0)
		note(job, "%s: %s", use->path, use->why);
}

static void tell_totals(struct symbolize_job *job)
{
	struct syc_symbol_table_totals totals;

	syc_symbol_table_totals(job->table, &totals);
	erase_line(job);
	if (job->options->quiet)
		return;
	if (totals.addresses == 0) {
		printf("%s: no addresses of code in its stacks\n",
		       job->options->file);
		return;
	}
	printf("%s: %" PRIu64 " of %" PRIu64 " addresses in stacks have names "
	       "(%.1f %%), of %" PRIu64 " functions\n",
	       job->options->file, totals.named, totals.addresses,
	       100.0 * (double)totals.named / (double)totals.addresses,
	       totals.records - totals.kept);
	if (totals.kept > 0)
		printf("%s: %" PRIu64 " names that it had are kept\n",
		       job->options->file, totals.kept);
	if (job->options->lines)
		printf("%s: %" PRIu64 " of %" PRIu64 " places have source "
		       "lines, %" PRIu64 " of them in inlined functions\n",
		       job->options->file, job->lines.totals.with_line,
		       job->lines.totals.places, job->lines.totals.inlined);
}

/* ------------------------------------------------------------- the output */

static void remove_temporary(int sig)
{
	unlink(temporary);
	/* As it would have been without us: the default is to end. */
	raise(sig);
}

static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = {
		.sa_handler = remove_temporary,
		.sa_flags = (int)SA_RESETHAND,
	};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}

static void write_output(struct symbolize_job *job)
{
	const struct syc_rewrite rewrite = {
		.reader = job->reader,
		.source = job->options->file,
		.target = job->target,
		.table = job->table,
		.lines = job->lines.bytes,
		.lines_size = job->lines.size,
		.end = job->end,
		.before = job->before,
	};
	struct syscap_error error;
	int fd;

	fd = syc_rewrite_begin(&rewrite, temporary, sizeof(temporary), &error);
	if (fd >= 0) {
		catch_signals();
		fd = syc_rewrite_finish(&rewrite, fd, temporary, &error);
	}
	if (fd < 0)
		report_trouble(job, job->shown, &error);
}

static void tell_of_copy(struct symbolize_job *job)
{
	if (job->options->output == NULL)
		note(job, "with -o the names go into another file");
}

/* May the output be replaced? */
static bool check_output(struct symbolize_job *job)
{
	const int fd = open(job->target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct syscap_error error;
	unsigned char magic[4];
	struct stat st;
	bool is_good = true;

	if (fd < 0)
		return true; /* rename() will say what is wrong, if anything */
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		complain_of(job, job->shown, -EINVAL, "it is no file");
		is_good = false;
	} else if (syc_in_use_may_replace(job->target, job->options->force,
	                                  &error) != 0) {
		report_trouble(job, job->shown, &error);
		tell_of_copy(job);
		is_good = false;
	} else if (st.st_size > 0 && !job->options->force &&
	           (pread(fd, magic, 4, 0) != 4 ||
	            memcmp(magic, "\x5e\x97\xca\xfd", 4) != 0)) {
		complain_of(job, job->shown, -EEXIST,
		            "it exists and is not a capture");
		is_good = false;
	}
	close(fd);
	return is_good;
}

/* Replace what a link points to, not the link. */
static bool choose_target(struct symbolize_job *job)
{
	const char *output = job->options->output;

	if (output == NULL)
		output = job->options->file;
	job->shown = output;
	job->target = realpath(output, NULL);
	if (job->target == NULL)
		job->target = strdup(output);
	if (job->target == NULL)
		syc_fault_no_memory(job->options->command);
	return job->target != NULL && check_output(job);
}

static bool find_and_tell(struct symbolize_job *job)
{
	const char *file = job->options->file;
	int r;

	if ((job->had_table || job->had_lines) &&
	    job->header.last_frame_index != 0) {
		complain_of(job, file, -EINVAL,
		            "it has an index with offsets of its frames: run "
		            "'syscap cat' first");
		return false;
	}
	r = find_names(job);
	if (r < 0) {
		complain_of(job, file, r,
		            r == -EFBIG ? "more names than a table can hold"
		                        : strerror(-r));
		return false;
	}
	syc_symbols_each_use(job->symbols, tell_file, job);
	if (syc_symbols_lacks_demangler(job->symbols))
		note(job, "libstdc++.so.6 is not here: names of C++ stay "
		          "mangled");
	return true;
}

static void symbolize(struct symbolize_job *job)
{
	const struct symbolize_options *options = job->options;

	if (!job->had_table || options->force ||
	    (options->lines && !job->had_lines)) {
		if (!find_and_tell(job))
			return;
	} else {
		note(job, "it has names already; --force adds to them");
		if (options->output == NULL)
			return;
	}
	write_output(job);
	if (job->table != NULL && job->status == SYC_EXIT_DONE)
		tell_totals(job);
}

static int symbolize_capture(const struct symbolize_options *options)
{
	struct symbolize_job job = {
		.options = options,
		.is_terminal = isatty(STDERR_FILENO) == 1,
		.status = SYC_EXIT_DONE,
	};

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (!open_input(&job) || !choose_target(&job))
		job.status = SYC_EXIT_PROBLEM;
	else
		symbolize(&job);
	syc_symbol_table_free(job.table);
	free(job.lines.bytes);
	syc_symbols_free(job.symbols);
	syc_code_names_free(job.code);
	syscap_reader_close(job.reader);
	free(job.target);
	return syc_fault_finish_output(options->command, job.status);
}

enum {
	ROOT = 256,
	DEBUG_DIR,
	FORCE,
	LINES
};

/* -1: go on; else the exit status. */
static int parse(struct symbolize_options *options, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_symbolize,
		                   .argc = argc,
		                   .argv = argv };
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		if (key == 'o')
			options->output = words.value;
		else if (key == ROOT)
			options->root = words.value;
		else if (key == DEBUG_DIR)
			options->debug_dirs[options->n_debug_dirs++] =
				words.value;
		else if (key == FORCE)
			options->force = true;
		else if (key == LINES)
			options->lines = true;
		else if (key == 'q')
			options->quiet = true;
	}
	if (words.status >= 0)
		return words.status;
	if (argc - optind != 1) {
		fprintf(stderr, "%s: expected one file\n", argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	options->file = argv[optind];
	if (options->lines && !syc_lines_option_check(argv[0]))
		return SYC_EXIT_MISUSE;
	if (syc_input_refuse_dash(argv[0], options->file,
	                          "names are put into a file") ||
	    (options->output != NULL &&
	     syc_input_refuse_dash(argv[0], options->output,
	                           "the output replaces a file")))
		return syc_fault_misuse(argv[0]);
	return -1;
}

static int run_symbolize(int argc, char **argv)
{
	struct symbolize_options options = { .command = argv[0] };
	int status;

	/* At most every argument is a folder. */
	options.debug_dirs = calloc((size_t)argc, sizeof(*options.debug_dirs));
	if (options.debug_dirs == NULL) {
		syc_fault_no_memory(argv[0]);
		return SYC_EXIT_PROBLEM;
	}
	status = parse(&options, argc, argv);
	if (status < 0)
		status = symbolize_capture(&options);
	free(options.debug_dirs);
	return status;
}

const struct syc_command syc_cmd_symbolize = {
	.name = "symbolize",
	.run = run_symbolize,
	.summary = "put names of functions into a capture",
	.synopsis = "[-o OUTPUT] [OPTION]... FILE",
	.about = "Find the names of the functions in FILE's stacks and put "
		 "them into it, so that they can be read on any machine.  Run "
		 "it where the recorded programs are.",
	.status = "0, also when some names were not found; 1 when FILE is "
		  "damaged, or could not be read or written; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "output", 'o', "OUTPUT",
	                  "write OUTPUT and leave FILE as it is", NULL },
			{ "root", ROOT, "DIR",
	                  "the recorded machine's files are in DIR", NULL },
			{ "debug-dir", DEBUG_DIR, "DIR",
	                  "look for debug symbols in DIR first, as in "
	                  "/usr/lib/debug",
	                  NULL },
			{ "lines", LINES, NULL,
	                  "add source lines and inlined functions, by debug "
	                  "information",
	                  NULL },
			{ "force", FORCE, NULL,
	                  "add to names that FILE has already; overwrite "
	                  "OUTPUT even if it is no capture",
	                  NULL },
			{ "quiet", 'q', NULL, "tell only what is wrong", NULL },
			{ 0 },
		},
};
