/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-capture-reader.h - read a capture, frame by frame.
 *
 *	SysprofCaptureReader *reader = sysprof_capture_reader_new("a.syscap");
 *	SysprofCaptureFrameType type;
 *
 *	while (sysprof_capture_reader_peek_type(reader, &type)) {
 *		if (type == SYSPROF_CAPTURE_FRAME_MARK)
 *			show(sysprof_capture_reader_read_mark(reader));
 *		else if (!sysprof_capture_reader_skip(reader))
 *			break;
 *	}
 *
 * Whatever the bytes are, a reader does not abort, loop, or read outside of
 * its buffer.  Frames of types that are not known, and frames whose length is
 * right and whose content is not, are passed over where one looks for the
 * next (peek_type, peek_frame, skip); syscap_dropin_reader_get_error() tells
 * of them.  A length that can't be ends the capture: nothing behind it can be
 * found.  Both byte orders are read; frames come in the host's.
 *
 * One thread at a time per reader; references may be counted by any.  Several
 * readers may read one file.  NULL readers are answered like empty ones.
 */
#ifndef SYSPROF_CAPTURE_READER_H
#define SYSPROF_CAPTURE_READER_H

#include "sysprof-capture-types.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/** Of sysprof_capture_jitmap_iter_init(); lives where the caller wants. */
typedef struct {
	void *p1;
	void *p2;
	unsigned int u1;
	void *p3;
	void *p4;
} SysprofCaptureJitmapIter;

/**
 * Open a file, or take over a descriptor, which is closed also where that
 * fails.  The place where the descriptor stands is neither used nor changed.
 * NULL and errno: EBADMSG, not a capture; ENOTSUP, one of another version.
 * A device that has no bytes, as /dev/null, leaves errno as it was.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *sysprof_capture_reader_new(const char *filename);
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *sysprof_capture_reader_new_from_fd(int fd);

/** Another reader at the same place.  NULL and errno. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *sysprof_capture_reader_copy(SysprofCaptureReader *self);

SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *sysprof_capture_reader_ref(SysprofCaptureReader *self);

/** Drops a reference; the last one closes and frees. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_reader_unref(SysprofCaptureReader *self);

/** The file's: __LITTLE_ENDIAN or __BIG_ENDIAN of <endian.h>. */
SYSPROF_AVAILABLE_IN_ALL
int sysprof_capture_reader_get_byte_order(SysprofCaptureReader *self);

/**
 * The name that the reader was opened with, or saved as; NULL: by descriptor.
 * Of the reader.
 */
SYSPROF_AVAILABLE_IN_ALL
const char *sysprof_capture_reader_get_filename(SysprofCaptureReader *self);

/** The header's text of when it was made.  Of the reader. */
SYSPROF_AVAILABLE_IN_ALL
const char *sysprof_capture_reader_get_time(SysprofCaptureReader *self);

/** Where the capture begins, as the header says. */
SYSPROF_AVAILABLE_IN_ALL
int64_t sysprof_capture_reader_get_start_time(SysprofCaptureReader *self);

/**
 * Where it ends: the later of what the header says and of the frames that
 * were seen.  Where the header says nothing, all are looked at once.
 */
SYSPROF_AVAILABLE_IN_ALL
int64_t sysprof_capture_reader_get_end_time(SysprofCaptureReader *self);

/** Move behind the current frame.  False at the end. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_skip(SysprofCaptureReader *self);

/** What the current frame is, without moving.  False at the end. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_peek_type(SysprofCaptureReader *self,
                                      SysprofCaptureFrameType *type);
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_peek_frame(SysprofCaptureReader *self,
                                       SysprofCaptureFrame *frame);

/*
 * The current frame, and move behind it.  NULL, and nothing moves: it is of
 * another type, or this is the end.  What is returned lives until the next
 * call on the reader.
 */
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureLog *
sysprof_capture_reader_read_log(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureMap *
sysprof_capture_reader_read_map(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureMark *
sysprof_capture_reader_read_mark(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureMetadata *
sysprof_capture_reader_read_metadata(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureExit *
sysprof_capture_reader_read_exit(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureFork *
sysprof_capture_reader_read_fork(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureTimestamp *
sysprof_capture_reader_read_timestamp(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureProcess *
sysprof_capture_reader_read_process(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureSample *
sysprof_capture_reader_read_sample(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureTrace *
sysprof_capture_reader_read_trace(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureJitmap *
sysprof_capture_reader_read_jitmap(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureCounterDefine *
sysprof_capture_reader_read_counter_define(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureCounterSet *
sysprof_capture_reader_read_counter_set(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureFileChunk *
sysprof_capture_reader_read_file(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_3_36
const SysprofCaptureAllocation *
sysprof_capture_reader_read_allocation(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_3_40
const SysprofCaptureOverlay *
sysprof_capture_reader_read_overlay(SysprofCaptureReader *self);
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureDBusMessage *
sysprof_capture_reader_read_dbus_message(SysprofCaptureReader *self);

/** Back to the first frame.  True. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_reset(SysprofCaptureReader *self);

/**
 * Append what the file holds to what @dest writes: the same as
 * sysprof_capture_writer_cat(dest, self).
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_splice(SysprofCaptureReader *self,
                                   SysprofCaptureWriter *dest);

/** Copy the file to @filename, which is replaced.  False and errno. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_save_as(SysprofCaptureReader *self,
                                    const char *filename);

/**
 * Counts that a writer left with the reader (sysprof_capture_writer_create_
 * reader()) or that were set.  False: there are none.  @st_buf may be NULL.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_get_stat(SysprofCaptureReader *self,
                                     SysprofCaptureStat *st_buf);
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_reader_set_stat(SysprofCaptureReader *self,
                                     const SysprofCaptureStat *st_buf);

/** From here on: the first part of the embedded file @path, or NULL. */
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureFileChunk *
sysprof_capture_reader_find_file(SysprofCaptureReader *self, const char *path);

/**
 * The embedded files from here on, sorted, each once, and NULL at the end.
 * Free the array with free(); the names are the reader's.  Looked up once;
 * the reader is then at its end.  NULL and ENOMEM.
 */
SYSPROF_AVAILABLE_IN_ALL
const char **sysprof_capture_reader_list_files(SysprofCaptureReader *self);

/**
 * Write the embedded file @path, from here on, to @fd.  False and errno;
 * ENOENT: it is not there; EBADMSG: its end is missing, the rest is written.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_read_file_fd(SysprofCaptureReader *self,
                                         const char *path, int fd);

/**
 * Walk over the names of @jitmap, which a reader returned and which must
 * outlive the walk.  next: true and an address and its name, in the frame
 * (either may be NULL); false: that was all.
 */
SYSPROF_AVAILABLE_IN_3_38
void sysprof_capture_jitmap_iter_init(SysprofCaptureJitmapIter *iter,
                                      const SysprofCaptureJitmap *jitmap);
SYSPROF_AVAILABLE_IN_3_38
bool sysprof_capture_jitmap_iter_next(SysprofCaptureJitmapIter *iter,
                                      SysprofCaptureAddress *addr,
                                      const char **path);

/**
 * True: something in the file was wrong, first at @offset, and @message, which
 * lives as long as the program, says what.  Either may be NULL.  False: all
 * that was looked at up to now was whole and known.
 *
 * An addition of syscap's.
 */
SYSPROF_AVAILABLE_IN_ALL
bool syscap_dropin_reader_get_error(SysprofCaptureReader *self,
                                    uint64_t *offset, const char **message);

SYSPROF_END_DECLS

#endif
