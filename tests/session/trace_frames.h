/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_frames.h - frames that name their writers, and checks of these frames.
 *
 * W's N-th frame, counted from 0, has a length and bytes that follow from W and
 * N, so that no torn, doubled or mixed frame looks right.
 */
#ifndef TRACE_FRAMES_H
#define TRACE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/sink.h"

#define FRAMES_WRITERS 1024

/** A writer's trace, and the maximum length of its frames. */
struct frames_writer {
	struct syc_trace trace;
	unsigned id;
	unsigned next;    /* frame */
	uint32_t longest; /* bytes, at least 40 */
};

/** Adopt and open @number.  Fails the test on an error. */
void frames_open(struct frames_writer *writer, unsigned id, int number);

/**
 * Write the next @n frames, with waits of at most @wait_ms (-1: no limit).
 * Returns the result of syc_trace_write(), and advances next by the written
 * frames.
 */
int frames_write(struct frames_writer *writer, unsigned n, int wait_ms);

/** Bytes of one frame, 40 to @longest. */
uint32_t frames_length(unsigned id, unsigned n, uint32_t longest);

/** Fill @bytes with a frame. */
void frames_fill(unsigned char *bytes, unsigned id, unsigned n,
                 uint32_t length);

/** Frames of a capture. */
struct frames_seen {
	unsigned writers[FRAMES_WRITERS]; /* per writer: frames 0 to n - 1 */
	unsigned total;
	size_t torn_at; /* offset of a torn frame; 0: none */
};

/**
 * Examine a capture.  Fails the test unless the capture begins with a header,
 * and each frame is an intact test frame, and its writer's next.
 */
void frames_look(const void *bytes, size_t size, struct frames_seen *ret_seen);
void frames_look_at_file(int fd, struct frames_seen *ret_seen);

/** Examine a file's capture, which must not be torn. */
void frames_look_whole(int fd, struct frames_seen *ret_seen);

/** Read @fd up to its end, or @n bytes. */
unsigned char *frames_read(int fd, size_t n, size_t *ret_size);

/** Wait for a child, which must exit with 0. */
void frames_reap(int pid);

/** A new file in /tmp.  The file's name is removed at exit, or after 16 more
 * files. */
int frames_make_file(int flags);

/** Size of a file, and nanoseconds from now. */
uint64_t frames_size(int fd);
int64_t frames_in_ms(int ms);

#endif
