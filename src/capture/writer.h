/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.h - write a capture file, whole frames only.
 *
 * Frames are gathered and go out in one write() a batch, so that whoever
 * reads the file meanwhile, or after the writer was killed, finds whole
 * frames with at most one torn behind them.  The first failure is kept: from
 * then on frames are counted as dropped, and the file ends at the last whole
 * frame that reached it.  What was dropped stands in the header of a regular
 * file that has one by then, and readers have a loss record of it:
 * base/header_losses.h.
 *
 * One thread at a time.  SIGXFSZ and SIGPIPE must be ignored or blocked.
 */
#ifndef SYC_CAPTURE_WRITER_H
#define SYC_CAPTURE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

struct syc_writer;

struct syc_writer_totals {
	uint64_t frames;  /* taken; those in the file once flushed */
	uint64_t bytes;   /* of the file, header included */
	uint64_t dropped; /* frames that came after a failure, or with it */
	int error;        /* -errno of the first failure, or 0 */
};

/**
 * Take hold of the file at @path; it is made if there is none.  Nothing in it
 * is changed yet.  A file that is neither empty nor a capture is refused with
 * EEXIST unless @force; one that another recorder writes, with EBUSY.
 */
int syc_writer_open(const char *path, bool force,
                    struct syc_writer **ret_writer, struct syscap_error *error);

/** Empty the file and write the header; @time, ns, is where it begins. */
int syc_writer_begin(struct syc_writer *writer, int64_t time,
                     struct syscap_error *error);

/** The same for what was captured at another time: @capture_time is a text. */
int syc_writer_begin_as(struct syc_writer *writer, int64_t time,
                        const char *capture_time, struct syscap_error *error);

/** Take one frame (any struct syscap_wire_...); its len is believed. */
void syc_writer_add(struct syc_writer *writer, const void *frame);

/**
 * Write out what was taken, or into the header what was dropped.  Returns 0, or
 * the first failure there was.
 */
int syc_writer_flush(struct syc_writer *writer);

/** How many bytes wait for a flush. */
size_t syc_writer_pending(const struct syc_writer *writer);

void syc_writer_totals(const struct syc_writer *writer,
                       struct syc_writer_totals *ret_totals);

/** Flush, and write @end_time into the header where that can be done. */
int syc_writer_finish(struct syc_writer *writer, int64_t end_time);

/**
 * Close the file.  One that syc_writer_open() made and syc_writer_begin() was
 * never called for is removed again.
 */
void syc_writer_close(struct syc_writer *writer);

#endif
