/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * public_writer.c - syscap_writer_...: captures made from the data of another
 * profiler.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/compose.h"
#include "capture/error.h"
#include "capture/writer.h"
#include "common/map.h"

/* Readers accept no higher rate. */
#define HZ_MAX 1000000

struct syscap_writer {
	struct syc_writer *file;
	struct syc_map names; /* number + 1 is the lower half of the address */
	bool has_begun;
	int64_t end;
	int error; /* failure besides the file's: -ENOMEM */
	union syc_frame_buffer buffer;
};

int syscap_writer_open(const char *path, struct syscap_writer **ret_writer,
                       struct syscap_error *error)
{
	struct syscap_writer *writer = calloc(1, sizeof(*writer));
	int r;

	if (writer == NULL)
		return syc_error_set(error, ENOMEM, 0, "out of memory");
	r = syc_writer_open(path, false, &writer->file, error);
	if (r < 0) {
		free(writer);
		return r;
	}
	*ret_writer = writer;
	return 0;
}

static void begin(struct syscap_writer *writer, int64_t time)
{
	if (!writer->has_begun) {
		writer->has_begun = true;
		writer->end = time;
		syc_writer_begin(writer->file, time, NULL);
	}
	if (time > writer->end)
		writer->end = time;
}

static int state_of(const struct syscap_writer *writer)
{
	struct syc_writer_totals totals;

	syc_writer_totals(writer->file, &totals);
	return totals.error != 0 ? totals.error : writer->error;
}

static int add(struct syscap_writer *writer, int64_t time)
{
	begin(writer, time);
	syc_writer_add(writer->file, &writer->buffer);
	return state_of(writer);
}

int syscap_writer_close(struct syscap_writer *writer,
                        struct syscap_error *error)
{
	int r;

	/* An empty capture is valid, too */
	begin(writer, 0);
	r = syc_writer_finish(writer->file, writer->end);
	if (r == 0)
		r = writer->error;
	syc_writer_close(writer->file);
	syc_map_fini(&writer->names);
	free(writer);
	return r == 0 ? 0
	              : syc_error_set(error, -r, 0, "cannot write it: %s",
	                              strerror(-r));
}

int syscap_writer_add_process(struct syscap_writer *writer, int64_t time,
                              int32_t pid, const char *cmdline)
{
	syc_compose_process(&writer->buffer, pid, time, cmdline);
	return add(writer, time);
}

int syscap_writer_add_rate(struct syscap_writer *writer, int64_t time,
                           uint32_t hz, bool is_wall)
{
	char text[sizeof("1000000,wall")];

	if (hz == 0 || hz > HZ_MAX)
		return -EINVAL;
	snprintf(text, sizeof(text), "%" PRIu32 ",%s", hz,
	         is_wall ? "wall" : "cpu");
	syc_compose_metadata(&writer->buffer, time, "syscap.sample", text);
	return add(writer, time);
}

int syscap_writer_add_thread(struct syscap_writer *writer, int64_t time,
                             int32_t pid, int32_t tid, const char *name)
{
	syc_compose_thread(&writer->buffer, pid, tid, time, name);
	return add(writer, time);
}

int syscap_writer_add_name(struct syscap_writer *writer, int64_t time,
                           int32_t pid, const char *name, uint64_t *ret_address)
{
	size_t number;
	const int r = syc_map_put(&writer->names, name, strlen(name), &number);

	if (r < 0) {
		writer->error = r;
		return r;
	}
	*ret_address = SYSCAP_JIT_MARK | (number + 1);
	if (r == 0)
		return state_of(writer);
	syc_compose_name(&writer->buffer, pid, time, *ret_address, name);
	return add(writer, time);
}

int syscap_writer_add_sample(struct syscap_writer *writer, int64_t time,
                             const struct syscap_writer_sample *sample)
{
	uint64_t left = sample->ticks;
	int r = state_of(writer);

	while (r == 0 && left > 0) {
		const uint32_t ticks = left < SYC_COMPOSE_TICKS
		                               ? (uint32_t)left
		                               : SYC_COMPOSE_TICKS;

		syc_compose_sample(&writer->buffer, time, sample, ticks);
		r = add(writer, time);
		left -= ticks;
	}
	return r;
}
