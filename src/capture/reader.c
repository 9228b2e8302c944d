/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.c - step through the frames of a capture that is mapped in memory.
 *
 * Only two things decide where a frame ends: its length field and the size
 * that the file had when it was opened.  Content that does not fit spoils
 * one frame; a length that cannot be right ends the walk, since frames carry
 * no mark by which the next one could be found.
 */
#define _GNU_SOURCE
#include "capture/reader.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/error.h"
#include "capture/frame.h"
#include "data/load.h"

#define FRAME_HEADER     sizeof(struct syscap_wire_frame)
#define FRAME_ALIGN_MASK 7u

/* A power of two, and many pages of any size. */
#define RELEASE_SIZE ((uint64_t)16 << 20)
#define LARGEST_PAGE ((uint64_t)64 << 10)

void syscap_reader_info(const struct syscap_reader *reader,
                        struct syscap_file_info *ret_info)
{
	const unsigned char *data = reader->data;
	const bool host_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	memset(ret_info, 0, sizeof(*ret_info));
	ret_info->size = reader->size + reader->rest_size;
	ret_info->merged_bytes = reader->rest_size;
	ret_info->merged_frames = reader->rest_frames;
	ret_info->merged_bad = reader->rest_bad;
	memcpy(ret_info->not_merged, reader->not_merged,
	       sizeof(ret_info->not_merged));
	ret_info->version = data[offsetof(struct syscap_wire_file, version)];
	ret_info->foreign_order = reader->big != host_is_big;
	memcpy(ret_info->capture_time,
	       data + offsetof(struct syscap_wire_file, capture_time),
	       sizeof(ret_info->capture_time) - 1);
	ret_info->begin = syc_load_i64(
		data + offsetof(struct syscap_wire_file, time), reader->big);
	ret_info->end =
		syc_load_i64(data + offsetof(struct syscap_wire_file, end_time),
	                     reader->big);
}

/* The byte at the reader's position, and how many follow in a row. */
static const unsigned char *here(const struct syscap_reader *reader,
                                 uint64_t *ret_left)
{
	if (reader->position < reader->size) {
		*ret_left = reader->size - reader->position;
		return reader->data + reader->position;
	}
	const uint64_t into = reader->position - reader->size;
	*ret_left = reader->rest_size - into;
	return into != 0 ? reader->rest + into : reader->rest;
}

static __attribute__((cold, noinline)) int
tell_lost(const struct syscap_reader *reader, uint64_t at,
          struct syscap_error *error)
{
	return syc_error_set(error, EBADMSG, at,
	                     "the file became shorter than the %llu bytes that "
	                     "it had, or its disk can't be read from here on",
	                     (unsigned long long)reader->mapping.size);
}

/* Of a file that somebody writes the last frame may be there by half. */
static bool is_end(const struct syscap_reader *reader, uint16_t len,
                   uint64_t left)
{
	return reader->is_written && reader->position < reader->size &&
	       reader->mapping.lost_at == UINT64_MAX &&
	       (left < FRAME_HEADER ||
	        (len > left && (len & FRAME_ALIGN_MASK) == 0));
}

/* Tell why there is no whole frame of @len bytes at the reader's position. */
static __attribute__((cold, noinline)) int
no_frame(const struct syscap_reader *reader, uint16_t len, uint64_t left,
         struct syscap_frame *ret_frame, struct syscap_error *error)
{
	const uint64_t at = reader->position;

	*ret_frame =
		(struct syscap_frame){ .offset = at, .len = len, .tid = -1 };
	if (reader->mapping.lost_at < at + FRAME_HEADER)
		return tell_lost(reader, at, error);
	if (left < FRAME_HEADER)
		return syc_error_set(error, EBADMSG, at,
		                     "the file ends %u bytes into a frame's "
		                     "header",
		                     (unsigned)left);
	if (len < FRAME_HEADER || (len & FRAME_ALIGN_MASK) != 0)
		return syc_error_set(error, EBADMSG, at,
		                     "no frame has a length of %u; what "
		                     "follows cannot be read",
		                     len);
	return syc_error_set(error, EBADMSG, at,
	                     "the file ends %u bytes into a frame of %u",
	                     (unsigned)left, len);
}

/*
 * Give back the pages that were walked over, so that a capture of many
 * gigabytes does not push out everything else.  Pointers into them stay
 * good: the kernel reads the page again.
 */
static void release_pages(struct syscap_reader *reader, uint64_t granularity)
{
	const uint64_t end = reader->position & ~(granularity - 1);

	if (reader->mapping.data == NULL || reader->position > reader->size ||
	    end <= reader->released)
		return;
	(void)madvise((void *)(reader->data + reader->released),
	              (size_t)(end - reader->released), MADV_DONTNEED);
	reader->released = end;
}

int syscap_reader_next(struct syscap_reader *reader,
                       struct syscap_frame *ret_frame,
                       struct syscap_error *error)
{
	uint64_t left;
	const unsigned char *bytes = here(reader, &left);
	/* Who joins many captures has them open all at once. */
	if (left == 0) {
		release_pages(reader, LARGEST_PAGE);
		return 0;
	}
	if (left < FRAME_HEADER)
		return is_end(reader, 0, left)
		               ? 0
		               : no_frame(reader, 0, left, ret_frame, error);
	syc_frame_header(bytes, reader->big, ret_frame);
	if (ret_frame->len < FRAME_HEADER ||
	    (ret_frame->len & FRAME_ALIGN_MASK) != 0 || ret_frame->len > left)
		return is_end(reader, ret_frame->len, left)
		               ? 0
		               : no_frame(reader, ret_frame->len, left,
		                          ret_frame, error);
	ret_frame->offset = reader->position;
	reader->position += ret_frame->len;
	if (reader->mapping.data != NULL && reader->position <= reader->size &&
	    reader->position - reader->released >= 2 * RELEASE_SIZE)
		release_pages(reader, RELEASE_SIZE);
	const int r = syc_frame_decode(ret_frame, reader->big, error);
	if (reader->mapping.lost_at < reader->position)
		return tell_lost(reader, ret_frame->offset, error);
	return r < 0 ? r : 1;
}

void syscap_reader_rewind(struct syscap_reader *reader)
{
	reader->position = SYC_READER_HEADER;
	reader->released = 0;
}

int syscap_reader_seek(struct syscap_reader *reader, uint64_t offset)
{
	if (offset < SYC_READER_HEADER ||
	    offset > reader->size + reader->rest_size)
		return -EINVAL;
	/* Who reads piece by piece, and goes on where the last one ended, still
	 * has to give back what is behind. */
	if (offset == reader->position)
		return 0;
	reader->position = offset;
	/* Pages behind it are given back as it goes on. */
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
