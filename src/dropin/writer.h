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

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <syscap/emit.h>
#define SYSPROF_DROPIN_NO_INLINE
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
	int32_t pid;           /* of who made it */
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
 * What a call has to do that does not just take room: write out what is there,
 * once a second too; or only say that a handler has asked for that.  0 or
 * -errno: a frame of @len bytes can't be added.
 */
int sc_writer_make_room(SysprofCaptureWriter *writer, uint32_t len,
                        int64_t time);
void sc_writer_flush_as_asked(SysprofCaptureWriter *writer);

/** Frames whose times are this far from the last look make us look again. */
#define SC_WRITER_LOOK_NS UINT64_C(1000000000)

static inline void sc_writer_count(uint64_t *word)
{
#if defined(__x86_64__)
	__asm__("incq %0" : "+m"(*word) : : "cc"); /* one, to handlers */
#else
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
#endif
}

/** Make the header cover @time too. */
static inline void sc_writer_cover(SysprofCaptureWriter *writer, int64_t time)
{
	/* A handler may be overruled by who it interrupted: then its time is
	 * before the next flush's, which counts too */
	if (time > writer->out.end)
		writer->out.end = time;
}

/**
 * Begin to add a frame of @len bytes, which is made a multiple of 8, its
 * header and its last 8 bytes written.  False and errno: it is not added.
 * Else the caller fills it and calls sc_writer_end().
 */
static inline __attribute__((always_inline)) bool
sc_writer_begin(SysprofCaptureWriter *writer, struct sc_adding *adding,
                size_t len, unsigned type, int64_t time, int cpu, int32_t pid)
{
	if (SC_UNLIKELY(writer == NULL || len > SYSCAP_FRAME_MAX)) {
		errno = EINVAL;
		return false;
	}
	len = (len + 7) & ~(size_t)7;
	struct sc_buffer *const buffer = &writer->buffer;
	const uint64_t since =
		(uint64_t)time - (uint64_t)writer->looked + SC_WRITER_LOOK_NS;
	int r = 0;
	adding->writer = writer;
	adding->is_outermost = sc_buffer_enter(buffer);
	if (SC_UNLIKELY(sc_buffer_used(buffer) + len > buffer->size ||
	                since >= 2 * SC_WRITER_LOOK_NS) &&
	    adding->is_outermost)
		r = sc_writer_make_room(writer, (uint32_t)len, time);
	unsigned char *const frame =
		r == 0 ? sc_buffer_reserve(buffer, (uint32_t)len) : NULL;
	if (SC_UNLIKELY(frame == NULL)) {
		sc_buffer_leave(buffer);
		errno = r != 0 ? -r : ENOBUFS;
		return false;
	}
	adding->frame = frame;
	sc_store_word(frame, (uint64_t)(uint32_t)pid << 32 |
	                             (uint64_t)(uint16_t)cpu << 16 | len);
	sc_store_word(frame + 8, (uint64_t)time);
	sc_store_word(frame + len - 8, 0);
	sc_store_word(frame + 16, type);
	if (type < SYSPROF_CAPTURE_FRAME_LAST)
		sc_writer_count(&writer->counts[type]);
	sc_writer_cover(writer, time);
	return true;
}

/** True, for the caller to return. */
static inline bool sc_writer_end(struct sc_adding *adding)
{
	SysprofCaptureWriter *const writer = adding->writer;
	const bool *const wants = &writer->life->buffer.wants_flush;

	if (SC_UNLIKELY(__atomic_load_n(wants, __ATOMIC_RELAXED)) &&
	    adding->is_outermost)
		sc_writer_flush_as_asked(writer);
	sc_buffer_leave(&writer->buffer);
	return true;
}

/**
 * Add a whole frame as it is.  Its length is right, its type one that is
 * known or not.
 */
bool sc_writer_add_raw(SysprofCaptureWriter *writer,
                       const SysprofCaptureFrame *frame);

/** The address of @name, which need not be written yet; 0: no memory. */
uint64_t sc_writer_name(SysprofCaptureWriter *writer, const char *name);

#endif
