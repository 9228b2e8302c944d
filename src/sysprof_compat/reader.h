/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.h - data and functions of a capture reader, for reader*.c, cursor.c
 * and writers that copy.
 */
#ifndef SYC_SYSPROF_COMPAT_READER_H
#define SYC_SYSPROF_COMPAT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sysprof-6/sysprof-capture-reader.h>
#include <sysprof-6/sysprof-capture-types.h>

struct syc_window {
	unsigned char *bytes;
	size_t n;        /* valid bytes */
	uint64_t offset; /* offset of the first byte in the file */
	int fd;
};

/** Open a window on @fd.  Returns 0 or -ENOMEM. */
int syc_window_open(struct syc_window *window, int fd);

/** Free the window, without a close of the fd. */
void syc_window_close(struct syc_window *window);

/* The paths of a capture's embedded files, each once. */

/** An all-zero list is empty. */
struct syc_file_list {
	const char **paths; /* the last is NULL if its copy failed */
	size_t n, capacity;
	size_t n_sorted; /* number of sorted paths, each once */
};

/*
 * Data of a capture reader.
 *
 * The reader checks a frame in the window before it returns the frame from the
 * window.  A caller that only needs the frame's type, or skips the frame,
 * touches only its header and a count.  The reader does further work on a frame
 * (ends of texts, byte order) once:
 *
 * In the host's order, the reader ends the texts when it returns the frame.
 *
 * In the other order, the reader does all work when it checks the frame.
 */

struct _SysprofCaptureReader {
	int32_t n_refs;
	int fd;
	bool is_foreign; /* whether the file's byte order is not the host's */
	char *filename;  /* or NULL */
	SysprofCaptureFileHeader header;
	int64_t end_time;
	struct syc_window window;
	size_t at;      /* position of the next frame in the window */
	size_t checked; /* end of the checked and known frames in the window */
	bool has_stat;
	SysprofCaptureStat stat;
	const char *message; /* message of the first error, or NULL */
	uint64_t bad_offset;
	struct syc_file_list files;
	bool has_files; /* the reader has searched the capture for files */
};

/** Offset of the next frame in the file. */
static inline uint64_t syc_reader_tell(const SysprofCaptureReader *reader)
{
	return reader->window.offset + reader->at;
}

/** Go to @offset, the start of a frame. */
void syc_reader_seek(SysprofCaptureReader *reader, uint64_t offset);

/** Set the file's name @filename, if it has no name yet. */
void syc_reader_name(SysprofCaptureReader *reader, const char *filename);

/**
 * Return the next frame, whole, and step past the frame.  A frame of a known
 * type is in the host's byte order.  Returns NULL if the capture ends.  The
 * frame is valid until the next call.
 */
SysprofCaptureFrame *syc_reader_next(SysprofCaptureReader *reader);

/**
 * Find the end time for a header without an end time: read all frames, once,
 * and go back to the first frame.
 */
void syc_reader_look_for_end(SysprofCaptureReader *reader);

/*
 * One frame of a file: check of the content against the length, and conversion
 * to the host's byte order.
 */

/**
 * Check that the @len bytes of @frame hold valid content, and end the frame's
 * texts.  syc_frame_settle_foreign() also converts the frame to the host's byte
 * order: the header always, and the other fields if they are valid.  Returns
 * NULL, or the reason why the frame can't be returned.  Unknown types are
 * valid.
 */
const char *syc_frame_settle(unsigned char *frame, size_t len);
const char *syc_frame_settle_foreign(unsigned char *frame, size_t len);

/** End the texts of @frame, which is valid and in the host's order. */
void syc_frame_end_texts(unsigned char *frame, size_t len);

/**
 * Check successive frames of the host's order at @bytes.  The check covers all
 * frames that begin within @most bytes and are whole within @size.  The check
 * ends at an invalid frame, an unknown frame, or a frame that must be settled
 * first.  Returns the size of the checked frames.  *@end_time becomes the
 * latest of its value and of the frames' ends.
 */
size_t syc_frames_check(const unsigned char *bytes, size_t size, size_t most,
                        int64_t *end_time);

#endif
