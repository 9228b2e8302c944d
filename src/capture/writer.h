/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.h - writer of whole frames into capture files.
 *
 * The writer collects frames in batches, and writes each batch by one write().
 * So a reader of an unfinished file finds whole frames, followed by at most one
 * torn frame.
 *
 * The writer keeps its first failure, counts later frames as dropped, and ends
 * the file at the last whole frame.  The header of a regular file stores the
 * losses, from which readers get a loss record (base/loss_record.h).
 *
 * Only one thread at a time uses a writer.  SIGXFSZ and SIGPIPE must be ignored
 * or blocked.
 */
#ifndef SYC_CAPTURE_WRITER_H
#define SYC_CAPTURE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

/*
 * Composer of the frames that tools write.
 *
 * Every function fills a whole frame in the buffer and returns the frame's
 * length, without side effects.  The writer converts texts to valid UTF-8, and
 * truncates long texts at a character boundary.
 */

union syc_frame_buffer {
	struct syscap_wire_frame frame;
	struct syscap_wire_map map;
	struct syscap_wire_fork fork;
	struct syscap_wire_mark mark;
	struct syscap_wire_metadata metadata;
	struct syscap_wire_log log;
	struct syscap_wire_sample sample;
	struct syscap_wire_jitmap jitmap;
	unsigned char bytes[SYSCAP_FRAME_MAX];
};

size_t syc_compose_process(union syc_frame_buffer *buffer, int32_t pid,
                           int64_t time, const char *cmdline);

/** Compose a MAP.  @build_id is in hex, or NULL. */
size_t syc_compose_map(union syc_frame_buffer *buffer, int32_t pid,
                       int64_t time, uint64_t start, uint64_t end,
                       uint64_t offset, const char *path, const char *build_id);

/** Compose a FORK: @pid forked @child, which inherits the mappings. */
size_t syc_compose_fork(union syc_frame_buffer *buffer, int32_t pid,
                        int64_t time, int32_t child);

size_t syc_compose_exit(union syc_frame_buffer *buffer, int32_t pid,
                        int64_t time);

/** Compose a LOG.  padding2 stores @tid unless @tid is 0. */
size_t syc_compose_log(union syc_frame_buffer *buffer, int32_t pid, int32_t tid,
                       int64_t time, uint16_t severity, const char *domain,
                       const char *message);

size_t syc_compose_metadata(union syc_frame_buffer *buffer, int64_t time,
                            const char *id, const char *value);

/** Compose the name of a thread, METADATA "syscap.thread". */
size_t syc_compose_thread(union syc_frame_buffer *buffer, int32_t pid,
                          int32_t tid, int64_t time, const char *name);

/** Compose a JITMAP of one name. */
size_t syc_compose_name(union syc_frame_buffer *buffer, int32_t pid,
                        int64_t time, uint64_t address, const char *name);

/**
 * Compose a SAMPLE, with as many addresses as fit, the innermost first.  @ticks
 * is at most SYC_COMPOSE_TICKS.
 */
size_t syc_compose_sample(union syc_frame_buffer *buffer, int64_t time,
                          const struct syscap_writer_sample *sample,
                          uint32_t ticks);

#define SYC_COMPOSE_TICKS (~SYSCAP_WEIGHT_TAG_MASK)

struct syc_writer;

struct syc_writer_totals {
	uint64_t frames;  /* taken frames, which a flush writes into the file */
	uint64_t bytes;   /* size of the file, header included */
	uint64_t dropped; /* frames at and after a failure */
	/* Numbers of the kept and the dropped samples and allocations, without
	 * stacks of waits and without frees. */
	struct syc_writer_count {
		uint64_t kept, dropped;
	} samples, allocations;
	bool is_regular; /* the file can be read again */
	int error;       /* -errno of the first failure, or 0 */
};

/**
 * Open or create the file at @path, without a change of its content.  Refuses a
 * file that is neither empty nor a capture with EEXIST, unless @force.  Refuses
 * a file that another recorder writes with EBUSY.
 */
int syc_writer_open(const char *path, bool force,
                    struct syc_writer **ret_writer, struct syscap_error *error);

/** Truncate the file, and write the header.  The capture begins at @time, in
 * ns. */
int syc_writer_begin(struct syc_writer *writer, int64_t time,
                     struct syscap_error *error);

/**
 * Like syc_writer_begin(), with the date @capture_time (a text) in the header.
 */
int syc_writer_begin_as(struct syc_writer *writer, int64_t time,
                        const char *capture_time, struct syscap_error *error);

/**
 * Take one frame (any struct syscap_wire_...), without a check of the frame's
 * len.
 */
void syc_writer_add(struct syc_writer *writer, const void *frame);

/**
 * Write all taken frames, and store the losses of dropped frames in the header.
 * Returns 0, or the first failure.
 */
int syc_writer_flush(struct syc_writer *writer);

/** Return the number of bytes that wait for a flush. */
size_t syc_writer_pending(const struct syc_writer *writer);

void syc_writer_totals(const struct syc_writer *writer,
                       struct syc_writer_totals *ret_totals);

/** Flush, and write @end_time into the header if possible. */
int syc_writer_finish(struct syc_writer *writer, int64_t end_time);

/**
 * Discard an incomplete capture after syc_writer_begin(): empty the regular
 * file, which syc_writer_close() removes unless the path is a link.
 */
void syc_writer_discard(struct syc_writer *writer);

/**
 * Close the file.  If syc_writer_open() created the file and syc_writer_begin()
 * was never called, remove the file.
 */
void syc_writer_close(struct syc_writer *writer);

#endif
