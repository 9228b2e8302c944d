/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.h - a capture that is being read, for reader*.c, cursor.c and writers
 * that copy.
 */
#ifndef SYC_SYSPROF_COMPAT_READER_H
#define SYC_SYSPROF_COMPAT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sysprof-6/sysprof-capture-reader.h>

struct syc_window {
	unsigned char *bytes;
	size_t n;        /* valid bytes */
	uint64_t offset; /* of the first in the file */
	int fd;
};

/** 0 or -ENOMEM. */
int syc_window_open(struct syc_window *window, int fd);

/** Does not close the descriptor. */
void syc_window_close(struct syc_window *window);

/* The paths of a capture's embedded files, each once. */

/** All zero is an empty one. */
struct syc_file_list {
	const char **paths; /* a last one that could not be copied is NULL */
	size_t n, capacity;
	size_t n_sorted; /* so many are sorted, each once */
};

/** It is empty then. */
void syc_file_list_free(struct syc_file_list *files);

/*
 * A capture that is being read.
 *
 * A frame is checked in the window before it is returned from there.  A caller
 * that only needs its type, or skips it, touches only its header and a count.
 * Further work on a frame (ends of texts, byte order) is done once:
 *
 * for the host's order, texts when the frame is returned;
 *
 * for the other order, everything when it is checked.
 */

struct _SysprofCaptureReader {
	int32_t n_refs;
	int fd;
	bool is_foreign; /* the file's byte order is not the host's */
	char *filename;  /* or NULL */
	SysprofCaptureFileHeader header;
	int64_t end_time;
	struct syc_window window;
	size_t at;      /* in the window: begin of the next frame ... */
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

/** Go to @offset, the begin of a frame. */
void syc_reader_seek(SysprofCaptureReader *reader, uint64_t offset);

/** Remember that the file is called @filename too, if it has no name yet. */
void syc_reader_name(SysprofCaptureReader *reader, const char *filename);

/**
 * The next frame, whole, in the host's byte order as far as its type is
 * known, and step behind it.  NULL: the end.  Lives until the next call.
 */
SysprofCaptureFrame *syc_reader_next(SysprofCaptureReader *reader);

/**
 * For a header without an end time: look at all frames, once, and go back to
 * the first.
 */
void syc_reader_look_for_end(SysprofCaptureReader *reader);

#endif
