/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.h - a capture that is being written, as its parts share it.
 *
 * buffer.h says how signal handlers and the thread they interrupt keep out of
 * each other's way.  What is not in there is only touched by the outermost
 * call, or changes by one instruction.
 */
#ifndef SC_DROPIN_WRITER_H
#define SC_DROPIN_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include <sysprof-6/sysprof-capture-writer.h>

#include "dropin/buffer.h"
#include "dropin/names.h"
#include "dropin/out.h"

/** In the memory that a forked child finds zeroed. */
struct sc_writer_life {
	struct sc_buffer_words buffer;
	int32_t pid;
	uint32_t told; /* names with this number have been written by us */
};

struct _SysprofCaptureWriter {
	struct sc_writer_life *life;
	struct sc_buffer buffer;
	struct sc_out out;
	struct sc_names names;
	size_t map_size; /* of all of it, from life on */
	int32_t n_refs;
	uint32_t n_told;       /* see life->told */
	uint32_t next_counter; /* 0: those of the process are taken */
	int64_t flushed;       /* when, by the kernel's clock ... */
	int64_t looked;        /* ... and the frame time that made us look */
	uint64_t counts[SYSPROF_CAPTURE_FRAME_LAST];
};

/** A frame that is being added. */
struct sc_adding {
	SysprofCaptureWriter *writer;
	unsigned char *frame;
	bool is_outermost;
};

/**
 * Begin to add a frame of @len bytes, which is made a multiple of 8, its
 * header and its last 8 bytes written.  False and errno: it is not added.
 * Else the caller fills it and calls sc_writer_end().
 */
bool sc_writer_begin(SysprofCaptureWriter *writer, struct sc_adding *adding,
                     size_t len, unsigned type, int64_t time, int cpu,
                     int32_t pid);

/** True, for the caller to return. */
bool sc_writer_end(struct sc_adding *adding);

/** Make the header cover @time too. */
void sc_writer_cover(SysprofCaptureWriter *writer, int64_t time);

/**
 * Add a whole frame as it is.  Its length is right, its type one that is
 * known or not.
 */
bool sc_writer_add_raw(SysprofCaptureWriter *writer,
                       const SysprofCaptureFrame *frame);

/** The address of @name, which need not be written yet; 0: no memory. */
uint64_t sc_writer_name(SysprofCaptureWriter *writer, const char *name);

#endif
