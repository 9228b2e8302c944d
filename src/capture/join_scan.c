/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_scan.c - join captures into one: what is in them.
 *
 * The first of two walks over each input.  It finds what cannot be known when
 * a frame is written: names and definitions that stand further down, and
 * files that other inputs have too.  join_settle.c decides about the latter;
 * join_write.c is the second walk.
 */
#include <errno.h>
#include <string.h>

#include "capture/join_state.h"

#define DAMAGED_SHOWN 20u

/* As syc_join_tell(), with a place in the file. */
static void tell_error(struct syc_join *join,
                       const struct syc_join_input *input,
                       const struct syscap_error *error)
{
	const struct syc_join_message message = {
		.input = input->name,
		.text = error->message,
		.is_problem = true,
		.has_offset = true,
		.offset = error->offset,
	};

	join->totals.problems++;
	if (join->options.tell != NULL)
		join->options.tell(join->options.data, &message);
}

/* As `syscap stat` has it: what only describes does not make it longer. */
static void extend(struct syc_join_input *input,
                   const struct syscap_frame *frame)
{
	int64_t end = frame->time;

	switch (frame->type) {
	case SYSCAP_FRAME_MARK:
		if (frame->mark.duration > 0 &&
		    __builtin_add_overflow(frame->time, frame->mark.duration,
		                           &end))
			end = INT64_MAX;
		break;
	case SYSCAP_FRAME_TIMESTAMP:
	case SYSCAP_FRAME_JITMAP:
	case SYSCAP_FRAME_CTRDEF:
	case SYSCAP_FRAME_METADATA:
	case SYSCAP_FRAME_FILE_CHUNK:
	case SYSCAP_FRAME_OVERLAY:
		return;
	default:
		if (syscap_frame_type_name(frame->type) == NULL)
			return;
	}
	if (end > input->end)
		input->end = end;
}

static int scan_frame(struct syc_join *join, struct syc_join_input *input,
                      const struct syscap_frame *frame)
{
	const int r = syc_join_pids_scan(&input->pids, frame);

	if (r < 0)
		return r;
	extend(input, frame);
	switch (frame->type) {
	case SYSCAP_FRAME_JITMAP:
		return syc_join_jit_scan(&input->jit, frame, input->big,
		                         &join->totals.last_jit_address);
	case SYSCAP_FRAME_CTRDEF:
	case SYSCAP_FRAME_CTRSET:
		return syc_join_counters_scan(&input->counters, frame,
		                              input->big,
		                              &join->totals.last_counter_id);
	case SYSCAP_FRAME_FILE_CHUNK:
		return syc_join_files_scan(&input->files, &join->paths, frame);
	default:
		return 0;
	}
}

static int scan(struct syc_join *join, struct syc_join_input *input)
{
	struct syscap_error error;
	struct syscap_frame frame;
	uint64_t foreign = 0;
	int r;

	while ((r = syscap_reader_next(input->reader, &frame, &error)) != 0) {
		if (r == -EBADMSG) {
			tell_error(join, input, &error);
			break;
		}
		syc_join_advance(join, frame.len);
		if (r == -EILSEQ) {
			if (input->damaged++ < DAMAGED_SHOWN)
				tell_error(join, input, &error);
			continue;
		}
		if (r < 0)
			return r;
		foreign += input->big &&
		           syscap_frame_type_name(frame.type) == NULL;
		r = scan_frame(join, input, &frame);
		if (r < 0)
			return r;
	}
	if (input->damaged > DAMAGED_SHOWN)
		syc_join_tell(
			join, input, true,
			"%llu more frames do not fit their content",
			(unsigned long long)(input->damaged - DAMAGED_SHOWN));
	if (foreign > 0)
		syc_join_tell(join, input, false,
		              "big-endian, and the content of %llu %s of "
		              "unknown type is left as it is",
		              (unsigned long long)foreign,
		              foreign == 1 ? "frame" : "frames");
	return syc_join_counters_settle(&input->counters,
	                                &join->totals.last_counter_id);
}

int syc_join_add(struct syc_join *join, const char *name,
                 struct syscap_reader *reader)
{
	struct syc_join_input *input = calloc(1, sizeof(*input));

	if (input == NULL)
		return -ENOMEM;
	input->name = strdup(name);
	if (input->name == NULL || syc_array_push(&join->inputs, input) < 0) {
		free(input->name);
		free(input);
		return -ENOMEM;
	}
	input->reader = reader;
	syscap_reader_info(reader, &input->info);
	input->big = input->info.foreign_order; /* the host is little-endian */
	input->files.big = input->big;
	input->end = input->info.begin;
	if (input->info.end > input->end)
		input->end = input->info.end;
	/* Twice: scanned and written. */
	join->all += 2 * input->info.size;
	syscap_reader_rewind(reader);
	return scan(join, input);
}
