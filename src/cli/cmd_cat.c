/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_cat.c - `syscap cat`: join of captures into one. */
#define _GNU_SOURCE

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/files.h"
#include "capture/join.h"
#include "capture/join_state.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/table.h"

/* State of one run; freed at its end. */
struct cat_job {
	const struct syc_cat_options *options;
	struct syc_join *join;
	struct syc_writer *writer;
	/* Readers; NULL: the input could not be opened. */
	struct syscap_reader **readers;
	struct syc_progress progress;
	int status;
};

static void print_message(void *data, const struct syc_join_message *message)
{
	struct cat_job *job = data;

	if (!message->is_problem && job->options->quiet)
		return;
	syc_progress_erase(&job->progress);
	fprintf(stderr, "%s: ", job->options->command);
	if (message->input)
		fprintf(stderr, "%s: ", message->input);
	if (message->has_offset)
		fprintf(stderr, "at byte %" PRIu64 ": ", message->offset);
	if (!message->is_problem)
		fputs("note: ", stderr);
	syc_printable_write(stderr, message->text, false);
	putc('\n', stderr);
}

static void print_progress(void *data, uint64_t done, uint64_t all)
{
	struct cat_job *job = data;

	if (syc_progress_is_due(&job->progress))
		syc_progress_print(&job->progress,
		                   "joining %3.0f %%  of %.1f MiB",
		                   100.0 * (double)done / (double)all,
		                   (double)all / 2 / (1 << 20));
}

static void report_trouble(struct cat_job *job, const char *file,
                           const struct syscap_error *error)
{
	syc_progress_erase(&job->progress);
	syc_cli_error_print(job->options->command, file, error);
	job->status = SYC_EXIT_PROBLEM;
}

static void complain_of(struct cat_job *job, const char *file, int code)
{
	struct syscap_error error = { .code = -code };
	const char *text = strerror(-code);

	if (code == -ENOSPC && file == NULL)
		text = "the inputs have more counters or JIT names than a "
		       "capture can hold; join fewer inputs";
	snprintf(error.message, sizeof(error.message), "%s", text);
	report_trouble(job, file ? file : job->options->output, &error);
}

static bool is_input(const struct syc_cat_options *options)
{
	for (unsigned i = 0; i < options->n_files; i++)
		if (syc_input_refuse_output(options->command, options->files[i],
		                            options->output))
			return true;
	return false;
}

static unsigned open_inputs(struct cat_job *job)
{
	const struct syc_cat_options *options = job->options;
	struct syscap_error error;
	unsigned n_open = 0;

	for (unsigned i = 0; i < options->n_files; i++)
		if (syc_input_open(options->files[i], &job->readers[i],
		                   &error) < 0)
			report_trouble(job, options->files[i], &error);
		else
			n_open++;
	for (unsigned i = 0; i < options->n_files; i++) {
		const struct syscap_reader *const reader = job->readers[i];
		const char *const file = options->files[i];

		if (reader == NULL)
			continue;
		syc_cli_error_note_merged(options->command, file, reader);
		if (syc_cli_error_warn_unread(options->command, file, reader))
			job->status = SYC_EXIT_PROBLEM;
	}
	return n_open;
}

static bool keeps(void *data, const struct syscap_frame *frame)
{
	const struct cat_job *job = data;

	return job->options->keeps(job->options->data, frame);
}

static int add_inputs(struct cat_job *job)
{
	const struct syc_cat_options *options = job->options;
	const struct syc_join_options join_options = {
		.report = print_message,
		.progress = print_progress,
		.keeps = options->keeps != NULL ? keeps : NULL,
		.data = job,
	};
	int r = syc_join_new(&join_options, &job->join);

	for (unsigned i = 0; r == 0 && i < options->n_files; i++)
		if (job->readers[i] != NULL)
			r = syc_join_add(job->join, options->files[i],
			                 job->readers[i]);
	return r;
}

/* Record in the output that the writer of an input was killed.  A ring file has
 * the last events of its process. */
static void note_unfinished(struct cat_job *job, int64_t time)
{
	union syc_frame_buffer frame;

	for (unsigned i = 0; i < job->options->n_files; i++) {
		struct syscap_file_info info;

		if (job->readers[i] == NULL)
			continue;
		syscap_reader_info(job->readers[i], &info);
		if (info.end != 0 || info.merged_bytes > 0)
			continue;
		syc_compose_metadata(&frame, time, "syscap.unfinished",
		                     "no end time");
		syc_writer_add(job->writer, &frame);
		return;
	}
}

/*
 * Join the inputs.  The writer is open, so the output is locked, but still has
 * its old content.  If the output cannot be written completely, it is removed.
 */
static void join_files(struct cat_job *job)
{
	const char *output = job->options->output;
	struct syc_writer_totals written;
	union syc_frame_buffer frame;
	struct syc_join_totals totals;
	struct syscap_error error;
	struct syc_join_span span;
	int r = add_inputs(job), joined;

	if (r == 0)
		r = syc_join_settle(job->join, &span);
	if (r < 0) {
		complain_of(job, NULL, r);
		return;
	}
	if (job->options->limit != NULL &&
	    !job->options->limit(job->options->data, &span)) {
		syc_progress_erase(&job->progress);
		fprintf(stderr,
		        "%s: %s: the capture has no event between --from and "
		        "--to; choose other times\n",
		        job->options->command, job->options->files[0]);
		job->status = SYC_EXIT_PROBLEM;
		return;
	}
	if (syc_writer_begin_as(job->writer, span.begin, span.capture_time,
	                        &error) < 0) {
		report_trouble(job, output, &error);
		syc_writer_discard(job->writer);
		return;
	}
	if (job->options->cut != NULL && job->options->cut[0] != 0) {
		syc_compose_metadata(&frame, span.begin, "syscap.cut",
		                     job->options->cut);
		syc_writer_add(job->writer, &frame);
	}
	joined = syc_join_write(job->join, job->writer);
	note_unfinished(job, span.end);
	syc_writer_totals(job->writer, &written);
	if (joined < 0 && written.error == 0)
		complain_of(job, NULL, joined);
	r = syc_writer_finish(job->writer, span.end);
	if (r < 0)
		complain_of(job, output, r);
	if (joined < 0 || r < 0)
		syc_writer_discard(job->writer);
	syc_join_totals(job->join, &totals);
	if (totals.problems > 0)
		job->status = SYC_EXIT_PROBLEM;
	syc_progress_erase(&job->progress);
}

int syc_cat_join(const struct syc_cat_options *options)
{
	struct cat_job job = {
		.options = options,
		.progress = { .is_wanted = !options->quiet &&
		                           isatty(STDERR_FILENO) == 1 },
		.status = SYC_EXIT_DONE,
	};
	struct syscap_error error;

	if (is_input(options))
		return SYC_EXIT_MISUSE;
	job.readers = calloc(options->n_files, sizeof(struct syscap_reader *));
	if (job.readers == NULL) {
		syc_cli_error_no_memory(options->command);
		return SYC_EXIT_PROBLEM;
	}
	/* The command reports failed writes, so a SIGPIPE must not kill the
	 * process. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (open_inputs(&job) > 0) {
		if (syc_in_use_may_replace(options->output, options->force,
		                           &error) < 0 ||
		    syc_writer_open(options->output, options->force,
		                    &job.writer, &error) < 0)
			report_trouble(&job, options->output, &error);
		else
			join_files(&job);
	}
	syc_join_free(job.join);
	syc_writer_close(job.writer);
	for (unsigned i = 0; i < options->n_files; i++)
		syscap_reader_close(job.readers[i]);
	free(job.readers);
	return job.status;
}

bool syc_cat_take(struct syc_cat_options *options, int key, const char *value)
{
	if (key == 'o')
		options->output = value;
	else if (key == SYC_CAT_FORCE)
		options->force = true;
	else if (key == 'q')
		options->quiet = true;
	else
		return false;
	return true;
}

int syc_cat_settle(struct syc_cat_options *options, int argc, char **argv)
{
	if (options->output == NULL) {
		fprintf(stderr,
		        "%s: no output given; name the new capture with "
		        "-o OUTPUT\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if (strcmp(options->output, "-") == 0) {
		options->output = syc_output_file_stdout(argv[0]);
		if (options->output == NULL)
			return SYC_EXIT_PROBLEM;
	}
	options->files = argv + optind;
	options->n_files = (unsigned)(argc - optind);
	return -1;
}

static int run_cat(int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_cat,
		                   .argc = argc,
		                   .argv = argv };
	struct syc_cat_options options = { .command = argv[0] };
	int key, status;

	while ((key = syc_options_next(&words)) > 0)
		syc_cat_take(&options, key, words.value);
	if (words.status >= 0)
		return words.status;
	if (optind == argc) {
		fprintf(stderr, "%s: expected at least one FILE\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	status = syc_cat_settle(&options, argc, argv);
	return status >= 0 ? status : syc_cat_join(&options);
}

const struct syc_command syc_cmd_cat = {
	.name = "cat",
	.run = run_cat,
	.summary = "join captures into one",
	.synopsis = "-o OUTPUT [OPTION]... FILE...",
	.about = "Join captures into one.  Counters and JIT names of "
		 "different files get different ids.  Damaged parts are "
		 "reported and left out, so with one FILE this command "
		 "repairs it.",
	.example = "syscap cat -o all.syscap server.syscap client.syscap",
	.status = "0 on success; 1 if a file is damaged, unreadable or "
		  "unwritable (the readable frames are joined); 2 for wrong "
		  "use.",
	.options =
		(const struct syc_option[]){
			SYC_CAT_OUTPUT_OPTION,
			SYC_CAT_FORCE_OPTION,
			SYC_CAT_QUIET_OPTION,
			{ 0 },
		},
};
