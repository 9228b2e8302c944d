/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_write.c - join captures into one: the frames.
 *
 * The second walk over each input.  A frame is copied, turned to little-endian
 * order, and then changed in place.
 */
#include <errno.h>
#include <string.h>

#include "capture/frame.h"
#include "capture/frame_order.h"
#include "capture/join_state.h"
#include "data/load.h"

struct output {
	struct sc_join *join;
	struct sc_writer *writer;
	_Alignas(8) unsigned char buffer[SYSCAP_FRAME_MAX + 8]; /* of a frame */
};

/* Returns 1 when the file chunk is not to be written. */
static int copy_chunk(const struct sc_join_input *input,
                      const struct syscap_frame *frame, unsigned char *buffer)
{
	const struct sc_join_file *file =
		sc_join_files_find(&input->files, frame->file_chunk.path);

	if (file == NULL)
		return 0;
	if (file->fate == SC_JOIN_RENAMED)
		sc_join_files_rename(file, buffer);
	return file->fate == SC_JOIN_DROPPED || file->fate == SC_JOIN_MERGED;
}

/* Change the copy.  Returns 1 when it is not to be written, or -errno. */
static int change(struct sc_join *join, struct sc_join_input *input,
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
		return sc_join_jit_stack(
			&input->jit, frame->pid,
			buffer + sizeof(struct syscap_wire_sample),
			frame->sample.n_addrs, &join->totals.last_jit_address);
	case SYSCAP_FRAME_ALLOCATION:
		return sc_join_jit_stack(
			&input->jit, frame->pid,
			buffer + sizeof(struct syscap_wire_allocation),
			frame->allocation.n_addrs,
			&join->totals.last_jit_address);
	case SYSCAP_FRAME_CTRDEF:
		join->totals.merged_counters += sc_join_counters_define(
			&input->counters, buffer, &is_empty);
		return is_empty;
	case SYSCAP_FRAME_CTRSET:
		sc_join_counters_set(&input->counters, buffer);
		return 0;
	case SYSCAP_FRAME_FILE_CHUNK:
		return copy_chunk(input, frame, buffer);
	default:
		return 0;
	}
}

/* What the input's other frames refer to. */
static void write_first(struct output *output, struct sc_join_input *input)
{
	unsigned char *buffer = output->buffer;
	struct syscap_frame frame;
	size_t at = 0;

	for (size_t i = 0; i < input->jit.frames.n; i++) {
		sc_frame_header(input->jit.frames.items[i], input->big, &frame);
		if (sc_frame_decode(&frame, input->big, NULL) < 0)
			continue;
		sc_frame_order_copy(&frame, input->big, buffer);
		sc_join_jit_names(&input->jit, &frame, buffer);
		sc_join_pids_frame(&input->pids, buffer);
		sc_writer_add(output->writer, buffer);
	}
	while (sc_join_counters_hoist(&input->counters, input->big, &at,
	                              buffer)) {
		sc_join_pids_frame(&input->pids, buffer);
		sc_writer_add(output->writer, buffer);
	}
	for (size_t i = 0; i < input->pids.processes.n; i++)
		if (sc_join_pids_metadata(&input->pids.processes.items[i],
		                          buffer))
			sc_writer_add(output->writer, buffer);
}

static int write_error(const struct sc_writer *writer)
{
	struct sc_writer_totals totals;

	sc_writer_totals(writer, &totals);
	return totals.error;
}

static int write_input(struct output *output, struct sc_join_input *input)
{
	struct syscap_frame frame;
	int r;

	write_first(output, input);
	syscap_reader_rewind(input->reader);
	while ((r = syscap_reader_next(input->reader, &frame, NULL)) != 0) {
		if (r == -EBADMSG) /* told when it was scanned */
			return 0;
		if (sc_join_advance(output->join, frame.len)) {
			const int error = write_error(output->writer);

			if (error != 0)
				return error;
		}
		if (r == -EILSEQ)
			continue;
		sc_frame_order_copy(&frame, input->big, output->buffer);
		r = change(output->join, input, &frame, output->buffer);
		if (r < 0)
			return r;
		if (r > 0)
			continue;
		sc_join_pids_frame(&input->pids, output->buffer);
		sc_writer_add(output->writer, output->buffer);
	}
	return 0;
}

int sc_join_write(struct sc_join *join, struct sc_writer *writer)
{
	struct output *output = malloc(sizeof(*output));
	int r = 0;

	if (output == NULL)
		return -ENOMEM;
	output->join = join;
	output->writer = writer;
	for (size_t i = 0; r == 0 && i < join->inputs.n; i++)
		r = write_input(output, join->inputs.items[i]);
	if (r == 0 && join->symbols != NULL)
		sc_join_symbols_write(writer, join->symbols, join->symbols_size,
		                      join->symbols_time);
	free(output);
	return r != 0 ? r : sc_writer_flush(writer);
}
