/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader_open.c - a capture is mapped, its header checked, and what a process
 * that died left beside it put behind it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/header_losses.h"
#include "capture/error.h"
#include "capture/file_lock.h"
#include "capture/losses.h"
#include "capture/plain_file.h"
#include "capture/reader.h"
#include "capture/rest.h"
#include "capture/rest_load.h"
#include "data/load.h"

#define FRAME_HEADER sizeof(struct syscap_wire_frame)

static int check_header(const unsigned char *data, uint64_t size,
                        struct syscap_error *error)
{
	if (size == 0)
		return syc_error_set(error, EBADMSG, 0, "the file is empty");
	if (size >= 4 && syc_load_u32(data, false) != SYSCAP_MAGIC)
		return syc_error_set(
			error, EBADMSG, 0,
			"not a capture: it begins with %02x %02x %02x %02x",
			data[0], data[1], data[2], data[3]);
	if (size < SYC_READER_HEADER)
		return syc_error_set(error, EBADMSG, size,
		                     "the file ends inside its header");
	return 0;
}

/*
 * Losses that stand in the header are a record behind the last frame, by the
 * process that began the file: those whose they are may not be named there.
 */
static int add_untold(struct syscap_reader *reader, struct syscap_error *error)
{
	struct syc_loss loss = { .total = 0 };
	struct syc_header_losses untold;
	int32_t pid = -1;

	if (reader->big ||
	    !syc_header_losses_has_frames((const void *)reader->data))
		return 0;
	memcpy(&untold, reader->data + SYC_HEADER_LOSSES_AT, sizeof(untold));
	if (reader->size >= SYC_READER_HEADER + FRAME_HEADER)
		pid = (int32_t)syc_load_u32(reader->data + SYC_READER_HEADER +
		                                    SYC_AT(frame, pid),
		                            false);
	for (unsigned i = 0; i < SYC_HEADER_LOSSES_KINDS; i++)
		loss.total += loss.frames[i] = untold.frames[i];
	loss.bytes = untold.bytes;
	if (untold.from == 0)
		untold.from = untold.to = (int64_t)syc_load_u64(
			reader->data + SYC_AT(file, end_time), false);
	if (untold.to < untold.from)
		untold.to = untold.from;
	reader->rest = aligned_alloc(8, SYC_LOSS_FRAME_MAX);
	if (reader->rest == NULL)
		return syc_error_set(error, ENOMEM, 0, "out of memory");
	reader->rest_size = syc_losses_compose(reader->rest, &loss, pid,
	                                       untold.from, untold.to);
	return 0;
}

int syscap_reader_open_memory(const void *data, size_t size,
                              struct syscap_reader **ret_reader,
                              struct syscap_error *error)
{
	const int r = check_header(data, size, error);
	if (r < 0)
		return r;

	struct syscap_reader *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return syc_error_set(error, ENOMEM, 0, "out of memory");
	reader->data = data;
	reader->size = size;
	reader->mapping.lost_at = UINT64_MAX;
	reader->position = SYC_READER_HEADER;
	/* Big-endian writers have the bit elsewhere, and leave it 0. */
	reader->big = (reader->data[offsetof(struct syscap_wire_file,
	                                     little_endian)] &
	               1) == 0;
	const int untold = add_untold(reader, error);
	if (untold < 0) {
		free(reader);
		return untold;
	}
	*ret_reader = reader;
	return 0;
}

/* Map the file; nothing for an empty one. */
static int map_file(int fd, struct syc_mapping *mapping,
                    struct syscap_error *error)
{
	struct stat st;
	int r;

	if (fstat(fd, &st) != 0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return syc_error_set(error, EISDIR, 0, "%s", strerror(EISDIR));
	if (!S_ISREG(st.st_mode))
		return syc_error_set(error, EINVAL, 0, "Not a regular file");
	if (st.st_size == 0)
		return 0;
	r = syc_mapping_make(mapping, fd, (size_t)st.st_size, MAP_PRIVATE);
	if (r < 0)
		return syc_error_set(error, -r, 0, "cannot map: %s",
		                     strerror(-r));
	(void)madvise((void *)mapping->data, mapping->size, MADV_SEQUENTIAL);
	return 0;
}

static int open_map(int fd, struct syscap_reader **ret_reader,
                    struct syscap_error *error)
{
	struct syc_mapping mapping = { .data = NULL };
	/* Before its size: who writes ends with a whole frame */
	const bool is_written = syc_file_lock_is_held(fd);
	int r = map_file(fd, &mapping, error);

	if (r < 0)
		return r;
	r = syscap_reader_open_memory(mapping.data, mapping.size, ret_reader,
	                              error);
	if (r < 0) {
		syc_mapping_end(&mapping);
		return r;
	}
	syc_mapping_move(&(*ret_reader)->mapping, &mapping);
	(*ret_reader)->is_written = is_written;
	return 0;
}

/* The file may have grown, or been cut, since it was mapped. */
static int map_again(struct syscap_reader *reader, int fd,
                     struct syscap_error *error)
{
	struct syc_mapping mapping = { .data = NULL };
	struct syscap_reader *fresh;
	const int r = open_map(fd, &fresh, error);

	if (r < 0)
		return r;
	syc_mapping_move(&mapping, &fresh->mapping);
	syc_mapping_end(&reader->mapping);
	free(reader->rest);
	*reader = *fresh;
	syc_mapping_move(&reader->mapping, &mapping);
	free(fresh);
	return 0;
}

static int take_rest(struct syscap_reader *reader, struct syc_rest *rest,
                     struct syscap_error *why)
{
	const int r = syc_rest_load(rest, reader->data, reader->size, why);

	if (r != 0)
		return r;
	reader->size = rest->capture_size;
	free(reader->rest);
	reader->rest = rest->bytes;
	reader->rest_size = rest->n_bytes;
	reader->rest_frames = rest->n_frames;
	reader->rest_bad = rest->n_bad;
	rest->bytes = NULL;
	return 0;
}

/* @rest is open: of a process that lives, where @lives. */
static int merge(struct syscap_reader *reader, int fd, struct syc_rest *rest,
                 bool lives, struct syscap_error *error)
{
	struct syscap_error why = { .code = 0 };
	uint64_t whole;
	struct stat st;
	int r;

	if (fstat(fd, &st) != 0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	const bool is_ours = syc_rest_is_of(rest, &st);
	const bool is_known =
		lives && is_ours && syc_rest_live_size(rest, fd, &whole) == 0;
	r = map_again(reader, fd, error);
	if (r < 0 || (lives && !is_known))
		return r;
	if (lives) {
		if (whole < reader->size)
			reader->size = whole;
		return 0;
	}
	if (!is_ours)
		r = syc_error_set(&why, ESTALE, 0,
		                  "its ring file belongs to another file: was "
		                  "this one copied, or joined?");
	else
		r = take_rest(reader, rest, &why);
	if (r == -ENOMEM)
		return syc_error_set(error, ENOMEM, 0, "out of memory");
	memcpy(reader->not_merged, why.message, sizeof(why.message));
	return 0;
}

/*
 * A process that recorded itself and died left frames in its ring file: they
 * come behind the file's own.  One that lives is read as far as its batches
 * are whole.
 */
static int add_rest(struct syscap_reader *reader, int fd,
                    struct syscap_error *error)
{
	const char *const named = syc_rest_path(reader->data, reader->size);
	struct syscap_error why;
	struct syc_rest rest;
	char path[4096];

	if (named == NULL || strlen(named) >= sizeof(path))
		return 0;
	strcpy(path, named);
	int r = syc_rest_open(&rest, path, false, &why);
	if (r >= 0) {
		r = merge(reader, fd, &rest, r == SYC_REST_LIVES, error);
		syc_rest_close(&rest);
		return r;
	}
	/* Who recovered from it may just have ended */
	if (r == -ENOENT)
		return map_again(reader, fd, error);
	memcpy(reader->not_merged, why.message, sizeof(why.message));
	return 0;
}

int syscap_reader_open(const char *path, struct syscap_reader **ret_reader,
                       struct syscap_error *error)
{
	const int fd = syc_plain_file_open(path, O_RDONLY, error);
	struct syscap_reader *reader = NULL;

	if (fd < 0)
		return fd;
	int r = open_map(fd, &reader, error);
	if (r == 0)
		r = add_rest(reader, fd, error);
	close(fd);
	if (r < 0) {
		syscap_reader_close(reader);
		return r;
	}
	*ret_reader = reader;
	return 0;
}

void syscap_reader_close(struct syscap_reader *reader)
{
	if (!reader)
		return;
	syc_mapping_end(&reader->mapping);
	free(reader->rest);
	free(reader);
}
