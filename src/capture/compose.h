/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compose.h - composer of the frames that tools write themselves.
 *
 * Pure.  Every function fills a whole frame in the buffer and returns its
 * length.  Texts become valid UTF-8, and are cut between characters if they do
 * not fit.
 */
#ifndef SYC_CAPTURE_COMPOSE_H
#define SYC_CAPTURE_COMPOSE_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

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

/** @build_id: build-id in hex, or NULL. */
size_t syc_compose_map(union syc_frame_buffer *buffer, int32_t pid,
                       int64_t time, uint64_t start, uint64_t end,
                       uint64_t offset, const char *path, const char *build_id);

/** @pid forked @child, which inherits its mappings. */
size_t syc_compose_fork(union syc_frame_buffer *buffer, int32_t pid,
                        int64_t time, int32_t child);

size_t syc_compose_exit(union syc_frame_buffer *buffer, int32_t pid,
                        int64_t time);

/** @tid goes into padding2 unless it is 0. */
size_t syc_compose_log(union syc_frame_buffer *buffer, int32_t pid, int32_t tid,
                       int64_t time, uint16_t severity, const char *domain,
                       const char *message);

size_t syc_compose_metadata(union syc_frame_buffer *buffer, int64_t time,
                            const char *id, const char *value);

/** Name of a thread: METADATA "syscap.thread". */
size_t syc_compose_thread(union syc_frame_buffer *buffer, int32_t pid,
                          int32_t tid, int64_t time, const char *name);

/** Compose a JITMAP of one name. */
size_t syc_compose_name(union syc_frame_buffer *buffer, int32_t pid,
                        int64_t time, uint64_t address, const char *name);

/**
 * The frame contains as many addresses as fit, the innermost first.  A longer
 * stack is cut.  @ticks is at most SYC_COMPOSE_TICKS.
 */
size_t syc_compose_sample(union syc_frame_buffer *buffer, int64_t time,
                          const struct syscap_writer_sample *sample,
                          uint32_t ticks);

#define SYC_COMPOSE_TICKS (~SYSCAP_WEIGHT_TAG_MASK)

#endif
