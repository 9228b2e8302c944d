/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot.c - captures of the events that a living process in flight mode keeps
 * (docs/flight.md).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/files.h"
#include "capture/frame.h"
#include "capture/recover.h"
#include "capture/ring_file_reader.h"
#include "capture/writer.h"
#include "common/load.h"

#define HEADER_SIZE 256u
#define PATH_SIZE   (4096u + 64u)

/* The frames that the process wrote when it began: its name and mappings. */
struct beginning {
	unsigned char *data; /* the capture with its header; NULL: deleted */
	uint64_t size;
};

/* Read the capture of the rings.  A deleted capture is not an error. */
static int read_beginning(struct syc_ring_reader *rest, const char *root,
                          struct beginning *begin, struct syscap_error *error)
{
	char path[PATH_SIZE];
	struct stat st;
	int r = 0;

	snprintf(path, sizeof(path), "%s%s", root, rest->facts.capture);
	const int fd = syc_plain_file_open(path, O_RDONLY | O_NOFOLLOW, NULL);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) != 0 || !syc_ring_reader_is_of(rest, &st))
		goto out;
	r = syc_ring_reader_live_size(rest, fd, &begin->size);
	if (r != 0) {
		syc_error_set(error, -r, 0, "%s: cannot read the ring file",
		              path);
		goto out;
	}
	const size_t size = (size_t)begin->size;
	begin->data = size < begin->size ? NULL : malloc(size + 1);
	if (begin->data == NULL) {
		r = syc_error_set(error, ENOMEM, 0, "out of memory");
	} else if (begin->size < HEADER_SIZE ||
	           pread(fd, begin->data, size, 0) != (ssize_t)size) {
		r = syc_error_set(error, EIO, 0, "%s: cannot read the capture",
		                  path);
	}
out:
	close(fd);
	return r;
}

/* Add the frames in [@data, @data + @size), except the frame that names the ring
 * file, which is not the new capture's. */
static void add_frames(struct syc_writer *writer, const unsigned char *data,
                       uint64_t size, int64_t *last)
{
	struct syscap_frame frame;
	uint64_t at = 0;

	while (syc_frame_take(data + at, size - at, SYC_HOST_IS_BIG, &frame)) {
		const unsigned char *const bytes = data + at;

		at += frame.len;
		if (syc_frame_decode(&frame, SYC_HOST_IS_BIG, NULL) != 0 ||
		    (frame.type == SYSCAP_FRAME_METADATA &&
		     strncmp(frame.metadata.id, SYC_RING_FILE_ID,
		             sizeof(SYC_RING_FILE_ID) - 1) == 0))
			continue;
		const int64_t end = frame.type == SYSCAP_FRAME_MARK
		                            ? syc_frame_last_time(&frame)
		                            : frame.time;
		if (end > *last)
			*last = end;
		syc_writer_add(writer, bytes);
	}
}

static int write_snapshot(const struct syc_ring_reader *rest,
                          const struct beginning *begin,
                          struct syc_writer *writer, struct syscap_error *error)
{
	const struct syscap_wire_file *const header = (const void *)begin->data;
	union syc_frame_buffer process;
	int64_t last = rest->facts.began;
	int r;

	if (begin->data == NULL) {
		r = syc_writer_begin(writer, rest->facts.began, error);
		syc_compose_process(&process, rest->facts.pid,
		                    rest->facts.began, "(unknown)");
	} else {
		char date[sizeof(header->capture_time) + 1] = "";

		memcpy(date, header->capture_time,
		       sizeof(header->capture_time));
		r = syc_writer_begin_as(writer, rest->facts.began, date, error);
	}
	if (r != 0)
		return r;
	if (begin->data == NULL)
		syc_writer_add(writer, &process);
	else
		add_frames(writer, begin->data + HEADER_SIZE,
		           begin->size - HEADER_SIZE, &last);
	add_frames(writer, rest->bytes, rest->n_bytes, &last);
	r = syc_writer_finish(writer, last);
	if (r == 0)
		return 0;
	syc_writer_discard(writer);
	return syc_error_set(error, -r, 0, "%s", strerror(-r));
}

int syc_snapshot_take(const char *rings, const char *root, const char *output,
                      bool force, struct syc_recovered *recovered,
                      struct syscap_error *error)
{
	struct syc_ring_reader rest;
	struct beginning begin = { .size = 0 };
	struct syc_writer *writer = NULL;
	int r = syc_ring_reader_open_moving(&rest, rings, error);

	memset(recovered, 0, sizeof(*recovered));
	if (r != 0)
		return r;
	r = read_beginning(&rest, root, &begin, error);
	/* The journal is only of the process's beginning */
	rest.journal.state = SYC_JOURNAL_NOTHING;
	if (r == 0)
		r = syc_ring_reader_load(&rest, begin.data, begin.size, error);
	if (r == 0)
		r = syc_in_use_may_replace(output, force, error);
	if (r == 0)
		r = syc_writer_open(output, force, &writer, error);
	if (r == 0) {
		r = write_snapshot(&rest, &begin, writer, error);
		syc_writer_close(writer);
	}
	recovered->frames = rest.n_frames;
	recovered->bad = rest.n_bad;
	free(begin.data);
	syc_ring_reader_close(&rest);
	return r;
}
