/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_dump.c - `syscap dump`: one line for each frame of a capture that the
 * filter selects.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/frame.h"
#include "capture/embedded.h"
#include "capture/frame.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/filter_options.h"
#include "cli/view_query.h"
#include "common/containers.h"

/* A frame to be shown later. */
struct dump_noted {
	int64_t time;
	uint64_t offset;
	uint32_t stack;
};

/* A zero-initialized choice selects all frames, without names. */
struct dump_choice {
	struct syscap_profile *profile;
	struct syscap_view *view;
	const struct syscap_filter *filter;
	/* Numbers of requested events. */
	size_t n_samples, n_waits, n_allocations;
	SYC_ARRAY(struct dump_noted) noted;
};

/*
 * A filter by thread needs all parts, since threads are known by events of any
 * kind.
 */
static unsigned wanted_parts(const struct syc_filter_options *options)
{
	unsigned parts = SYSCAP_PROFILE_SAMPLES | SYSCAP_PROFILE_ALLOCATIONS;

	if (options->filter.thread != NULL)
		return SYSCAP_PROFILE_BUT_VALUES;
	if (syc_filter_options_has_marks(options))
		parts |= SYSCAP_PROFILE_MARKS;
	return parts;
}

/*
 * Read @reader with the capture's names, and rewind @reader.  Returns 0,
 * -ENOMEM, or -EINVAL with the reason: no such marks.  The caller ends @choice
 * in any case.
 */
static int dump_choice_init(struct dump_choice *choice,
                            struct syscap_reader *reader,
                            struct syc_filter_options *options,
                            struct syscap_error *error)
{
	const struct syscap_profile_options parts = {
		.parts = wanted_parts(options),
		.no_lookup = true,
	};
	struct syscap_profile_span span;
	int r = syscap_profile_new(&parts, &choice->profile);

	if (r == 0)
		r = syscap_profile_read(choice->profile, reader, NULL);
	/* Damage is reported when the frames are shown */
	if (r == -EBADMSG)
		r = 0;
	if (r == 0)
		r = syscap_profile_settle(choice->profile);
	if (r < 0)
		return r;
	syscap_reader_rewind(reader);
	syscap_profile_span(choice->profile, &span);
	syc_filter_options_settle(options, span.begin);
	/* A dump omits only frames that a filter excludes. */
	options->filter.with_recording = true;
	choice->filter = &options->filter;
	return syscap_view_new(choice->profile, &options->filter, &choice->view,
	                       error);
}

static void dump_choice_fini(struct dump_choice *choice)
{
	syscap_view_free(choice->view);
	syscap_profile_free(choice->profile);
	free(choice->noted.items);
}

/*
 * Return whether a frame without a stack passes, by thread and time.  The
 * profile lacks threads with metadata only.
 */
static bool has_event(const struct dump_choice *choice,
                      const struct syscap_frame *frame)
{
	const struct syscap_filter *filter = choice->filter;
	const uint32_t thread = syscap_profile_find_thread(
		choice->profile, frame->pid, frame->tid, frame->time);

	if (thread != SYSCAP_PROFILE_NONE)
		return syscap_view_has_mark(choice->view, thread, frame->time,
		                            frame->type == SYSCAP_FRAME_MARK
		                                    ? frame->mark.duration
		                                    : 0);
	return filter->thread == NULL &&
	       (filter->pid == 0 || filter->pid == frame->pid) &&
	       (!filter->has_from || frame->time >= filter->from) &&
	       (!filter->has_to || frame->time < filter->to);
}

/* Return the stack of the crash in @frame. */
static uint32_t stack_of_crash(const struct dump_choice *choice,
                               const struct syscap_frame *frame)
{
	const uint32_t thread = syscap_profile_find_thread(
		choice->profile, frame->pid, frame->tid, frame->time);
	const struct syscap_profile_crash *crashes;
	size_t n;

	crashes = syscap_profile_crashes(choice->profile, &n);
	while (n-- > 0)
		if (crashes[n].thread == thread)
			return crashes[n].stack;
	return SYSCAP_PROFILE_NONE;
}

/*
 * Return whether @frame is shown.  The caller passes each frame of the reader,
 * in file order.  *@ret_stack is the stack of @frame, or NONE.
 */
static bool dump_choice_has(struct dump_choice *choice,
                            const struct syscap_frame *frame,
                            uint32_t *ret_stack)
{
	const struct syscap_profile_allocation *allocations;
	const struct syscap_profile_wait *waits;
	struct syscap_profile_samples samples;
	size_t n, i;

	*ret_stack = SYSCAP_PROFILE_NONE;
	if (choice->profile == NULL)
		return true;
	if (frame->type == SYSCAP_FRAME_SAMPLE &&
	    syc_sample_is_wait(frame->padding2)) {
		i = choice->n_waits++;
		waits = syscap_profile_waits(choice->profile, &n);
		*ret_stack = waits[i].stack;
	} else if (frame->type == SYSCAP_FRAME_SAMPLE &&
	           syc_sample_is_crash(frame->padding2)) {
		*ret_stack = stack_of_crash(choice, frame);
	} else if (frame->type == SYSCAP_FRAME_SAMPLE) {
		i = choice->n_samples++;
		syscap_profile_samples(choice->profile, &samples);
		*ret_stack = samples.stacks[i];
		return (choice->view->passed[i / 64] >> i % 64 & 1) != 0;
	} else if (frame->type == SYSCAP_FRAME_ALLOCATION) {
		i = choice->n_allocations++;
		allocations = syscap_profile_allocations(choice->profile, &n);
		*ret_stack = allocations[i].stack;
	}
	return has_event(choice, frame);
}

/* Store @frame for a later line.  Returns 0 or -ENOMEM. */
static int dump_choice_note(struct dump_choice *choice,
                            const struct syscap_frame *frame, uint32_t stack)
{
	const struct dump_noted noted = { frame->time, frame->offset, stack };

	return syc_array_push(&choice->noted, noted);
}

static int compare(const void *one, const void *other)
{
	const struct dump_noted *a = one, *b = other;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Sort by time, and frames of equal times by place in the file. */
static void dump_choice_sort(struct dump_choice *choice)
{
	if (choice->noted.n > 0)
		qsort(choice->noted.items, choice->noted.n,
		      sizeof(*choice->noted.items), compare);
}

enum {
	JSON = 256,
	TYPE,
	BY_TIME
};

#define TYPES SYC_FRAME_NAMES " unknown"

struct request {
	const char *command, *file;
	bool json, by_time;
	struct syc_filter_options filter;
	bool all;
	bool types[SYSCAP_FRAME_LAST]; /* selected types; 0: unknown types */
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
	fprintf(stderr, "%s: unknown frame type '%s'\n", request->command,
	        name);
	return false;
}

static bool is_wanted(const struct request *request, uint8_t type)
{
	return request->all ||
	       request->types[syscap_frame_type_name(type) ? type : 0];
}

/* Read all definitions first, since a definition may follow its values. */
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

/*
 * Walk the frames in the order of the file, and only store frames to be sorted
 * by time.
 */
static int walk(const struct request *request, struct syscap_reader *reader,
                struct syc_dump *dump, struct dump_choice *choice, int *status)
{
	struct syscap_error error;
	struct syscap_frame frame;
	uint32_t stack;
	int r;

	while ((r = syscap_reader_next(reader, &frame, &error)) != 0) {
		if (r < 0) {
			syc_cli_error_print(request->command, request->file,
			                    &error);
			*status = SYC_EXIT_PROBLEM;
			if (r == -EILSEQ)
				continue;
			return 0;
		}
		if (!dump_choice_has(choice, &frame, &stack) ||
		    !is_wanted(request, frame.type))
			continue;
		r = request->by_time
		            ? dump_choice_note(choice, &frame, stack)
		            : print_frame(request, dump, &frame, stack);
		if (r < 0)
			return r;
	}
	return 0;
}

static int print_noted(const struct request *request,
                       struct syscap_reader *reader, struct syc_dump *dump,
                       struct dump_choice *choice)
{
	struct syscap_frame frame;
	int r = 0;

	dump_choice_sort(choice);
	for (size_t i = 0; r == 0 && i < choice->noted.n; i++) {
		const struct dump_noted *noted = &choice->noted.items[i];

		if (syscap_reader_seek(reader, noted->offset) == 0 &&
		    syscap_reader_next(reader, &frame, NULL) > 0)
			r = print_frame(request, dump, &frame, noted->stack);
	}
	return r;
}

/* Return whether the output has names of addresses: text output with stacks. */
static bool shows_names(const struct request *request)
{
	return !request->json && (is_wanted(request, SYSCAP_FRAME_SAMPLE) ||
	                          is_wanted(request, SYSCAP_FRAME_ALLOCATION));
}

/* Load source lines, if any; *@ret_bytes holds the lines. */
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
	struct dump_choice choice = { 0 };
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
		r = dump_choice_init(&choice, reader, &request->filter, &error);
	if ((r == 0 || r == -EINVAL) && request->filter.is_any &&
	    syc_filter_check_report(request->command, request->file,
	                            choice.profile, &request->filter.filter, r,
	                            &error))
		status = SYC_EXIT_PROBLEM;
	dump.profile = shows_names(request) ? choice.profile : NULL;
	if (r == 0 && dump.profile != NULL)
		r = load_lines(&dump, reader, &lines);
	if (r == 0)
		r = walk(request, reader, &dump, &choice, &status);
	if (r == 0 && request->by_time)
		r = print_noted(request, reader, &dump, &choice);
	if (r < 0 && r != -EINVAL)
		syc_cli_error_no_memory(request->command);
	dump_choice_fini(&choice);
	free(lines);
	syc_counter_stats_fini(&dump.counters);
	return r < 0 ? SYC_EXIT_PROBLEM : status;
}

/* Returns -1 to continue, or the exit status. */
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
			return syc_cli_error_misuse(argv[0]);
		else if (key == TYPE && !add_type(request, words.value))
			return syc_cli_error_misuse(argv[0]);
	}
	if (words.status >= 0)
		return words.status;
	if (request->filter.filter.of != SYSCAP_VIEW_SAMPLES) {
		fprintf(stderr,
		        "%s: --of has no effect on frames; use syscap stat\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if (argc - optind != 1) {
		fprintf(stderr, "%s: expected one FILE\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
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
		syc_cli_error_print(argv[0], request.file, &error);
		return SYC_EXIT_PROBLEM;
	}
	syc_cli_error_note_merged(argv[0], request.file, reader);
	status = print_frames(&request, reader);
	if (syc_cli_error_warn_unread(argv[0], request.file, reader))
		status = SYC_EXIT_PROBLEM;
	syscap_reader_close(reader);
	return syc_cli_error_finish_output(argv[0], status);
}

const struct syc_command syc_cmd_dump = {
	.name = "dump",
	.run = run_dump,
	.summary = "print the frames of a capture, one per line",
	.synopsis = "[OPTION]... [FILTER]... FILE",
	.about = "Print the frames of a capture, one per line, in file order.",
	.example = "syscap dump --type log app.syscap",
	.status = "0 on success; 1 if the capture is damaged or unreadable "
		  "(all readable frames are printed) or lacks a filter's "
		  "names; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "json", JSON, NULL,
	                  "print one JSON object for each frame", NULL },
			{ "type", TYPE, "TYPE",
	                  "print only frames of TYPE; may be repeated.",
	                  TYPES },
			{ "by-time", BY_TIME, NULL, "sort frames by time",
	                  NULL },
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters (see syscap-stat(1)):",
};
