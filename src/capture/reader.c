/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.c - reader of a capture's frames.
 *
 * Only a frame's length, and the size of the opened file, determine a frame's
 * end.  Inconsistent content makes one frame invalid.  A wrong length ends the
 * reading, because no mark shows the start of the next frame.
 *
 * Frames from the ring file of a dead process follow the frames of the capture.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <syscap/capture.h>
#include <syscap/format.h>

#include "base/loss_record.h"
#include "base/text.h"
#include "capture/files.h"
#include "capture/frame.h"
#include "capture/losses.h"
#include "capture/ring_file_reader.h"
#include "common/frame_layout.h"
#include "common/load.h"

#define FILE_HEADER          sizeof(struct syscap_wire_file)
#define FRAME_HEADER         sizeof(struct syscap_wire_frame)
#define LOSSES_AT(at, field) ((at) + offsetof(struct syc_header_losses, field))

struct syscap_reader {
	const unsigned char *data;
	uint64_t size; /* size of the valid part of data */
	struct syc_mapping mapping;
	unsigned char *rest; /* frames from a ring file, which follow */
	uint64_t rest_size;  /* size of the frames from a ring file */
	uint64_t rest_frames;
	uint64_t rest_bad; /* number of unreadable frames in the ring file */
	char not_merged[sizeof(((struct syscap_error *)0)->message)];
	unsigned char *losses; /* loss record of the header's losses, or NULL */
	uint64_t losses_size;  /* size of the loss record, which is in no
	                        * file */
	uint64_t position;     /* offset of the next frame in data, rest and
	                        * losses together */
	uint64_t released;     /* offset up to which pages were released */
	bool big;              /* the file's byte order */
	bool is_written;       /* a process writes the file, so the file may end
	                        * within a frame */
};

int syc_capture_check_header(const unsigned char *data, uint64_t size,
                             struct syscap_error *error)
{
	const uint32_t magic = SYSCAP_MAGIC;

	if (size == 0)
		return syc_error_set(error, EBADMSG, 0,
		                     "the file is empty, not a capture");
	if (size >= 4 && memcmp(data, &magic, sizeof(magic)) != 0)
		return syc_error_set(
			error, EBADMSG, 0,
			"not a capture: the first bytes are %02x %02x %02x "
			"%02x",
			data[0], data[1], data[2], data[3]);
	if (size < FILE_HEADER)
		return syc_error_set(error, EBADMSG, size,
		                     "the file ends inside the capture header");
	return 0;
}

/*
 * Compose a record of the losses in the header, which follows the last frame.
 * The record has the pid of the process that began the file, because the header
 * does not name the process of the losses.
 */
static int add_unreported(struct syscap_reader *reader,
                          struct syscap_error *error)
{
	const unsigned char *const at = reader->data + SYC_HEADER_LOSSES_AT;
	const bool big = reader->big;
	struct syc_loss loss = { .total = 0 };
	int32_t pid = -1;

	if (syc_load_u64(LOSSES_AT(at, name), big) != SYC_HEADER_LOSSES_NAME)
		return 0;
	for (unsigned i = 0; i < SYC_HEADER_LOSSES_KINDS; i++)
		loss.total += loss.frames[i] =
			syc_load_u32(LOSSES_AT(at, frames[i]), big);
	if (loss.total == 0)
		return 0;
	if (reader->size >= FILE_HEADER + FRAME_HEADER)
		pid = syc_load_i32(
			reader->data + FILE_HEADER + SYC_AT(frame, pid), big);
	loss.bytes = syc_load_u64(LOSSES_AT(at, bytes), big);
	int64_t from = syc_load_i64(LOSSES_AT(at, from), big);
	int64_t to = syc_load_i64(LOSSES_AT(at, to), big);
	if (from == 0)
		from = to = syc_load_i64(reader->data + SYC_AT(file, end_time),
		                         big);
	if (to < from)
		to = from;
	reader->losses = aligned_alloc(8, SYC_LOSS_FRAME_MAX);
	if (reader->losses == NULL)
		return syc_error_set(error, ENOMEM, 0, "out of memory");
	reader->losses_size =
		syc_losses_compose(reader->losses, &loss, pid, from, to);
	if (big != SYC_HOST_IS_BIG) {
		syc_frame_turn(reader->losses, (size_t)reader->losses_size,
		               SYC_HOST_IS_BIG);
		syc_frame_turn_header(reader->losses);
	}
	return 0;
}

int syscap_reader_open_memory(const void *data, size_t size,
                              struct syscap_reader **ret_reader,
                              struct syscap_error *error)
{
	const int r = syc_capture_check_header(data, size, error);
	if (r < 0)
		return r;

	struct syscap_reader *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return syc_error_set(error, ENOMEM, 0, "out of memory");
	reader->data = data;
	reader->size = size;
	reader->mapping.lost_at = UINT64_MAX;
	reader->position = FILE_HEADER;
	/*
	 * Big-endian writers store the flag in another bit, and leave the
	 * tested bit 0.
	 */
	reader->big = (reader->data[offsetof(struct syscap_wire_file,
	                                     little_endian)] &
	               1) == 0;
	const int unreported = add_unreported(reader, error);
	if (unreported < 0) {
		free(reader);
		return unreported;
	}
	*ret_reader = reader;
	return 0;
}

/* Map the file, unless it is empty. */
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
		return syc_error_set(
			error, EINVAL, 0,
			"the path names no regular file; choose another path");
	if (st.st_size == 0)
		return 0;
	r = syc_mapping_make(mapping, fd, (size_t)st.st_size, MAP_PRIVATE);
	if (r < 0)
		return syc_error_set(error, -r, 0, "cannot map the file: %s",
		                     strerror(-r));
	(void)madvise(syc_unconst(mapping->data), mapping->size,
	              MADV_SEQUENTIAL);
	return 0;
}

static int open_map(int fd, struct syscap_reader **ret_reader,
                    struct syscap_error *error)
{
	struct syc_mapping mapping = { .data = NULL };
	/*
	 * Check the lock before the size, because a writer ends with a whole
	 * frame.
	 */
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

/* Map the file again, because the file may have become longer or shorter. */
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
	free(reader->losses);
	*reader = *fresh;
	syc_mapping_move(&reader->mapping, &mapping);
	free(fresh);
	return 0;
}

static int take_rest(struct syscap_reader *reader, struct syc_ring_reader *rest,
                     struct syscap_error *why)
{
	const int r =
		syc_ring_reader_load(rest, reader->data, reader->size, why);

	if (r != 0)
		return r;
	reader->size = rest->capture_size;
	reader->rest = rest->bytes;
	reader->rest_size = rest->n_bytes;
	reader->rest_frames = rest->n_frames;
	reader->rest_bad = rest->n_bad;
	rest->bytes = NULL;
	return 0;
}

/* Merge frames of the open ring file @rest.  @lives: whether the process of
 * @rest is alive. */
static int merge(struct syscap_reader *reader, int fd,
                 struct syc_ring_reader *rest, bool lives,
                 struct syscap_error *error)
{
	struct syscap_error why = { .code = 0 };
	uint64_t whole;
	struct stat st;
	int r;

	if (fstat(fd, &st) != 0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	const bool is_same_capture = syc_ring_reader_is_of(rest, &st);
	const bool is_known = lives && is_same_capture &&
	                      syc_ring_reader_live_size(rest, fd, &whole) == 0;
	r = map_again(reader, fd, error);
	if (r < 0 || (lives && !is_known))
		return r;
	if (lives) {
		if (whole < reader->size)
			reader->size = whole;
		return 0;
	}
	if (!is_same_capture)
		r = syc_error_set(
			&why, ESTALE, 0,
			"the ring file belongs to another capture: was this "
			"capture copied or joined?");
	else
		r = take_rest(reader, rest, &why);
	if (r == -ENOMEM)
		return syc_error_set(error, ENOMEM, 0, "out of memory");
	memcpy(reader->not_merged, why.message, sizeof(why.message));
	return 0;
}

/*
 * Append the frames that a killed process, which recorded itself, left in its
 * ring file.  The capture of a living process ends at its last whole batch.
 */
static int add_rest(struct syscap_reader *reader, int fd,
                    struct syscap_error *error)
{
	const char *const named =
		syc_ring_reader_path(reader->data, reader->size);
	struct syscap_error why;
	struct syc_ring_reader rest;
	char path[4096];

	if (named == NULL || strlen(named) >= sizeof(path))
		return 0;
	strcpy(path, named);
	int r = syc_ring_reader_open(&rest, path, false, &why);
	if (r >= 0) {
		r = merge(reader, fd, &rest, r == SYC_RING_READER_LIVES, error);
		syc_ring_reader_close(&rest);
		return r;
	}
	/* A recovery may have ended in the meantime */
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
	free(reader->losses);
	free(reader);
}

/* ---------------------------------------------------------------- frames */

/* Size of a release, a power of two and a multiple of every page size. */
#define RELEASE_SIZE ((uint64_t)16 << 20)
#define LARGEST_PAGE ((uint64_t)64 << 10)

void syscap_reader_info(const struct syscap_reader *reader,
                        struct syscap_file_info *ret_info)
{
	const unsigned char *data = reader->data;

	memset(ret_info, 0, sizeof(*ret_info));
	ret_info->size = reader->size + reader->rest_size;
	ret_info->merged_bytes = reader->rest_size;
	ret_info->merged_frames = reader->rest_frames;
	ret_info->merged_bad = reader->rest_bad;
	memcpy(ret_info->not_merged, reader->not_merged,
	       sizeof(ret_info->not_merged));
	ret_info->version = data[offsetof(struct syscap_wire_file, version)];
	ret_info->foreign_order = reader->big != SYC_HOST_IS_BIG;
	memcpy(ret_info->capture_time,
	       data + offsetof(struct syscap_wire_file, capture_time),
	       sizeof(ret_info->capture_time) - 1);
	ret_info->begin = syc_load_i64(
		data + offsetof(struct syscap_wire_file, time), reader->big);
	ret_info->end =
		syc_load_i64(data + offsetof(struct syscap_wire_file, end_time),
	                     reader->big);
}

/* Return the byte at the reader's position, and the number of bytes up to the
 * end of the byte's part. */
static const unsigned char *here(const struct syscap_reader *reader,
                                 uint64_t *ret_left)
{
	if (reader->position < reader->size) {
		*ret_left = reader->size - reader->position;
		return reader->data + reader->position;
	}
	uint64_t into = reader->position - reader->size;
	if (into < reader->rest_size) {
		*ret_left = reader->rest_size - into;
		return reader->rest + into;
	}
	into -= reader->rest_size;
	*ret_left = reader->losses_size - into;
	return into != 0 ? reader->losses + into : reader->losses;
}

static __attribute__((cold, noinline)) int
report_lost(const struct syscap_reader *reader, uint64_t at,
            struct syscap_error *error)
{
	return syc_error_set(
		error, EBADMSG, at,
		"reading failed: the file became shorter than %llu bytes, or "
		"the disk is damaged",
		(unsigned long long)reader->mapping.size);
}

/* Return whether a writer may still be writing the last frame. */
static bool is_end(const struct syscap_reader *reader, uint16_t len,
                   uint64_t left)
{
	return reader->is_written && reader->position < reader->size &&
	       reader->mapping.lost_at == UINT64_MAX &&
	       syc_frame_is_torn(len, left);
}

/*
 * Report why the reader's position has no whole frame of @len bytes.
 */
static __attribute__((cold, noinline)) int
no_frame(const struct syscap_reader *reader, uint16_t len, uint64_t left,
         struct syscap_frame *ret_frame, struct syscap_error *error)
{
	const uint64_t at = reader->position;

	*ret_frame =
		(struct syscap_frame){ .offset = at, .len = len, .tid = -1 };
	if (reader->mapping.lost_at < at + FRAME_HEADER)
		return report_lost(reader, at, error);
	if (left < FRAME_HEADER)
		return syc_error_set(error, EBADMSG, at,
		                     "the file ends %u bytes into a frame's "
		                     "header",
		                     (unsigned)left);
	if (!syc_frame_is_length(len))
		return syc_error_set(
			error, EBADMSG, at,
			"the frame length %u is invalid; the rest of the file "
			"is unreadable",
			len);
	return syc_error_set(error, EBADMSG, at,
	                     "the file ends %u bytes into a frame of %u",
	                     (unsigned)left, len);
}

/*
 * Release the pages behind the reader, so that a capture of many gigabytes does
 * not evict all other data.  Pointers into released pages stay valid, because
 * the kernel reads the pages again.
 */
static void release_pages(struct syscap_reader *reader, uint64_t granularity)
{
	const uint64_t end = reader->position & ~(granularity - 1);

	if (reader->mapping.data == NULL || reader->position > reader->size ||
	    end <= reader->released)
		return;
	(void)madvise(syc_unconst(reader->data + reader->released),
	              (size_t)(end - reader->released), MADV_DONTNEED);
	reader->released = end;
}

int syscap_reader_next(struct syscap_reader *reader,
                       struct syscap_frame *ret_frame,
                       struct syscap_error *error)
{
	uint64_t left;
	const unsigned char *bytes = here(reader, &left);
	/* Release all pages at the end, because a join has all of its captures
	 * open. */
	if (left == 0) {
		release_pages(reader, LARGEST_PAGE);
		return 0;
	}
	if (!syc_frame_take(bytes, left, reader->big, ret_frame)) {
		const uint16_t len = left < FRAME_HEADER ? 0 : ret_frame->len;

		return is_end(reader, len, left)
		               ? 0
		               : no_frame(reader, len, left, ret_frame, error);
	}
	ret_frame->offset = reader->position;
	reader->position += ret_frame->len;
	if (reader->mapping.data != NULL && reader->position <= reader->size &&
	    reader->position - reader->released >= 2 * RELEASE_SIZE)
		release_pages(reader, RELEASE_SIZE);
	const int r = syc_frame_decode(ret_frame, reader->big, error);
	if (reader->mapping.lost_at < reader->position)
		return report_lost(reader, ret_frame->offset, error);
	return r < 0 ? r : 1;
}

void syscap_reader_rewind(struct syscap_reader *reader)
{
	reader->position = FILE_HEADER;
	reader->released = 0;
}

int syscap_reader_seek(struct syscap_reader *reader, uint64_t offset)
{
	if (offset < FILE_HEADER ||
	    offset > reader->size + reader->rest_size + reader->losses_size)
		return -EINVAL;
	/*
	 * A caller may read in pieces, each from the end of the previous piece.
	 * Do nothing for such a seek, so that the pages before a piece are
	 * released, too.
	 */
	if (offset == reader->position)
		return 0;
	reader->position = offset;
	/* Do not release the pages before the new position. */
	reader->released = offset < reader->size ? offset : reader->size;
	reader->released &= ~(uint64_t)(RELEASE_SIZE - 1);
	return 0;
}

uint64_t syscap_reader_tell(const struct syscap_reader *reader)
{
	return reader->position;
}

bool syscap_frame_counter(const struct syscap_reader *reader,
                          const struct syscap_frame *frame, unsigned i,
                          struct syscap_counter_info *ret_counter)
{
	return syc_frame_counter(frame, reader->big, i, ret_counter);
}

bool syscap_frame_value(const struct syscap_reader *reader,
                        const struct syscap_frame *frame, unsigned i,
                        uint32_t *ret_id, uint64_t *ret_bits)
{
	return syc_frame_value(frame, reader->big, i, ret_id, ret_bits);
}

bool syscap_frame_slot(const struct syscap_reader *reader,
                       const struct syscap_frame *frame, unsigned slot,
                       uint32_t *ret_id, uint64_t *ret_bits)
{
	return syc_frame_slot(frame, reader->big, slot, ret_id, ret_bits);
}

bool syscap_frame_addr(const struct syscap_reader *reader,
                       const struct syscap_frame *frame, unsigned i,
                       uint64_t *ret_addr)
{
	return syc_frame_addr(frame, reader->big, i, ret_addr);
}

bool syscap_frame_jit_name(const struct syscap_reader *reader,
                           const struct syscap_frame *frame, size_t *cursor,
                           uint64_t *ret_addr, const char **ret_name)
{
	return syc_frame_jit_name(frame, reader->big, cursor, ret_addr,
	                          ret_name);
}
