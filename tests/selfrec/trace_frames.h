/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_frames.h - frames that tell who wrote them, and what became of them.
 *
 * A frame of writer W is the N-th of it, counted from 0.  Its length follows
 * from both, and all of its bytes too, so that nothing that is torn, doubled
 * or mixed up looks right.
 */
#ifndef TRACE_FRAMES_H
#define TRACE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "selfrec/trace_adopt.h"
#include "selfrec/trace_fd.h"

#define FRAMES_WRITERS 1024

/** A writer's trace, and how long its frames get. */
struct frames_writer {
	struct syc_trace trace;
	unsigned id;
	unsigned next;    /* frame */
	uint32_t longest; /* bytes, at least 40 */
};

/** Adopt and open @number.  Fails the test if that does not go. */
void frames_open(struct frames_writer *writer, unsigned id, int number);

/**
 * Write the next @n frames, waiting @wait_ms for
 * whatever must be waited for (-1: as long as it takes).  What syc_trace_write
 * returned; next is moved on by the frames that are out.
 */
int frames_write(struct frames_writer *writer, unsigned n, int wait_ms);

/** Bytes of one frame, 40 to @longest. */
uint32_t frames_length(unsigned id, unsigned n, uint32_t longest);

/** Fill @bytes with a frame. */
void frames_fill(unsigned char *bytes, unsigned id, unsigned n,
                 uint32_t length);

/** What a capture holds. */
struct frames_seen {
	unsigned writers[FRAMES_WRITERS]; /* frames of each: 0 to that - 1 */
	unsigned total;
	size_t torn_at; /* where no whole frame begins; 0: it is whole */
};

/**
 * Look at a capture.  Fails the test unless it begins with a header and each
 * frame is one of ours, unharmed, and next in turn for its writer.
 */
void frames_look(const void *bytes, size_t size, struct frames_seen *ret_seen);
void frames_look_at_file(int fd, struct frames_seen *ret_seen);

/** The same, and it must be whole. */
void frames_look_whole(int fd, struct frames_seen *ret_seen);

/** Read @fd until its end, or until @n bytes are there. */
unsigned char *frames_read(int fd, size_t n, size_t *ret_size);

/** Wait for a child that must exit with 0. */
void frames_reap(int pid);

/** A new file in /tmp.  Its name is removed at exit, or after 16 more files. */
int frames_make_file(int flags);

/** Size of a file, and nanoseconds from now. */
uint64_t frames_size(int fd);
int64_t frames_in_ms(int ms);

#endif
