/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_dump.c - `syscap dump`: the frames of a capture, one a line. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/embedded.h"
#include "cli/cmd.h"
#include "cli/dump.h"
#include "cli/dump_choice.h"
#include "cli/fault.h"
#include "cli/input.h"
#include "cli/missing.h"

enum {
	JSON = 256,
	TYPE,
	BY_TIME
};

#define TYPES                                                               \
	"timestamp sample map process fork exit jitmap ctrdef ctrset mark " \
	"metadata log file_chunk allocation overlay trace dbus_message unknown"

struct request {
	const char *command, *file;
	bool json, by_time;
	struct syc_filter_options filter;
	bool all;
	bool types[SYSCAP_FRAME_LAST]; /* wanted; 0: unknown ones */
};

static bool add_type(struct request *request, const char *name)
{
	request->all = false;
	if (strcmp(name, "unknown") == 0) {
		request->types[0] = true;
		return true;
	}
	for (unsigned type = 1; type < SYSCAP_FRAME_LAST; type++) {
		if (strcmp(syscap_frame_type_name((uint8_t)type), name) != 0)
			continue;
		request->types[type] = true;
		return true;
	}
	fprintf(stderr, "%s: there is no frame type '%s'\n", request->command,
	        name);
	return false;
}

static bool is_wanted(const struct request *request, uint8_t type)
{
	return request->all ||
	       request->types[syscap_frame_type_name(type) ? type : 0];
}

/* A definition may stand behind the values, so all are read first. */
static int collect_definitions(struct syc_dump *dump,
                               struct syscap_reader *reader)
{
	struct syscap_frame frame;
	int r;

	while ((r = syscap_reader_next(reader, &frame, NULL)) != 0) {
		if (r == -EILSEQ)
			continue;
		if (r < 0)
			break;
		if (frame.type != SYSCAP_FRAME_CTRDEF)
			continue;
		r = syc_counter_stats_define(&dump->counters, reader, &frame);
		if (r < 0)
			return r;
	}
	syscap_reader_rewind(reader);
	return 0;
}

static int print_frame(const struct request *request, struct syc_dump *dump,
                       const struct syscap_frame *frame, uint32_t stack)
{
	if (frame->type == SYSCAP_FRAME_CTRDEF) {
		const int r = syc_counter_stats_define(&dump->counters,
		                                       dump->reader, frame);
		if (r < 0)
			return r;
	}
	dump->stack = stack;
	if (request->json)
		syc_dump_json(dump, frame);
	else
		syc_dump_text(dump, frame);
	return 0;
}

/* In the order of the file; what is to be shown by time is only noted. */
static int walk(const struct request *request, struct syscap_reader *reader,
                struct syc_dump *dump, struct syc_dump_choice *choice,
                int *status)
{
	struct syscap_error error;
	struct syscap_frame frame;
	uint32_t stack;
	int r;

	while ((r = syscap_reader_next(reader, &frame, &error)) != 0) {
		if (r < 0) {
			syc_fault_print(request->command, request->file,
			                &error);
			*status = SYC_EXIT_PROBLEM;
			if (r == -EILSEQ)
				continue;
			return 0;
		}
		if (!syc_dump_choice_has(choice, &frame, &stack) ||
		    !is_wanted(request, frame.type))
			continue;
		r = request->by_time
		            ? syc_dump_choice_note(choice, &frame, stack)
		            : print_frame(request, dump, &frame, stack);
		if (r < 0)
			return r;
	}
	return 0;
}

static int print_noted(const struct request *request,
                       struct syscap_reader *reader, struct syc_dump *dump,
                       struct syc_dump_choice *choice)
{
	struct syscap_frame frame;
	int r = 0;

	syc_dump_choice_sort(choice);
	for (size_t i = 0; r == 0 && i < choice->noted.n; i++) {
		const struct syc_dump_noted *noted = &choice->noted.items[i];

		if (syscap_reader_seek(reader, noted->offset) == 0 &&
		    syscap_reader_next(reader, &frame, NULL) > 0)
			r = print_frame(request, dump, &frame, noted->stack);
	}
	return r;
}

/* Names of addresses are for people, of what has any. */
static bool shows_names(const struct request *request)
{
	return !request->json && (is_wanted(request, SYSCAP_FRAME_SAMPLE) ||
	                          is_wanted(request, SYSCAP_FRAME_ALLOCATION));
}

/* Source lines, where there are any: *@ret_bytes is what they are in. */
static int load_lines(struct syc_dump *dump, struct syscap_reader *reader,
                      unsigned char **ret_bytes)
{
	size_t size;
	const int r = syc_embedded_load(reader, SYC_LINE_TABLE_PATH,
	                                SYC_LINE_TABLE_MAX, ret_bytes, &size);

	if (r > 0)
		syc_line_table_open(*ret_bytes, size, &dump->lines);
	return r < 0 ? r : 0;
}

static int print_frames(struct request *request, struct syscap_reader *reader)
{
	struct syc_dump dump = { .reader = reader, .json = { .out = stdout } };
	struct syc_dump_choice choice = { 0 };
	struct syscap_file_info info;
	struct syscap_error error;
	unsigned char *lines = NULL;
	int status = SYC_EXIT_DONE;
	int r;

	syscap_reader_info(reader, &info);
	dump.begin = info.begin;
	dump.is_foreign = info.foreign_order;
	r = collect_definitions(&dump, reader);
	if (r == 0 && (request->filter.is_any || shows_names(request)))
		r = syc_dump_choice_init(&choice, reader, &request->filter,
		                         &error);
	if ((r == 0 || r == -EINVAL) && request->filter.is_any &&
	    syc_missing_judge(request->command, request->file, choice.profile,
	                      &request->filter.filter, r, &error))
		status = SYC_EXIT_PROBLEM;
	dump.profile = shows_names(request) ? choice.profile : NULL;
	if (r == 0 && dump.profile != NULL)
		r = load_lines(&dump, reader, &lines);
	if (r == 0)
		r = walk(request, reader, &dump, &choice, &status);
	if (r == 0 && request->by_time)
		r = print_noted(request, reader, &dump, &choice);
	if (r < 0 && r != -EINVAL)
		syc_fault_no_memory(request->command);
	syc_dump_choice_fini(&choice);
	free(lines);
	syc_counter_stats_fini(&dump.counters);
	return r < 0 ? SYC_EXIT_PROBLEM : status;
}

/* Returns -1 when the command shall run, else its exit status. */
static int parse_options(struct request *request, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_dump,
		                   .argc = argc,
		                   .argv = argv };
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		if (key == JSON)
			request->json = true;
		else if (key == BY_TIME)
			request->by_time = true;
		else if (syc_filter_options_is(key) &&
		         !syc_filter_options_take(&request->filter, argv[0],
		                                  key, words.value))
			return syc_fault_misuse(argv[0]);
		else if (key == TYPE && !add_type(request, words.value))
			return syc_fault_misuse(argv[0]);
	}
	if (words.status >= 0)
		return words.status;
	if (request->filter.filter.of != SYSCAP_VIEW_SAMPLES) {
		fprintf(stderr, "%s: --of is for sums\n", argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	if (argc - optind != 1) {
		fprintf(stderr, "%s: expected one file\n", argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	request->file = argv[optind];
	return -1;
}

static int run_dump(int argc, char **argv)
{
	struct request request = { .command = argv[0], .all = true };
	struct syscap_reader *reader;
	struct syscap_error error;
	int status;

	status = parse_options(&request, argc, argv);
	if (status >= 0)
		return status;
	if (syc_input_open(request.file, &reader, &error) < 0) {
		syc_fault_print(argv[0], request.file, &error);
		return SYC_EXIT_PROBLEM;
	}
	syc_fault_tell_merged(argv[0], request.file, reader);
	status = print_frames(&request, reader);
	if (syc_fault_tell_unread(argv[0], request.file, reader))
		status = SYC_EXIT_PROBLEM;
	syscap_reader_close(reader);
	return syc_fault_finish_output(argv[0], status);
}

const struct syc_command syc_cmd_dump = {
	.name = "dump",
	.run = run_dump,
	.summary = "print the frames of a capture, one a line",
	.synopsis = "[OPTION]... [FILTER]... FILE",
	.about = "Print the frames of a capture, one a line, in the order of "
		 "the file.",
	.status = "0; 1 when the capture is damaged or could not be read, "
		  "with what could be read printed, or has nothing of what a "
		  "filter names; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "json", JSON, NULL, "each frame as one JSON object",
	                  NULL },
			{ "type", TYPE, "TYPE",
	                  "only frames of this type; may be repeated.", TYPES },
			{ "by-time", BY_TIME, NULL, "in the order of time",
	                  NULL },
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters, see syscap-stat(1):",
};
