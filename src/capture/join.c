/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join.c - both walks over each input of a join of captures.
 *
 * The first walk finds data that the copy of a frame needs: later names and
 * definitions, and files that other inputs also have.  join_settle.c decides
 * about the files of several inputs.
 *
 * The second walk copies each frame, converts the copy to little-endian order,
 * and changes the copy in place.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/embedded.h"
#include "capture/frame.h"
#include "capture/join_state.h"
#include "capture/line_table.h"
#include "common/load.h"

#define PROGRESS_BYTES (UINT64_C(1) << 20)

int syc_join_new(const struct syc_join_options *options,
                 struct syc_join **ret_join)
{
	struct syc_join *join = calloc(1, sizeof(*join));

	if (join == NULL)
		return -ENOMEM;
	join->options = *options;
	join->totals.last_counter_id = options->last_counter_id;
	join->totals.last_jit_address = options->last_jit_address;
	*ret_join = join;
	return 0;
}

static void free_input(struct syc_join_input *input)
{
	if (input == NULL)
		return;
	syc_join_counters_fini(&input->counters);
	syc_join_jit_fini(&input->jit);
	syc_join_pids_fini(&input->pids);
	syc_join_files_fini(&input->files);
	free(input->name);
	free(input);
}

void syc_join_free(struct syc_join *join)
{
	if (join == NULL)
		return;
	for (size_t i = 0; i < join->inputs.n; i++)
		free_input(join->inputs.items[i]);
	free(join->inputs.items);
	syc_join_paths_fini(&join->paths);
	free(join->symbols);
	free(join->lines);
	free(join);
}

__attribute__((format(printf, 3, 0))) static void
report_user(struct syc_join *join, struct syc_join_message *message,
            const char *format, va_list arguments)
{
	char text[1024];

	join->totals.problems += message->is_problem;
	if (join->options.report == NULL)
		return;
	vsnprintf(text, sizeof(text), format, arguments);
	message->text = text;
	join->options.report(join->options.data, message);
}

void syc_join_report(struct syc_join *join, const struct syc_join_input *input,
                     bool is_problem, const char *format, ...)
{
	struct syc_join_message message = {
		.input = input ? input->name : NULL,
		.is_problem = is_problem,
	};
	va_list arguments;

	va_start(arguments, format);
	report_user(join, &message, format, arguments);
	va_end(arguments);
}

/* Add @bytes to the number of read bytes. */
static void advance(struct syc_join *join, uint64_t bytes)
{
	join->done += bytes;
	if (join->done < join->next_progress)
		return;
	join->next_progress = join->done + PROGRESS_BYTES;
	if (join->options.progress != NULL)
		join->options.progress(join->options.data, join->done,
		                       join->all);
}

void syc_join_totals(const struct syc_join *join,
                     struct syc_join_totals *ret_totals)
{
	*ret_totals = join->totals;
}

/* ------------------------------------------------------------ first walk */

#define DAMAGED_SHOWN 20u

/* Like syc_join_report(), with an offset in the file. */
static void report_error(struct syc_join *join,
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
	if (join->options.report != NULL)
		join->options.report(join->options.data, &message);
}

/* Extend the span by an event.  Frames that only describe other frames do not
 * extend the span, as in `syscap stat`. */
static void extend(struct syc_join_input *input,
                   const struct syscap_frame *frame)
{
	int64_t end = frame->time;

	if (!syc_frame_is_event(frame->type))
		return;
	if (frame->type == SYSCAP_FRAME_MARK && frame->mark.duration > 0 &&
	    __builtin_add_overflow(frame->time, frame->mark.duration, &end))
		end = INT64_MAX;
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
			report_error(join, input, &error);
			break;
		}
		advance(join, frame.len);
		if (r == -EILSEQ) {
			if (input->damaged++ < DAMAGED_SHOWN)
				report_error(join, input, &error);
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
		syc_join_report(
			join, input, true,
			"%llu more frames have lengths that contradict their "
			"content",
			(unsigned long long)(input->damaged - DAMAGED_SHOWN));
	if (foreign > 0)
		syc_join_report(
			join, input, false,
			"the input is big-endian: copied the content of %llu "
			"%s of unknown type unchanged",
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
	input->big = input->info.foreign_order; /* because the host is
	                                         * little-endian */
	input->files.big = input->big;
	input->end = input->info.begin;
	if (input->info.end > input->end)
		input->end = input->info.end;
	/* The join reads each byte twice, for the scan and for the copy. */
	join->all += 2 * input->info.size;
	syscap_reader_rewind(reader);
	return scan(join, input);
}

/* ----------------------------------------------------------- second walk */

struct output {
	struct syc_join *join;
	struct syc_writer *writer;
	_Alignas(8) unsigned char buffer[SYSCAP_FRAME_MAX + 8]; /* one frame */
};

/* Copy a file chunk.  Returns 1 if the chunk must not be written. */
static int copy_chunk(const struct syc_join_input *input,
                      const struct syscap_frame *frame, unsigned char *buffer)
{
	const struct syc_join_file *file =
		syc_join_files_find(&input->files, frame->file_chunk.path);

	if (file == NULL)
		return 0;
	if (file->fate == SYC_JOIN_RENAMED)
		syc_join_files_rename(file, buffer);
	return file->fate == SYC_JOIN_DROPPED || file->fate == SYC_JOIN_MERGED;
}

/* Change the copy of a frame.  Returns 0, 1 if the frame must not be written,
 * or -errno. */
static int change(struct syc_join *join, struct syc_join_input *input,
                  const struct syscap_frame *frame, unsigned char *buffer)
{
	bool is_empty;

	switch (frame->type) {
	case SYSCAP_FRAME_TIMESTAMP:
		return frame->timestamp.is_index;
	case SYSCAP_FRAME_JITMAP: /* write_first() has written JITMAPs */
		return 1;
	case SYSCAP_FRAME_SAMPLE:
	case SYSCAP_FRAME_TRACE:
		return syc_join_jit_stack(
			&input->jit, frame->pid,
			buffer + sizeof(struct syscap_wire_sample),
			frame->sample.n_addrs, &join->totals.last_jit_address);
	case SYSCAP_FRAME_ALLOCATION:
		return syc_join_jit_stack(
			&input->jit, frame->pid,
			buffer + sizeof(struct syscap_wire_allocation),
			frame->allocation.n_addrs,
			&join->totals.last_jit_address);
	case SYSCAP_FRAME_CTRDEF:
		join->totals.merged_counters += syc_join_counters_define(
			&input->counters, buffer, &is_empty);
		return is_empty;
	case SYSCAP_FRAME_CTRSET:
		syc_join_counters_set(&input->counters, buffer);
		return 0;
	case SYSCAP_FRAME_FILE_CHUNK:
		return copy_chunk(input, frame, buffer);
	default:
		return 0;
	}
}

/* Write the frames that the input's other frames refer to. */
static void write_first(struct output *output, struct syc_join_input *input)
{
	unsigned char *buffer = output->buffer;
	struct syscap_frame frame;
	size_t at = 0;

	for (size_t i = 0; i < input->jit.frames.n; i++) {
		syc_frame_header(input->jit.frames.items[i], input->big,
		                 &frame);
		if (syc_frame_decode(&frame, input->big, NULL) < 0)
			continue;
		syc_frame_order_copy(&frame, input->big, buffer);
		syc_join_jit_names(&input->jit, &frame, buffer);
		syc_join_pids_frame(&input->pids, buffer);
		syc_writer_add(output->writer, buffer);
	}
	while (syc_join_counters_hoist(&input->counters, input->big, &at,
	                               buffer)) {
		syc_join_pids_frame(&input->pids, buffer);
		syc_writer_add(output->writer, buffer);
	}
	for (size_t i = 0; i < input->pids.processes.n; i++)
		if (syc_join_pids_metadata(&input->pids.processes.items[i],
		                           buffer))
			syc_writer_add(output->writer, buffer);
}

static int write_input(struct output *output, struct syc_join_input *input)
{
	const struct syc_join_options *options = &output->join->options;
	struct syscap_frame frame;
	int r;

	write_first(output, input);
	syscap_reader_rewind(input->reader);
	while ((r = syscap_reader_next(input->reader, &frame, NULL)) != 0) {
		if (r == -EBADMSG) /* damage that the first walk has reported */
			return 0;
		/* Continue after a failure, because the writer counts the
		 * frames that it drops */
		advance(output->join, frame.len);
		if (r == -EILSEQ || (options->keeps != NULL &&
		                     !options->keeps(options->data, &frame)))
			continue;
		syc_frame_order_copy(&frame, input->big, output->buffer);
		r = change(output->join, input, &frame, output->buffer);
		if (r < 0)
			return r;
		if (r > 0)
			continue;
		syc_join_pids_frame(&input->pids, output->buffer);
		syc_writer_add(output->writer, output->buffer);
	}
	return 0;
}

int syc_join_write(struct syc_join *join, struct syc_writer *writer)
{
	struct output *output = malloc(sizeof(*output));
	int r = 0;

	if (output == NULL)
		return -ENOMEM;
	output->join = join;
	output->writer = writer;
	for (size_t i = 0; r == 0 && i < join->inputs.n; i++)
		r = write_input(output, join->inputs.items[i]);
	if (r == 0 && join->lines != NULL)
		syc_embedded_write(writer, SYC_LINE_TABLE_PATH, join->lines,
		                   join->lines_size, join->lines_time);
	if (r == 0 && join->symbols != NULL)
		syc_embedded_write(writer, SYC_JOIN_SYMBOLS_PATH, join->symbols,
		                   join->symbols_size, join->symbols_time);
	free(output);
	return r != 0 ? r : syc_writer_flush(writer);
}
