/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.h - a capture that is being read, as its parts share it.
 *
 * A frame is checked when one looks for the next, where it lies in the window,
 * and handed out from there.  Who only wants to know what it is, or to pass
 * over it, does not touch more of it than its header and a count.  What else is
 * to be done (texts are ended, the host's byte order) is done, once:
 *
 *	the host's order     texts when the frame is handed out
 *	the other            all of it when it is checked
 */
#ifndef SYC_DROPIN_READER_H
#define SYC_DROPIN_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <sysprof-6/sysprof-capture-reader.h>

#include "dropin/file_list.h"
#include "dropin/window.h"

struct _SysprofCaptureReader {
	int32_t n_refs;
	int fd;
	bool is_foreign; /* the file's byte order is not the host's */
	char *filename;  /* or NULL */
	SysprofCaptureFileHeader header;
	int64_t end_time;
	struct syc_window window;
	size_t at;      /* in the window: where the next frame begins ... */
	size_t checked; /* ... and ends, if it is checked and known */
	bool has_stat;
	SysprofCaptureStat stat;
	const char *message; /* of the first thing that was wrong; or NULL */
	uint64_t bad_offset;
	struct syc_file_list files;
	bool has_files; /* they were looked for */
};

/** Offset in the file of the frame that comes next. */
static inline uint64_t syc_reader_tell(const SysprofCaptureReader *reader)
{
	return reader->window.offset + reader->at;
}

/** Go to @offset, where a frame begins. */
void syc_reader_seek(SysprofCaptureReader *reader, uint64_t offset);

/** Remember that the file is called @filename too, if it has no name yet. */
void syc_reader_name(SysprofCaptureReader *reader, const char *filename);

/**
 * The next frame, whole, in the host's byte order as far as its type is
 * known, and step behind it.  NULL: the end.  Lives until the next call.
 */
SysprofCaptureFrame *syc_reader_next(SysprofCaptureReader *reader);

/** The header says nothing of the end: look at all frames, once, and go back to
 * the first. */
void syc_reader_look_for_end(SysprofCaptureReader *reader);

#endif
