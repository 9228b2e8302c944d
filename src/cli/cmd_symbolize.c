/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_symbolize.c - `syscap symbolize`: names of functions, added to captures.
 *
 * The new file replaces the capture completely or not at all, even if a signal
 * ends the command.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <syscap/capture.h>
#include <syscap/format.h>

#include "capture/files.h"
#include "capture/join.h"
#include "capture/line_table.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/table.h"
#include "code/code_names.h"
#include "common/strings.h"
#include "symbols/lines.h"
#include "symbols/resolver.h"
#include "symbols/symbol_table.h"

/* Options of the command line. */
struct symbolize_options {
	const char *command;
	const char *output; /* output; NULL: the input is replaced */
	const char *root;
	const char **debug_dirs;
	size_t n_debug_dirs;
	bool force, quiet, lines;
	int64_t download_time; /* time limit of --debuginfod, ns, or 0 */
	const char *file;
};

/* State of one run; freed at its end. */
struct symbolize_job {
	const struct symbolize_options *options;
	char *target;      /* the file to replace, with links resolved */
	const char *shown; /* name of the target, as the user named it */
	struct syscap_reader *reader;
	struct syscap_file_info info;
	struct syscap_wire_file header;
	struct stat before; /* the file's state when reading began */
	bool had_table, had_lines;
	int64_t end; /* latest time in the file */
	struct syc_code_names *code;
	struct syc_symbols *symbols;
	struct syc_symbol_table *table;
	struct syc_line_bytes lines;
	struct syc_progress progress;
	int status;
};

/* Report an error of @file, and mark the run as failed. */
static void symbolize_job_report(struct symbolize_job *job, const char *file,
                                 const struct syscap_error *error)
{
	syc_progress_erase(&job->progress);
	syc_cli_error_print(job->options->command, file, error);
	job->status = SYC_EXIT_PROBLEM;
}

/* Report an error of @file: @code, a -errno, explained by @text. */
static void symbolize_job_refuse(struct symbolize_job *job, const char *file,
                                 int code, const char *text)
{
	struct syscap_error error = { .code = -code };

	snprintf(error.message, sizeof(error.message), "%s", text);
	symbolize_job_report(job, file, &error);
}

/* Print information, unless the run is quiet. */
__attribute__((format(printf, 2, 3))) static void
symbolize_job_note(struct symbolize_job *job, const char *format, ...)
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
	syc_progress_erase(&job->progress);
	fprintf(stderr, "%s: %s: note: ", job->options->command,
	        job->options->file);
	syc_printable_write(stderr, text, false);
	putc('\n', stderr);
	free(text);
}

static bool read_header(struct symbolize_job *job)
{
	const char *file = job->options->file;
	const int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool is_good = false;

	if (fd < 0 || pread(fd, &job->header, sizeof(job->header), 0) !=
	                      (ssize_t)sizeof(job->header))
		symbolize_job_refuse(job, file, -errno, strerror(errno));
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

/* Check that every frame can be copied, and collect facts about the capture. */
static bool look_through(struct symbolize_job *job)
{
	const char *file = job->options->file;
	struct syscap_error error;
	struct syscap_frame frame;
	int r;

	job->end = job->info.begin;
	while ((r = syscap_reader_next(job->reader, &frame, &error)) != 0) {
		if (r == -EBADMSG) {
			symbolize_job_report(job, file, &error);
			symbolize_job_note(
				job,
				"'syscap cat -o WHOLE %s' copies the readable "
				"frames",
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

/* Open the capture, check that every frame can be copied, and find its names.
 * Returns false, with a message, on failure. */
static bool symbolize_input_open(struct symbolize_job *job)
{
	const char *file = job->options->file;
	struct syscap_error error;

	/*
	 * Read the state first, so that later changes of the file are detected
	 */
	if (stat(file, &job->before) != 0) {
		symbolize_job_refuse(job, file, -errno, strerror(errno));
		return false;
	}
	if (syscap_reader_open(file, &job->reader, &error) < 0) {
		symbolize_job_report(job, file, &error);
		return false;
	}
	if (!read_header(job))
		return false;
	syscap_reader_info(job->reader, &job->info);
	if (job->info.merged_frames > 0 || job->info.not_merged[0] != 0) {
		symbolize_job_refuse(
			job, file, -EINVAL,
			"the recorded process was killed; run 'syscap "
			"recover' first");
		return false;
	}
	if (job->info.foreign_order) {
		symbolize_job_refuse(
			job, file, -EINVAL,
			"the capture is big-endian; convert it by 'syscap "
			"cat' first");
		return false;
	}
	return look_through(job);
}

static void print_progress(void *data, uint64_t done, uint64_t all)
{
	struct symbolize_job *job = data;

	if (syc_progress_is_due(&job->progress))
		syc_progress_print(&job->progress, "finding names %3.0f %%",
		                   100.0 * (double)done / (double)all);
}

static void print_download(void *data, uint64_t done, uint64_t all)
{
	struct symbolize_job *job = data;

	if (!syc_progress_is_due(&job->progress))
		return;
	if (all == 0)
		syc_progress_print(&job->progress, "asking for a debug file");
	else
		syc_progress_print(&job->progress,
		                   "downloading a debug file: %.1f of %.1f MB",
		                   (double)done / 1e6, (double)all / 1e6);
}

static void tell_code(void *data, const char *text)
{
	symbolize_job_note(data, "%s", text);
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
	/* Files of another machine do not apply to this capture. */
	if (r == 0 && job->options->root == NULL)
		r = syc_code_files_read(job->code, job->reader, &options,
		                        &totals);
	return r == 0 ? syc_code_names_settle(job->code) : r;
}

static void tell_lines(void *data, const char *path, const char *why)
{
	symbolize_job_note(data, "%s: %s", path, why);
}

static int find_lines(struct symbolize_job *job)
{
	const struct syc_line_listener listener = { tell_lines, job };

	return syc_line_places_make(syc_symbols_places(job->symbols),
	                            job->reader, &listener, &job->lines);
}

static int make_tables(struct symbolize_job *job)
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
		.debuginfod = { options->download_time, print_download, job },
		.has_lines = options->lines,
	};
	int r = read_code(job);

	if (r < 0)
		return r;
	symbols_options.code_data = job->code;
	/* A callback without any code would only make lookups slower. */
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

	if (syc_symbols_is_memory(use))
		symbolize_job_note(
			job,
			"%s: memory without a file, such as JIT code, "
			"contains %" PRIu64 " %s",
			use->path, use->n_asked, noun);
	else if (use->state == SYC_SYMBOLS_MISSING)
		symbolize_job_note(job,
		                   "%s: the file is missing; %" PRIu64
		                   " %s stay without names",
		                   use->path, use->n_asked, noun);
	else if (use->state == SYC_SYMBOLS_UNNAMED)
		symbolize_job_note(job,
		                   "%s: the file has no symbols%s%s; %" PRIu64
		                   " %s stay without names",
		                   use->path, use->why[0] ? ": " : "", use->why,
		                   use->n_asked, noun);
	else if (use->state != SYC_SYMBOLS_USED)
		symbolize_job_note(job,
		                   "%s: not used, because %s; %" PRIu64
		                   " %s stay without names",
		                   use->path, use->why, use->n_asked, noun);
	else if (use->n_named < use->n_asked && use->why[0] != 0)
		symbolize_job_note(job, "%s: %s", use->path, use->why);
}

/* Make the tables of names and of source lines, and report each file that was
 * not used.  Returns false, with a message, on failure. */
static bool symbolize_names_find(struct symbolize_job *job)
{
	const char *file = job->options->file;
	int r;

	if ((job->had_table || job->had_lines) &&
	    job->header.last_frame_index != 0) {
		symbolize_job_refuse(
			job, file, -EINVAL,
			"the capture has an index of frame offsets; remove it "
			"by 'syscap cat' first");
		return false;
	}
	r = make_tables(job);
	if (r < 0) {
		symbolize_job_refuse(
			job, file, r,
			r == -EFBIG
				? "the stacks have more names than a table "
				  "can hold; shorten the capture by 'syscap "
				  "cut'"
				: strerror(-r));
		return false;
	}
	syc_symbols_each_use(job->symbols, tell_file, job);
	if (syc_symbols_downloads_ended(job->symbols) != NULL)
		symbolize_job_note(job, "downloads of debug files ended: %s",
		                   syc_symbols_downloads_ended(job->symbols));
	if (syc_symbols_lacks_demangler(job->symbols))
		symbolize_job_note(
			job, "C++ names stay mangled: install libstdc++.so.6");
	return true;
}

/* Print the number of named addresses on stdout. */
static void symbolize_names_tell_totals(const struct symbolize_job *job)
{
	struct syc_symbol_table_totals totals;

	syc_symbol_table_totals(job->table, &totals);
	if (totals.addresses == 0) {
		printf("%s: the stacks have no addresses of code\n",
		       job->options->file);
		return;
	}
	printf("%s: %" PRIu64 " of %" PRIu64 " addresses in stacks have names "
	       "(%.1f %%), of %" PRIu64 " function%s\n",
	       job->options->file, totals.named, totals.addresses,
	       100.0 * (double)totals.named / (double)totals.addresses,
	       totals.records - totals.kept,
	       syc_plural(totals.records - totals.kept));
	if (totals.kept > 0)
		printf("%s: %" PRIu64 " earlier name%s kept\n",
		       job->options->file, totals.kept,
		       totals.kept == 1 ? " is" : "s are");
	if (job->options->lines)
		printf("%s: %" PRIu64 " of %" PRIu64 " places have source "
		       "lines, %" PRIu64 " of them in inlined functions\n",
		       job->options->file, job->lines.totals.with_line,
		       job->lines.totals.places, job->lines.totals.inlined);
}

/* The temporary file, for the handler of signals that end the process. */
static char temporary[PATH_MAX];

static void remove_temporary(int sig)
{
	unlink(temporary);
	/* Raise the signal for its default action, which ends the process. */
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

/* Write the capture with its names, and report problems. */
static void symbolize_output_write(struct symbolize_job *job)
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
		symbolize_job_report(job, job->shown, &error);
}

static void tell_of_copy(struct symbolize_job *job)
{
	if (job->options->output == NULL)
		symbolize_job_note(job,
		                   "with -o the names go into another file");
}

/* Returns whether the output may be replaced, with a message if not. */
static bool check_output(struct symbolize_job *job)
{
	const int fd = open(job->target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct syscap_error error;
	unsigned char magic[4];
	struct stat st;
	bool is_good = true;

	if (fd < 0)
		return true; /* rename() will report any problem */
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		symbolize_job_refuse(job, job->shown, -EINVAL,
		                     "not a regular file");
		is_good = false;
	} else if (syc_in_use_may_replace(job->target, job->options->force,
	                                  &error) != 0) {
		symbolize_job_report(job, job->shown, &error);
		tell_of_copy(job);
		is_good = false;
	} else if (st.st_size > 0 && !job->options->force &&
	           (pread(fd, magic, 4, 0) != 4 ||
	            memcmp(magic, "\x5e\x97\xca\xfd", 4) != 0)) {
		symbolize_job_refuse(
			job, job->shown, -EEXIST,
			"the file exists and is not a capture; choose another "
			"name");
		is_good = false;
	}
	close(fd);
	return is_good;
}

/*
 * Find the file to replace: the target of a link, not the link.  Returns false,
 * with a message, if the file may not be replaced.
 */
static bool symbolize_output_choose(struct symbolize_job *job)
{
	const char *output = job->options->output;

	if (output == NULL)
		output = job->options->file;
	job->shown = output;
	job->target = realpath(output, NULL);
	if (job->target == NULL)
		job->target = strdup(output);
	if (job->target == NULL)
		syc_cli_error_no_memory(job->options->command);
	return job->target != NULL && check_output(job);
}

static void symbolize(struct symbolize_job *job)
{
	const struct symbolize_options *options = job->options;

	if (!job->had_table || options->force ||
	    (options->lines && !job->had_lines)) {
		if (!symbolize_names_find(job))
			return;
	} else {
		/*
		 * Names cannot be added to a capture with an index: see
		 * symbolize_names_find().
		 */
		symbolize_job_note(job, "the capture already has names%s",
		                   job->header.last_frame_index == 0
		                           ? "; --force adds to them"
		                           : "");
		if (options->output == NULL)
			return;
	}
	symbolize_output_write(job);
	syc_progress_erase(&job->progress);
	if (job->table != NULL && job->status == SYC_EXIT_DONE &&
	    !options->quiet)
		symbolize_names_tell_totals(job);
}

static int symbolize_capture(const struct symbolize_options *options)
{
	struct symbolize_job job = {
		.options = options,
		.progress = { .is_wanted = !options->quiet &&
		                           isatty(STDERR_FILENO) == 1 },
		.status = SYC_EXIT_DONE,
	};

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (!symbolize_input_open(&job) || !symbolize_output_choose(&job))
		job.status = SYC_EXIT_PROBLEM;
	else
		symbolize(&job);
	syc_symbol_table_free(job.table);
	free(job.lines.bytes);
	syc_symbols_free(job.symbols);
	syc_code_names_free(job.code);
	syscap_reader_close(job.reader);
	free(job.target);
	return syc_cli_error_finish_output(options->command, job.status);
}

enum {
	ROOT = 256,
	DEBUG_DIR,
	FORCE,
	LINES,
	DEBUGINFOD
};

/* Returns -1 to continue, or the exit status. */
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
		else if (key == DEBUGINFOD) {
			if (!syc_debuginfod_option_read(
				    argv[0], words.value,
				    &options->download_time))
				return SYC_EXIT_MISUSE;
		} else if (key == FORCE)
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
		return syc_cli_error_misuse(argv[0]);
	}
	options->file = argv[optind];
	if (options->lines && !syc_lines_option_check(argv[0]))
		return SYC_EXIT_MISUSE;
	if (syc_input_refuse_dash(argv[0], options->file,
	                          "names are put into a file") ||
	    (options->output != NULL &&
	     syc_input_refuse_dash(argv[0], options->output,
	                           "the output replaces a file")))
		return syc_cli_error_misuse(argv[0]);
	return -1;
}

static int run_symbolize(int argc, char **argv)
{
	struct symbolize_options options = { .command = argv[0] };
	int status;

	/* Space for every argument, since each may be a directory. */
	options.debug_dirs = calloc((size_t)argc, sizeof(*options.debug_dirs));
	if (options.debug_dirs == NULL) {
		syc_cli_error_no_memory(argv[0]);
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
	.summary = "add function names to a capture",
	.synopsis = "[-o OUTPUT] [OPTION]... FILE",
	.about =
		"Add the names of the functions in stacks to FILE, so that "
		"any machine can read FILE.  Run the command on the machine of "
		"the recorded programs.",
	.example = "syscap symbolize app.syscap",
	.status = "0 on success, even if some names are missing; 1 if FILE "
		  "is damaged, unreadable or unwritable; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "output", 'o', "OUTPUT",
	                  "write to OUTPUT and leave FILE unchanged", NULL },
			{ "root", ROOT, "DIR",
	                  "look for the recorded machine's files in DIR",
	                  NULL },
			{ "debug-dir", DEBUG_DIR, "DIR",
	                  "look for debug symbols in DIR first (layout of "
	                  "/usr/lib/debug)",
	                  NULL },
			{ "debuginfod", DEBUGINFOD, "[=TIME]",
	                  "download debug files from $DEBUGINFOD_URLS for at "
	                  "most TIME (60s)",
	                  NULL },
			{ "lines", LINES, NULL,
	                  "add source lines and inlined functions from debug "
	                  "information",
	                  NULL },
			{ "force", FORCE, NULL,
	                  "also add to the names in FILE; overwrite OUTPUT "
	                  "even if it is not a capture",
	                  NULL },
			{ "quiet", 'q', NULL, "print only errors", NULL },
			{ 0 },
		},
};
