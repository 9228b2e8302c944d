/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_cut.c - `syscap cut`: part of the time of a capture as a capture. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/error.h"
#include "cli/filter_options.h"
#include "common/frame_layout.h"
#include "profile/processes.h"

enum {
	FROM = SYC_CAT_OWN,
	TO
};

struct cut {
	struct syc_filter_options times;
	int64_t from, to; /* times to keep, ns */
	/* The times before and after, as METADATA syscap.cut; or "". */
	char removed[80];
	/* The processes of earlier frames, which show a false beginning. */
	struct syc_processes processes;
	struct syc_texts texts;
};

/*
 * Register the process of a frame.  If there is no memory, the process stays
 * unknown.
 */
static void learn(struct cut *cut, const struct syscap_frame *frame)
{
	uint32_t process;

	syc_processes_learn(&cut->processes, &cut->texts, frame);
	if (frame->pid >= 0 && syc_frame_is_event(frame->type) &&
	    frame->type != SYSCAP_FRAME_CTRDEF)
		syc_processes_get(&cut->processes, frame->pid, frame->time,
		                  &process);
}

static bool keeps_mark(const struct cut *cut, const struct syscap_frame *frame)
{
	const int64_t duration = frame->mark.duration;
	int64_t end;

	if (__builtin_add_overflow(frame->time, duration > 0 ? duration : 0,
	                           &end))
		end = INT64_MAX;
	/*
	 * As in a view, the end of such a mark decides whether the mark passes.
	 */
	if (syc_processes_is_false_mark(&cut->processes, frame))
		return end >= cut->from && end < cut->to;
	return frame->time < cut->to &&
	       (frame->time >= cut->from || end > cut->from);
}

/*
 * Return whether a frame is in the times to keep.  Definitions, names and files
 * stay, because other frames refer to them.  Processes and mappings stay if
 * they began before the end.
 */
static bool keeps(void *data, const struct syscap_frame *frame)
{
	struct cut *cut = data;

	learn(cut, frame);
	switch (frame->type) {
	case SYSCAP_FRAME_MARK:
		return keeps_mark(cut, frame);
	case SYSCAP_FRAME_PROCESS:
	case SYSCAP_FRAME_MAP:
	case SYSCAP_FRAME_FORK:
	case SYSCAP_FRAME_EXIT:
		return frame->time < cut->to;
	default:
		if (frame->type != SYSCAP_FRAME_TIMESTAMP &&
		    !syc_frame_is_event(frame->type))
			return true;
		return frame->time >= cut->from && frame->time < cut->to;
	}
}

/* Set the times to keep, and limit @span to these times. */
static bool limit(void *data, struct syc_join_span *span)
{
	struct cut *cut = data;
	struct syc_filter_options times = cut->times;
	const struct syscap_filter *filter = &times.filter;
	const struct syc_join_span whole = *span;
	uint64_t before, after;

	cut->processes.begin = span->begin;
	syc_filter_options_settle(&times, span->begin);
	if (filter->has_from && filter->from > span->begin)
		span->begin = filter->from;
	if (filter->has_to && filter->to < span->end)
		span->end = filter->to;
	cut->from = filter->has_from ? filter->from : INT64_MIN;
	cut->to = filter->has_to ? filter->to : INT64_MAX;
	before = (uint64_t)span->begin - (uint64_t)whole.begin;
	after = (uint64_t)whole.end - (uint64_t)span->end;
	if (before > 0 || after > 0)
		snprintf(cut->removed, sizeof(cut->removed),
		         "before_ns %" PRIu64 ", after_ns %" PRIu64, before,
		         after);
	return span->begin < span->end;
}

/* Parse --from or --to, like the filter of other commands. */
static bool take_time(struct cut *cut, const char *command, const char *name,
                      const char *value)
{
	for (const struct syc_option *row = syc_filter_table; row->name != NULL;
	     row++)
		if (strcmp(row->name, name) == 0)
			return syc_filter_options_take(&cut->times, command,
			                               row->key, value);
	return false;
}

static int run_cut(int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_cut,
		                   .argc = argc,
		                   .argv = argv };
	struct cut cut = { .from = 0 };
	struct syc_cat_options options = {
		.command = argv[0],
		.keeps = keeps,
		.limit = limit,
		.cut = cut.removed,
		.data = &cut,
	};
	int key, status;

	while ((key = syc_options_next(&words)) > 0)
		if (!syc_cat_take(&options, key, words.value) &&
		    !take_time(&cut, argv[0], key == FROM ? "from" : "to",
		               words.value))
			return syc_cli_error_misuse(argv[0]);
	if (words.status >= 0)
		return words.status;
	if (argc - optind != 1) {
		fprintf(stderr, "%s: expected one FILE\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if (!cut.times.is_any) {
		fprintf(stderr, "%s: no time given; use --from, --to or both\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	status = syc_cat_settle(&options, argc, argv);
	if (status >= 0)
		return status;
	syc_processes_init(&cut.processes);
	status = syc_cat_join(&options);
	syc_processes_fini(&cut.processes);
	syc_texts_fini(&cut.texts);
	return status;
}

const struct syc_command syc_cmd_cut = {
	.name = "cut",
	.run = run_cut,
	.summary = "keep part of the time of a capture",
	.synopsis = "-o OUTPUT [--from=TIME] [--to=TIME] [OPTION]... FILE",
	.about = "Write the part of FILE between two times as a capture, with "
		 "all names, processes, mappings and files.  Marks are kept "
		 "if they overlap these times.",
	.example = "syscap cut --from 2s --to 2500ms -o slow.syscap app.syscap",
	.status = "0 on success; 1 if FILE is damaged, unreadable or has "
		  "nothing in these times, or OUTPUT is unwritable; 2 for "
		  "wrong use.",
	.options =
		(const struct syc_option[]){
			SYC_CAT_OUTPUT_OPTION,
			{ "from", FROM, "TIME", "at TIME or later", NULL },
			{ "to", TO, "TIME", "before TIME", NULL },
			SYC_CAT_FORCE_OPTION,
			SYC_CAT_QUIET_OPTION,
			{ 0 },
		},
};
