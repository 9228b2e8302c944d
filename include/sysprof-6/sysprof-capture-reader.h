/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-capture-reader.h - reader of captures, frame by frame.
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
 * Malformed bytes do not make a reader abort, loop, or read outside its buffer.
 * The functions peek_type, peek_frame and skip pass over frames of unknown
 * types, and over frames with a valid length and malformed content.
 * syscap_dropin_reader_get_error() reports such frames.  An invalid length ends
 * the capture, since the reader cannot find later frames.  The reader accepts
 * both byte orders, and returns frames in the byte order of the host.
 *
 * One thread at a time may use a reader, but any thread may count references.
 * Several readers may read one file.  A NULL reader counts as an empty reader.
 */
#ifndef SYSPROF_CAPTURE_READER_H
#define SYSPROF_CAPTURE_READER_H

#include "sysprof-capture-types.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/** State of sysprof_capture_jitmap_iter_init(), which the caller allocates. */
typedef struct {
	void *p1;
	void *p2;
	unsigned int u1;
	void *p3;
	void *p4;
} SysprofCaptureJitmapIter;

/**
 * Open a file, or take over an fd, and close the fd even if the call fails.
 * The reader neither uses nor changes the fd's position.
 *
 * Returns NULL and sets errno.  EBADMSG: not a capture; ENOTSUP: another
 * version.  An empty device, such as /dev/null, does not set errno.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *sysprof_capture_reader_new(const char *filename);
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *sysprof_capture_reader_new_from_fd(int fd);

/** Make another reader at the same position.  Returns NULL and sets errno. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *sysprof_capture_reader_copy(SysprofCaptureReader *self);

/** Add a reference. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *sysprof_capture_reader_ref(SysprofCaptureReader *self);

/** Drop a reference; the last drop closes and frees the reader. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_reader_unref(SysprofCaptureReader *self);

/** Get the file's byte order: __LITTLE_ENDIAN or __BIG_ENDIAN of <endian.h>. */
SYSPROF_AVAILABLE_IN_ALL
int sysprof_capture_reader_get_byte_order(SysprofCaptureReader *self);

/**
 * Get the name of the opened or saved file; NULL: opened by fd.  The reader
 * owns the name.
 */
SYSPROF_AVAILABLE_IN_ALL
const char *sysprof_capture_reader_get_filename(SysprofCaptureReader *self);

/** Get the date in the header, as text, which the reader owns. */
SYSPROF_AVAILABLE_IN_ALL
const char *sysprof_capture_reader_get_time(SysprofCaptureReader *self);

/** Get the start of the capture, from its header. */
SYSPROF_AVAILABLE_IN_ALL
int64_t sysprof_capture_reader_get_start_time(SysprofCaptureReader *self);

/**
 * Get the end of the capture: the header's end, or the time of a later frame
 * that was read.  If the header has no end, the first call reads all frames.
 */
SYSPROF_AVAILABLE_IN_ALL
int64_t sysprof_capture_reader_get_end_time(SysprofCaptureReader *self);

/** Move to the next frame.  Returns false at the end. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_skip(SysprofCaptureReader *self);

/** Get the current frame, or its type, without moving.  Returns false at the
 * end. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_peek_type(SysprofCaptureReader *self,
                                      SysprofCaptureFrameType *type);
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_peek_frame(SysprofCaptureReader *self,
                                       SysprofCaptureFrame *frame);

/**
 * Get the current frame and move to the next.  Returns NULL, without moving, at
 * the end or if the frame has another type.  The result is valid until the next
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

/** Go back to the first frame.  Returns true. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_reset(SysprofCaptureReader *self);

/** Append the file's content to @dest, as sysprof_capture_writer_cat() does. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_splice(SysprofCaptureReader *self,
                                   SysprofCaptureWriter *dest);

/** Copy the file to @filename, replacing it.  Returns false and sets errno. */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_save_as(SysprofCaptureReader *self,
                                    const char *filename);

/**
 * Get or set frame counts.  sysprof_capture_writer_create_reader() also sets
 * counts.  Returns false if there are no counts.  @st_buf may be NULL.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_get_stat(SysprofCaptureReader *self,
                                     SysprofCaptureStat *st_buf);
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_reader_set_stat(SysprofCaptureReader *self,
                                     const SysprofCaptureStat *st_buf);

/** Find the first part of the embedded file @path from here on; NULL: none. */
SYSPROF_AVAILABLE_IN_ALL
const SysprofCaptureFileChunk *
sysprof_capture_reader_find_file(SysprofCaptureReader *self, const char *path);

/**
 * List the embedded files from here on, sorted, each once, with NULL at the
 * end.  The caller frees the array by free(), and the reader owns the names.
 * The search happens once and leaves the reader at its end.  On failure,
 * returns NULL and sets ENOMEM.
 */
SYSPROF_AVAILABLE_IN_ALL
const char **sysprof_capture_reader_list_files(SysprofCaptureReader *self);

/**
 * Write the embedded file @path, from here on, to @fd.  Returns false and sets
 * errno.  ENOENT: the capture has no file @path.  EBADMSG: the file's end is
 * missing, and the rest was written.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_reader_read_file_fd(SysprofCaptureReader *self,
                                         const char *path, int fd);

/**
 * Walk over the names of @jitmap, a frame of a reader that must outlive the
 * walk.  next stores an address and its name, which is in the frame.  Either
 * pointer may be NULL.  At the end, next returns false.
 */
SYSPROF_AVAILABLE_IN_3_38
void sysprof_capture_jitmap_iter_init(SysprofCaptureJitmapIter *iter,
                                      const SysprofCaptureJitmap *jitmap);
SYSPROF_AVAILABLE_IN_3_38
bool sysprof_capture_jitmap_iter_next(SysprofCaptureJitmapIter *iter,
                                      SysprofCaptureAddress *addr,
                                      const char **path);

/**

 * Get the first error in the part of the file that was read.  Returns true and
 * stores the error's @offset and a static @message, or returns false if there
 * is no error.  @offset and @message may be NULL.
 *
 * This function is an addition by syscap.
 */
SYSPROF_AVAILABLE_IN_ALL
bool syscap_dropin_reader_get_error(SysprofCaptureReader *self,
                                    uint64_t *offset, const char **message);

SYSPROF_END_DECLS

#endif
