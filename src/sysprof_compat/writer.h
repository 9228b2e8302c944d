/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.h - data and functions of a capture writer: frames, names and fd, for
 * writer*.c and writer_fd.c.
 */
#ifndef SYC_SYSPROF_COMPAT_WRITER_H
#define SYC_SYSPROF_COMPAT_WRITER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <syscap/emit.h>
#include <sysprof-6/sysprof-capture-writer.h>

#include "base/text.h"
#include "sysprof_compat/buffer.h"

/* Header of a composed frame, and the text at its end. */

/** Write the header of a frame and its last 8 bytes. */
static inline __attribute__((always_inline)) void
syc_frame_head_write(unsigned char *frame, size_t len, unsigned type,
                     int64_t time, int cpu, int32_t pid)
{
	syc_store_word(frame, syc_head_word(len, cpu, pid));
	syc_store_word(frame + SYC_AT(frame, time), (uint64_t)time);
	syc_store_word(frame + len - 8, 0); /* stored first, because this may be
	                                     * a header word */
	syc_store_word(frame + SYC_AT(frame, type),
	               SYC_WORD(frame, type, type));
}

/* A text, or other bytes, at the end of a frame. */

/** The number of bytes of @text, at most @len, that fit with a NUL after @fixed
 * bytes. */
static inline size_t syc_frame_text_cut(const char *text, size_t len,
                                        size_t fixed)
{
	const size_t max = SYSCAP_FRAME_MAX - fixed - 1;

	return SYC_LIKELY(len <= max) ? len : syc_text_cut(text, len, max);
}

/** The result of syc_frame_text_cut() for the whole @text.  NULL is the empty
 * text. */
static inline size_t syc_frame_text_size(const char *text, size_t fixed)
{
	return syc_frame_text_cut(text, text != NULL ? strlen(text) : 0, fixed);
}

/** Copy @n bytes of @text.  The frame's last 8 bytes are already zero. */
static inline void syc_frame_text_copy(unsigned char *at, const char *text,
                                       size_t n)
{
	syc_text_copy(at, text, n);
}

/* Names that a writer has given to addresses. */

/** Longer names are cut. */
#define SYC_NAME_MAX 16383u

#define SYC_NAME_ROOTS 1024u

struct syc_name {
	struct syc_name *children[4];
	uint64_t hash;
	uint64_t address;
	uint32_t len;
	uint32_t reported; /* the owner's note whether the name is written */
	uint32_t gathered; /* the owner's number of the last frame with this
	                    * name */
	char text[];
};

struct syc_name_chunk;

/** Names of a writer.  In an empty table all fields are zero except next, the
 * first address. */
struct syc_names {
	struct syc_name *roots[SYC_NAME_ROOTS];
	struct syc_name_chunk *chunk;
	_Alignas(8) uint64_t next;
};

/**
 * Choose a first address for a file with several writers, scattered over the 32
 * bits that readers use.  Two processes with a hundred names each rarely have
 * equal addresses.
 */
uint64_t syc_names_scattered(void);

void syc_names_fini(struct syc_names *names);

/*
 * Names that are in no frame yet.
 *
 * Readers need a name before the frames that use the name.  So the name waits
 * until the writer writes its buffer, and precedes the buffer in one frame and
 * one write().  Therefore no frame is ever visible without its names.
 *
 * *waiting is the number of waiting names << 32 | their bytes in the frame.  An
 * exchange takes a slot, and then the call fills the slot.  A handler between
 * these two steps that uses the same name adds the name once more.  The handler
 * runs on top of a call, so all slots are filled before the write.
 *
 * exit() in a handler may find an unfilled slot.  An unfilled slot is empty, or
 * has a name that was written before.
 */

/** Greatest number of waiting names. */
#define SYC_PENDING_NAMES_MAX 4096u

struct syc_pending_names {
	uint64_t *waiting;       /* zeroed in a forked child */
	struct syc_name **names; /* space for SYC_PENDING_NAMES_MAX */
	uint32_t n_gathered;
};

/**
 * Put all waiting names before the waiting half of @buffer, as a frame with
 * @time and @pid.  Returns false if no name waits.  Only the outermost call
 * calls this function.  Context: signal-safe, one thread at a time.
 */
bool syc_pending_names_gather(struct syc_pending_names *pending,
                              struct syc_buffer *buffer, int64_t time,
                              int32_t pid);

/*
 * The fd of a writer's capture.
 *
 * Context of all functions except the open functions: signal-safe, one thread
 * at a time.
 */

struct syc_trace;

struct syc_out {
	int fd;
	bool is_file;  /* the header can be written again */
	bool is_stuck; /* the last write waited for the reader without
	                * success */
	int64_t begin; /* start time in the header */
	int64_t end;   /* latest time that the header has to cover */
	int64_t place; /* position of the fd before the current write */
	struct syc_trace *trace; /* trace shared with other processes, or
	                          * NULL */
};

/**
 * Take over @fd, truncate the file if @fd is a file, and write a header.
 * Returns 0; or -errno, with @fd closed.
 */
int syc_out_open(struct syc_out *out, int fd);

/** Share the fd in SYSPROF_TRACE_FD.  Returns 0 or -errno; -ENOENT: the
 * variable names no fd. */
int syc_out_open_shared(struct syc_out *out);

/**
 * Write @n bytes, whole frames, after the rest of an earlier frame.  *@ret_done
 * becomes the number of written bytes.  Returns 0, or -errno if some bytes are
 * not written.  -EAGAIN: the reader did not read within a second.  Later writes
 * do not wait until the reader reads again.
 */
int syc_out_write(struct syc_out *out, const unsigned char *bytes, size_t n,
                  size_t *ret_done);

/** Store the position in the file before a write. */
void syc_out_note_place(struct syc_out *out);

/**
 * Find the number of bytes in the file of a write that was interrupted forever.
 * Returns false if the number is unknown.
 */
bool syc_out_look_how_far(const struct syc_out *out, size_t *ret_n);

/** Update the header of a file.  Returns 0 or -errno. */
int syc_out_update(struct syc_out *out);

/**
 * Write the position of a file's last frame index into its header, unless
 * another process writes to the file.  @place is the end of this writer's last
 * write.
 */
void syc_out_tell_index(const struct syc_out *out, uint64_t index,
                        uint64_t place);

/** Close the fd.  The last @n_torn written bytes of a file are cut off. */
void syc_out_close(struct syc_out *out, size_t n_torn);

/* Frames that index a large capture. */

#define SYC_INDEX_EACH UINT64_C(65536)
#define SYC_INDEX_SIZE 32u

struct syc_index_chain {
	bool is_made;
	unsigned char *frame; /* the index in the buffer; NULL: none */
	uint64_t at;          /* position of the index when the last write
	                       * began */
	uint64_t last;        /* position of the newest written index; or 0 */
	uint64_t due;         /* number of frames at which an index is due */
	uint64_t place;       /* position of the next write, if there is no
	                       * other writer */
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

/** Store that @n bytes are about to be written at @place. */
void syc_index_chain_write(struct syc_index_chain *chain,
                           const unsigned char *bytes, size_t n, int64_t place);

/** Store that @done bytes of the write are written.  If the function returns
 * true, the caller stores chain->last in the header. */
bool syc_index_chain_wrote(struct syc_index_chain *chain, size_t done);

/*
 * State of a writer.
 *
 * buffer.h explains the protocol between signal handlers and interrupted
 * threads.  Outside of this protocol, only the outermost call or a single
 * instruction changes a field.
 */

#define SYSPROF_DROPIN_NO_INLINE

/** State in the memory that the kernel zeroes in a forked child. */
struct syc_writer_life {
	struct syc_buffer_words buffer;
	int32_t pid;
	uint32_t reported; /* names with this number are written, or wait */
	_Alignas(8) uint64_t pending; /* count of waiting names, see above */
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
	int32_t pid;           /* pid of the process that made the writer */
	uint32_t n_reported;   /* see life->reported */
	uint32_t next_counter; /* 0: use the process' numbers */
	int64_t flushed; /* time of the last flush, by the kernel's clock */
	int64_t looked;  /* frame time of the last check */
	_Alignas(8) uint64_t counts[SYSPROF_CAPTURE_FRAME_LAST];
};

static inline void syc_writer_count(uint64_t *word)
{
#if defined(__x86_64__)
	__asm__("incq %0" : "+m"(*word) : : "cc"); /* one instruction */
#else
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
#endif
}

/** Write the buffer.  Only an outermost call without a frame of its own calls
 * this function.  Returns 0 or -errno. */
int syc_writer_flush_frames(SysprofCaptureWriter *writer);

/** End the outermost call that has entered.  Returns true. */
bool syc_writer_leave_last(SysprofCaptureWriter *writer);

/**
 * Handle, at the call's end, the requests that handlers left to the interrupted
 * call.  Returns true.
 */
bool syc_writer_settle(SysprofCaptureWriter *writer);

/* Entry of a frame into a capture that a writer writes. */

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
 * Reserve a frame if syc_buffer_begin() was not tried, or failed.  Returns
 * false and sets errno if there is no space.
 */
bool syc_writer_enter(struct syc_adding *adding, uint32_t len, int64_t time);

/** Make the header also cover @time. */
static inline void syc_writer_cover(SysprofCaptureWriter *writer, int64_t time)
{
	/* The interrupted call may overwrite a handler's time.  No time is
	 * lost, because the next flush also covers its own time, which is later
	 * than the handler's time */
	if (time > writer->out.end)
		writer->out.end = time;
}

/** Return whether the clock must check the age of the buffer's frames. */
static inline bool syc_writer_is_due(const SysprofCaptureWriter *writer,
                                     int64_t time)
{
	const uint64_t since =
		(uint64_t)time - (uint64_t)writer->looked + SYC_WRITER_LOOK_NS;

	return SYC_UNLIKELY(since >= 2 * SYC_WRITER_LOOK_NS);
}

/** Write the header of a frame and its last 8 bytes, and count the frame. */
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
 * Begin to add a frame of @len bytes, rounded up to a multiple of 8: write the
 * frame's header and its last 8 bytes.  Returns true if the caller must fill
 * the frame, and call syc_adding_end().  Returns false and sets errno if no
 * frame is added.
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
 * Add a whole frame unchanged.  The frame's length is valid, and its type may
 * be unknown.
 */
bool syc_writer_add_raw(SysprofCaptureWriter *writer,
                        const SysprofCaptureFrame *frame);

#endif
