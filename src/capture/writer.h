/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.h - write a capture file, whole frames only.
 *
 * Frames are gathered and go out in one write() a batch, so that whoever
 * reads the file meanwhile, or after the writer was killed, finds whole
 * frames with at most one torn behind them.  The first failure is kept: from
 * then on frames are counted as dropped, and the file ends at the last whole
 * frame that reached it.
 *
 * One thread at a time.  SIGXFSZ and SIGPIPE must be ignored or blocked.
 */
#ifndef SC_CAPTURE_WRITER_H
#define SC_CAPTURE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

struct sc_writer;

struct sc_writer_totals {
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
int sc_writer_open(const char *path, bool force, struct sc_writer **ret_writer,
                   struct syscap_error *error);

/** Empty the file and write the header; @time, ns, is where it begins. */
int sc_writer_begin(struct sc_writer *writer, int64_t time,
                    struct syscap_error *error);

/** The same for what was captured at another time: @capture_time is a text. */
int sc_writer_begin_as(struct sc_writer *writer, int64_t time,
                       const char *capture_time, struct syscap_error *error);

/** Take one frame (any struct syscap_wire_...); its len is believed. */
void sc_writer_add(struct sc_writer *writer, const void *frame);

/** Write out what was taken.  Returns 0, or the first failure there was. */
int sc_writer_flush(struct sc_writer *writer);

/** How many bytes wait for a flush. */
size_t sc_writer_pending(const struct sc_writer *writer);

void sc_writer_totals(const struct sc_writer *writer,
                      struct sc_writer_totals *ret_totals);

/** Flush, and write @end_time into the header where that can be done. */
int sc_writer_finish(struct sc_writer *writer, int64_t end_time);

/**
 * Close the file.  One that sc_writer_open() made and sc_writer_begin() was
 * never called for is removed again.
 */
void sc_writer_close(struct sc_writer *writer);

#endif
