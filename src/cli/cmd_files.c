/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_files.c - `syscap files`: files that are embedded in a capture. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/table.h"
#include "common/containers.h"
#include "common/json.h"

struct embedded {
	char *name;
	uint64_t size;
	int32_t pid;
	int64_t time; /* time of the first chunk */
	bool is_whole;
};

struct run {
	const char *command, *file, *wanted;
	struct syc_output_file output; /* output, open since the first chunk */
	bool json, failed;
	struct syscap_reader *reader;
	SYC_ARRAY(struct embedded) files;
	struct syc_map open;       /* incomplete files, by path and pid */
	struct syc_map names;      /* names of all files */
	SYC_ARRAY(size_t) numbers; /* index of each file, by number in `open` */
	int status;
};

/* Choose a unique name, as `syscap cat` does. */
static char *choose_name(struct run *run, const char *path)
{
	char *name = strdup(path);
	size_t ignored;
	int r = 0;

	for (unsigned i = 2; name != NULL; i++) {
		r = syc_map_put(&run->names, name, strlen(name), &ignored);
		if (r != 0)
			break;
		free(name);
		if (asprintf(&name, "%s (%u)", path, i) < 0)
			name = NULL;
	}
	if (r > 0)
		return name;
	free(name);
	return NULL;
}

/* Find the file that the chunk @frame continues or begins.  Returns 0 or
 * -ENOMEM. */
static int find_file(struct run *run, const struct syscap_frame *frame,
                     size_t *ret_number)
{
	struct embedded fresh = { .pid = frame->pid, .time = frame->time };
	size_t slot;
	char *key;
	int len, r;

	len = asprintf(&key, "%d %s", (int)frame->pid, frame->file_chunk.path);
	if (len < 0)
		return -ENOMEM;
	r = syc_map_put(&run->open, key, (size_t)len, &slot);
	free(key);
	if (r < 0 || (r > 0 && syc_array_push(&run->numbers, SIZE_MAX) < 0))
		return -ENOMEM;
	if (run->numbers.items[slot] == SIZE_MAX ||
	    run->files.items[run->numbers.items[slot]].is_whole) {
		fresh.name = choose_name(run, frame->file_chunk.path);
		if (fresh.name == NULL)
			return -ENOMEM;
		run->numbers.items[slot] = run->files.n;
		if (syc_array_push(&run->files, fresh) < 0) {
			free(fresh.name);
			return -ENOMEM;
		}
	}
	*ret_number = run->numbers.items[slot];
	return 0;
}

static int take_chunk(struct run *run, const struct syscap_frame *frame)
{
	struct embedded *file;
	size_t number;
	int r = find_file(run, frame, &number);

	if (r < 0)
		return r;
	file = &run->files.items[number];
	file->size += frame->file_chunk.len;
	file->is_whole = frame->file_chunk.is_last;
	if (run->wanted == NULL || strcmp(file->name, run->wanted) != 0)
		return 0;
	if (run->output.file == NULL && !run->failed)
		run->failed = !syc_output_file_open(&run->output, false);
	if (run->output.file != NULL)
		fwrite(frame->file_chunk.data, 1, frame->file_chunk.len,
		       run->output.file);
	return 0;
}

static int walk(struct run *run)
{
	struct syscap_error error;
	struct syscap_frame frame;
	int next, r = 0;

	while (r == 0 &&
	       (next = syscap_reader_next(run->reader, &frame, &error)) != 0) {
		if (next < 0) {
			syc_cli_error_print(run->command, run->file, &error);
			run->status = SYC_EXIT_PROBLEM;
			if (next != -EILSEQ)
				break;
		} else if (frame.type == SYSCAP_FRAME_FILE_CHUNK) {
			r = take_chunk(run, &frame);
		}
	}
	return r;
}

static void list_text(const struct run *run)
{
	for (size_t i = 0; i < run->files.n; i++) {
		const struct embedded *file = &run->files.items[i];

		printf("%12" PRIu64 "  ", file->size);
		syc_printable_write(stdout, file->name, false);
		puts(file->is_whole ? "" : "  (the end is missing)");
	}
}

static void list_json(const struct run *run)
{
	struct syc_json json = { .out = stdout };

	for (size_t i = 0; i < run->files.n; i++) {
		const struct embedded *file = &run->files.items[i];

		syc_json_begin_object(&json);
		syc_json_member_text(&json, "name", file->name);
		syc_json_member_unsigned(&json, "size", file->size);
		syc_json_member_integer(&json, "pid", file->pid);
		syc_json_member_integer(&json, "time", file->time);
		syc_json_member_bool(&json, "whole", file->is_whole);
		syc_json_end_object(&json);
		syc_json_end_line(&json);
	}
}

/* Finish after the walk: check that the requested file was written completely.
 */
static void finish_wanted(struct run *run)
{
	const struct embedded *found = NULL;

	for (size_t i = 0; found == NULL && i < run->files.n; i++)
		if (strcmp(run->files.items[i].name, run->wanted) == 0)
			found = &run->files.items[i];
	if (found == NULL || !found->is_whole) {
		fprintf(stderr, "%s: %s: ", run->command, run->file);
		syc_printable_write(stderr, run->wanted, true);
		fputs(found == NULL
		              ? ": the capture has no such file; 'syscap "
		                "files' lists the files\n"
		              : ": incomplete: the capture lacks the end of "
		                "the file\n",
		      stderr);
		run->status = SYC_EXIT_PROBLEM;
	}
}

static void show(struct run *run)
{
	const int r = walk(run);

	if (r == -ENOMEM) {
		syc_cli_error_no_memory(run->command);
		run->status = SYC_EXIT_PROBLEM;
	} else if (run->failed) {
		run->status = SYC_EXIT_PROBLEM;
	} else if (run->wanted != NULL) {
		finish_wanted(run);
	} else if (run->json) {
		list_json(run);
	} else {
		list_text(run);
	}
	if (run->output.file != NULL)
		run->status = syc_output_file_close(&run->output, run->status);
	else
		run->status =
			syc_cli_error_finish_output(run->command, run->status);
	for (size_t i = 0; i < run->files.n; i++)
		free(run->files.items[i].name);
	free(run->files.items);
	free(run->numbers.items);
	syc_map_fini(&run->open);
	syc_map_fini(&run->names);
}

enum {
	JSON = 256
};

/* Returns -1 to continue, or the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_files,
		                   .argc = argc,
		                   .argv = argv };
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		if (key == 'o')
			run->output.name = words.value;
		else if (key == JSON)
			run->json = true;
	}
	if (words.status >= 0)
		return words.status;
	if (argc - optind != 1 && argc - optind != 2) {
		fprintf(stderr,
		        "%s: expected FILE, or FILE and the NAME of a file in "
		        "it\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	run->file = argv[optind];
	run->wanted = argv[optind + 1];
	if ((run->wanted == NULL) != (run->output.name == NULL)) {
		fprintf(stderr, "%s: %s\n", argv[0],
		        run->output.name == NULL
		                ? "no output given; use -o OUTPUT (- is "
		                  "standard output)"
		                : "-o needs the NAME of a file in the capture");
		return syc_cli_error_misuse(argv[0]);
	}
	return -1;
}

static int run_files(int argc, char **argv)
{
	struct run run = {
		.command = argv[0],
		.output.command = argv[0],
		.status = SYC_EXIT_DONE,
	};
	struct syscap_error error;
	int status = parse(&run, argc, argv);

	if (status >= 0)
		return status;
	if (syc_input_refuse_output(argv[0], run.file, run.output.name))
		return SYC_EXIT_MISUSE;
	if (syc_input_open(run.file, &run.reader, &error) < 0) {
		syc_cli_error_print(argv[0], run.file, &error);
		return SYC_EXIT_PROBLEM;
	}
	show(&run);
	syscap_reader_close(run.reader);
	return run.status;
}

const struct syc_command syc_cmd_files = {
	.name = "files",
	.run = run_files,
	.summary = "list or extract files embedded in a capture",
	.synopsis = "[--json] FILE\n"
		    "FILE NAME -o OUTPUT",
	.about = "List the files embedded in a capture with their sizes in "
		 "bytes, or extract the file NAME.  If several "
		 "files have one name, later files are called 'NAME (2)'.",
	.example = "syscap files app.syscap /proc/mounts -o -",
	.status = "0 on success; 1 if the capture is damaged or unreadable, "
		  "or the file is missing or incomplete; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "output", 'o', "OUTPUT",
	                  "write the file NAME to OUTPUT; - is standard output",
	                  NULL },
			{ "json", JSON, NULL,
	                  "print one JSON object for each file", NULL },
			{ 0 },
		},
};
