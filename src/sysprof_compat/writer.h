/* SPDX-License-Identifier: BSD-2-Clause */
/* writer.h - a capture that is being written, for writer*.c. */
#ifndef SYC_SYSPROF_COMPAT_WRITER_H
#define SYC_SYSPROF_COMPAT_WRITER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/emit.h>
#include <sysprof-6/sysprof-capture-writer.h>

#include "sysprof_compat/buffer.h"
#include "sysprof_compat/frame.h"
#include "sysprof_compat/names.h"
#include "sysprof_compat/out.h"

#define SYC_INDEX_EACH UINT64_C(65536)
#define SYC_INDEX_SIZE 32u

struct syc_index_chain {
	bool is_made;
	unsigned char *frame; /* the index in the buffer; NULL: none */
	uint64_t at;          /* position of the index when the last write
	                       * began */
	uint64_t last;        /* position of the newest written index; or 0 */
	uint64_t due;         /* number of frames at which an index is due */
	uint64_t place;       /* position of the next write, without other
	                       * writers */
};

/** Begin a chain for a file with one writer, with a header of @place bytes. */
void syc_index_chain_begin(struct syc_index_chain *chain, uint64_t place);

/** Number of frames that may come before the next index, after @n_frames. */
static inline uint64_t syc_index_chain_left(const struct syc_index_chain *chain,
                                            uint64_t n_frames)
{
	if (!chain->is_made)
		return UINT64_MAX;
	return chain->due > n_frames ? chain->due - n_frames : 0;
}

/** Note that @n bytes are about to be written at @place. */
void syc_index_chain_write(struct syc_index_chain *chain,
                           const unsigned char *bytes, size_t n, int64_t place);

/** Note that @done bytes of the write are written.  True: store chain->last in
 * the header. */
bool syc_index_chain_wrote(struct syc_index_chain *chain, size_t done);

/*
 * State of a writer.
 *
 * buffer.h explains the protocol between signal handlers and the threads that
 * they interrupt.  Only the outermost call, or a single instruction, changes
 * the other fields.
 */

#define SYSPROF_DROPIN_NO_INLINE

/** State in the memory that a forked child finds zeroed. */
struct syc_writer_life {
	struct syc_buffer_words buffer;
	int32_t pid;
	uint32_t reported; /* names with this number are written, or wait */
	uint64_t pending;  /* count of waiting names, see names.h */
	struct syc_index_chain chain;
};

struct _SysprofCaptureWriter {
	struct syc_writer_life *life;
	struct syc_buffer buffer;
	struct syc_out out;
	struct syc_names names;
	struct syc_pending_names pending;
	size_t map_size; /* size of the whole mapping, from life on */
	int32_t n_refs;
	int32_t pid;           /* pid of its maker */
	uint32_t n_reported;   /* see life->reported */
	uint32_t next_counter; /* 0: use the process' numbers */
	int64_t flushed;       /* time of the last flush, kernel's clock ... */
	int64_t looked;        /* ... and frame time of the last check */
	uint64_t counts[SYSPROF_CAPTURE_FRAME_LAST];
};

static inline void syc_writer_count(uint64_t *word)
{
#if defined(__x86_64__)
	__asm__("incq %0" : "+m"(*word) : : "cc"); /* one instruction */
#else
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
#endif
}

/** Write the buffer.  Called by the outermost call without a frame of its own.
 * Returns 0 or -errno. */
int syc_writer_flush_frames(SysprofCaptureWriter *writer);

/** End the outermost call that has entered; returns true. */
bool syc_writer_leave_last(SysprofCaptureWriter *writer);

/**
 * Handle the requests that handlers left to the interrupted call, at its end;
 * returns true.
 */
bool syc_writer_settle(SysprofCaptureWriter *writer);

/* Entry of a frame into a capture that is being written. */

/** A frame that is being added. */
struct syc_adding {
	SysprofCaptureWriter *writer;
	unsigned char *frame;
	uint64_t next; /* argument of syc_buffer_end(); 0: the call has
	                * entered */
	bool is_outermost;
};

/** A frame whose time is this far from the last check causes another check. */
#define SYC_WRITER_LOOK_NS UINT64_C(1000000000)

/**
 * Reserve a frame if syc_buffer_begin() was not tried, or failed.  False and
 * errno: no space.
 */
bool syc_writer_enter(struct syc_adding *adding, uint32_t len, int64_t time);

/** Make the header cover @time too. */
static inline void syc_writer_cover(SysprofCaptureWriter *writer, int64_t time)
{
	/* The interrupted call may overwrite a handler's time.  No time is
	 * lost, because the handler's time is before the next flush's time,
	 * which is covered, too */
	if (time > writer->out.end)
		writer->out.end = time;
}

/** Whether the age of the buffer's frames is to be checked by the clock. */
static inline bool syc_writer_is_due(const SysprofCaptureWriter *writer,
                                     int64_t time)
{
	const uint64_t since =
		(uint64_t)time - (uint64_t)writer->looked + SYC_WRITER_LOOK_NS;

	return SYC_UNLIKELY(since >= 2 * SYC_WRITER_LOOK_NS);
}

/** Write the header of a frame and its last 8 bytes, and count it. */
static inline __attribute__((always_inline)) void
syc_writer_put_head(SysprofCaptureWriter *writer, unsigned char *frame,
                    size_t len, unsigned type, int64_t time, int cpu,
                    int32_t pid)
{
	syc_frame_head_write(frame, len, type, time, cpu, pid);
	if (type < SYSPROF_CAPTURE_FRAME_LAST)
		syc_writer_count(&writer->counts[type]);
}

/**
 * Begin to add a frame of @len bytes, rounded up to a multiple of 8; write its
 * header and its last 8 bytes.  False and errno: the frame is not added.  True:
 * the caller fills the frame, and calls syc_adding_end().
 */
static inline __attribute__((always_inline)) bool
syc_adding_begin(SysprofCaptureWriter *writer, struct syc_adding *adding,
                 size_t len, unsigned type, int64_t time, int cpu, int32_t pid)
{
	if (SYC_UNLIKELY(writer == NULL || len > SYSCAP_FRAME_MAX)) {
		errno = EINVAL;
		return false;
	}
	len = (len + 7) & ~(size_t)7;
	struct syc_buffer_frame frame = { .next = 0 };
	const bool is_begun =
		!syc_writer_is_due(writer, time) &&
		syc_buffer_begin(&writer->buffer, (uint32_t)len, &frame);
	adding->writer = writer;
	adding->frame = frame.at;
	adding->next = frame.next;
	if (SYC_UNLIKELY(!is_begun) &&
	    !syc_writer_enter(adding, (uint32_t)len, time))
		return false;
	syc_writer_put_head(writer, adding->frame, len, type, time, cpu, pid);
	syc_writer_cover(writer, time);
	return true;
}

/** Refuse to add a frame, because of the error @code.  Returns false, for the
 * caller to return. */
static inline bool syc_adding_refuse(int code)
{
	errno = code;
	return false;
}

/** End the addition of a frame.  Returns true, for the caller to return. */
static inline __attribute__((always_inline)) bool
syc_adding_end(struct syc_adding *adding)
{
	SysprofCaptureWriter *const writer = adding->writer;

	if (SYC_LIKELY(adding->next != 0)) {
		if (SYC_UNLIKELY(syc_buffer_end(&writer->buffer, adding->next)))
			return syc_writer_settle(writer);
		return true;
	}
	if (adding->is_outermost)
		return syc_writer_leave_last(writer);
	syc_buffer_leave(&writer->buffer);
	return true;
}

/**
 * Add a whole frame unchanged.  Its length is valid, its type known or unknown.
 */
bool syc_writer_add_raw(SysprofCaptureWriter *writer,
                        const SysprofCaptureFrame *frame);

#endif
