/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_write.c - join captures into one: the frames.
 *
 * The second walk over each input.  A frame is copied, turned to little-endian
 * order, and then changed in place.
 */
#include <errno.h>
#include <string.h>

#include "capture/embedded.h"
#include "capture/frame.h"
#include "capture/frame_order.h"
#include "capture/join_state.h"
#include "capture/line_table.h"
#include "data/load.h"

struct output {
	struct syc_join *join;
	struct syc_writer *writer;
	_Alignas(8) unsigned char buffer[SYSCAP_FRAME_MAX + 8]; /* of a frame */
};

/* Returns 1 when the file chunk is not to be written. */
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

/* Change the copy.  Returns 1 when it is not to be written, or -errno. */
static int change(struct syc_join *join, struct syc_join_input *input,
                  const struct syscap_frame *frame, unsigned char *buffer)
{
	bool is_empty;

	switch (frame->type) {
	case SYSCAP_FRAME_TIMESTAMP:
		return frame->timestamp.is_index;
	case SYSCAP_FRAME_JITMAP: /* written before */
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

/* What the input's other frames refer to. */
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
	struct syscap_frame frame;
	int r;

	write_first(output, input);
	syscap_reader_rewind(input->reader);
	while ((r = syscap_reader_next(input->reader, &frame, NULL)) != 0) {
		if (r == -EBADMSG) /* told when it was scanned */
			return 0;
		/* Also after a failure: what finds no room is counted */
		syc_join_advance(output->join, frame.len);
		if (r == -EILSEQ)
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
