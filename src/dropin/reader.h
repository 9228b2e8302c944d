/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.h - a capture that is being read, as its parts share it.
 *
 * The file is read forward into one buffer.  A frame stays there as it is in
 * the file until it is returned: then it is checked, brought into the host's
 * byte order, its texts ended, once, and passed.
 */
#ifndef SC_DROPIN_READER_H
#define SC_DROPIN_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <sysprof-6/sysprof-capture-reader.h>

struct sc_file_list {
	const char **paths; /* sorted */
	size_t n, capacity;
};

void sc_file_list_free(struct sc_file_list *files);

struct _SysprofCaptureReader {
	int32_t n_refs;
	int fd;
	bool is_foreign; /* the file's byte order is not the host's */
	char *filename;  /* or NULL */
	SysprofCaptureFileHeader header;
	int64_t end_time;
	unsigned char *buffer;
	size_t at, n;    /* buffer[at, n) is read and not passed */
	uint64_t offset; /* of buffer[0] in the file */
	bool has_stat;
	bool is_checked; /* the frame at `at` is one that may be returned */
	SysprofCaptureStat stat;
	const char *message; /* of the first thing that was wrong; or NULL */
	uint64_t bad_offset;
	struct sc_file_list files;
	bool has_files;
};

/** Offset in the file of the frame that comes next. */
static inline uint64_t sc_reader_tell(const SysprofCaptureReader *reader)
{
	return reader->offset + reader->at;
}

/** Go to @offset, where a frame begins. */
void sc_reader_seek(SysprofCaptureReader *reader, uint64_t offset);

/** Remember that the file is called @filename too, if it has no name yet. */
void sc_reader_name(SysprofCaptureReader *reader, const char *filename);

/**
 * The next frame, whole, in the host's byte order as far as its type is
 * known, and step behind it.  NULL: the end.  Lives until the next call.
 */
SysprofCaptureFrame *sc_reader_next(SysprofCaptureReader *reader);

/**
 * Check frame @frame of @len bytes, of the reader's byte order; and in the
 * same go, if @settle, bring it into the host's and end its texts.  NULL, or
 * why it can't be returned.  Types that are not known are right, and of them
 * only the header is touched.
 */
const char *sc_frame_settle(unsigned char *frame, size_t len, bool is_foreign,
                            bool settle);

#endif
