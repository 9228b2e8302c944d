/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffer.h - buffer for the frames of a writer, for one thread at a time and
 * its signal handlers.
 *
 * The buffer has two halves.  New frames go into one half.  The other half is
 * empty, or contains frames that are written, completely or in part.  A write
 * exchanges the halves, so that handlers find space during the write, and no
 * frame ever moves.  Some frames, such as names, must precede the frames of a
 * half in the file, although these frames are made later.  The writer puts such
 * frames before the half while the half waits.
 *
 * Calls nest: a handler enters on top of an interrupted call, and leaves before
 * the interrupted call continues.  Only the outermost call exchanges the halves
 * and writes, and only without an unfinished frame of its own.  So all frames
 * in the buffer are whole at a write.
 *
 * A call adds a frame in one of two ways:
 *
 *	         alone (syc_buffer_begin, _end)   shared (_enter ... _leave)
 *	enter    look at nest, store it          the same, and share()
 *	reserve  store end: announced only       compare-exchange place
 *	done     store next
 *	leave    store nest = 0                  next = place, place = 0
 *
 * An outermost call is alone if it adds one frame, with space for the frame and
 * without a handler on top.  Nearly all calls are alone.  A call that is alone
 * has plain stores only.  A handler on top finds nest set, and enters as a
 * shared call: share() reserves the announced frame.  After share() frames are
 * reserved by compare-exchanges until the outermost call has left.
 *
 * "A place" is half << 32 | bytes in this half.
 *
 * Invariants
 *
 *	B1  While `place` is 0, the next frame goes to `next`.  While `place`
 *	    is not 0, the frame goes to `place`, which has SYC_BUFFER_SHARED.
 *	    `place` only changes by a compare-exchange, one instruction to
 *	    handlers.  So each frame has one owner, and frames are contiguous.
 *	    With SYC_BUFFER_FOR_OWNER, the announced frame is at owner.  A
 *	    nested call that interrupted a returning call has announced
 *	    another frame.
 *
 *	B2  nest is the number of unfinished calls on the thread.  A handler
 *	    restores nest.
 *
 *	B3  waits[h], waiting[h], front[h] and sent[h] belong to the outermost
 *	    call, and count for the half without new frames.
 *
 *	B4  Frames below `next` are whole, after any interruption.  While nest
 *	    is not 0, only the outermost call changes `next`.  The call changes
 *	    `next` when its own frame is whole, at an exchange of the halves,
 *	    and at its end.
 *
 *	B5  `end` equals `next`, unless the outermost call has announced a
 *	    frame: that frame is [next, end).
 *
 * The words are in memory that the kernel zeroes in a forked child.  So the
 * child's buffer is empty, and the parent writes its own frames.  If a handler
 * forks on top of a call and the child returns into this call, the child finds
 * nest or end zero.  So the call's frame has no place in the child's buffer.
 *
 * Context of all functions: signal-safe, one thread at a time; errno is kept.
 */
#ifndef SYC_SYSPROF_COMPAT_BUFFER_H
#define SYC_SYSPROF_COMPAT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/emit.h>

/** Space for frames of handlers, beyond the size that the owner requested. */
#define SYC_BUFFER_SPARE ((size_t)64 * 1024)

/** Space before a half. */
#define SYC_BUFFER_FRONT ((size_t)64 * 1024)

#define SYC_BUFFER_SHARED (UINT64_C(1) << 63)
/** Flag: the frame that was announced when `place` was made is reserved. */
#define SYC_BUFFER_FOR_OWNER (UINT64_C(1) << 62)

/** Distance of prefetches. */
#define SYC_BUFFER_AHEAD 384

struct syc_buffer_words {
	uint64_t next;
	uint64_t end;
	uint64_t place; /* place of the next frame of shared calls; or 0 */
	uint64_t owner; /* place of the owner's frame: `next` when `place` was
	                 * made */
	uint32_t nest;
	bool is_writing;     /* a write is between syc_buffer_take() and
	                      * syc_buffer_sent() */
	bool wants_flush;    /* a handler requested a flush */
	bool waits[2];       /* the half waits for a write of: */
	uint32_t waiting[2]; /* number of bytes of the half, */
	uint32_t front[2];   /* number of bytes before the half */
	uint32_t sent[2];    /* number of written bytes of these two parts */
	uint32_t taken;      /* sent[] at syc_buffer_take() */
};

struct syc_buffer {
	struct syc_buffer_words *words;
	unsigned char *halves[2]; /* SYC_BUFFER_FRONT bytes precede each half */
	uint32_t size;            /* size at which the owner writes a half */
	uint32_t limit;    /* at most size: beyond limit a call must enter */
	uint32_t capacity; /* size of a half */
};

static inline void syc_buffer_set_nest(struct syc_buffer_words *words,
                                       uint32_t n)
{
	SYC_SIGNAL_FENCE();
	words->nest = n;
	SYC_SIGNAL_FENCE();
}

static inline unsigned syc_buffer_half(uint64_t place)
{
	return (unsigned)(place >> 32) & 1;
}

/* ---------------------------------------------------------------- shared */

/**
 * Begin a call.  Returns true if the call is the outermost call, which leaves
 * by syc_buffer_leave_last().
 */
bool syc_buffer_enter(struct syc_buffer *buffer);
void syc_buffer_leave(struct syc_buffer *buffer);

/**
 * Leave the outermost call, which has no unfinished frame.  Returns true if a
 * handler has entered during the call.  The caller then handles the handler's
 * request, and leaves again.
 */
bool syc_buffer_leave_last(struct syc_buffer *buffer);

/** Number of bytes in the half that gets new frames. */
static inline uint32_t syc_buffer_used(const struct syc_buffer *buffer)
{
	return (uint32_t)buffer->words->place;
}

/** Reserve space for a frame of @len bytes.  Returns NULL if there is no
 * space. */
unsigned char *syc_buffer_reserve(struct syc_buffer *buffer, uint32_t len);

/*
 * The following functions are for the outermost call.
 */

/**
 * Let a half wait for a write: the half that already waits, or the half with
 * new frames.  A half without frames waits only if @may_be_empty.  Returns
 * false if no half waits.
 */
bool syc_buffer_turn(struct syc_buffer *buffer, bool may_be_empty);

/**
 * Start of the waiting half, and so the end of the bytes before this half.
 * Returns NULL if the half already has bytes before its start, or was partly
 * written.
 */
unsigned char *syc_buffer_front(const struct syc_buffer *buffer);

/** Store that @n bytes are now before the waiting half. */
void syc_buffer_put_front(struct syc_buffer *buffer, uint32_t n);

/** Take the unwritten bytes of the waiting half. */
size_t syc_buffer_take(struct syc_buffer *buffer, const unsigned char **bytes);

/** Store that @n of the bytes from syc_buffer_take() are written. */
void syc_buffer_sent(struct syc_buffer *buffer, size_t n);

/**
 * Prepare for the end of the process, in any context.  A later call becomes the
 * outermost call, and syc_buffer_take() returns whole frames, even after a call
 * that was interrupted forever.  If the interrupted call was writing,
 * @n_written is its progress.
 */
void syc_buffer_salvage(struct syc_buffer *buffer, size_t n_written);

/**
 * Number of the last sent bytes that belong to an incompletely sent frame.
 */
size_t syc_buffer_torn(const struct syc_buffer *buffer);

/* ----------------------------------------------------------------- alone */

/**
 * Handle a handler that ran before the end of syc_buffer_begin().  If the
 * handler added frames after the announced frame, returns the announced frame,
 * and the call has begun.  Otherwise withdraws the announcement and returns
 * NULL, and the call must enter.
 */
unsigned char *syc_buffer_withdraw(struct syc_buffer *buffer);

/** Position of the frame of syc_buffer_begin(). */
struct syc_buffer_frame {
	unsigned char *at;
	uint64_t next; /* place after the frame; 0: no frame */
};

/**
 * Begin a call that adds one frame of @len bytes.  Returns false if the call
 * must enter.  If next is not 0, the caller must call syc_buffer_withdraw()
 * before.  This function does not call syc_buffer_withdraw(), because a
 * function without calls saves no registers.
 */
static inline __attribute__((always_inline)) bool
syc_buffer_begin(const struct syc_buffer *buffer, uint32_t len,
                 struct syc_buffer_frame *frame)
{
	struct syc_buffer_words *const words = buffer->words;

	frame->next = 0;
	/* A handler between load and store restores nest */
	if (SYC_UNLIKELY(words->nest != 0))
		return false;
	syc_buffer_set_nest(words, 1);
	const uint64_t at = words->next;
	/* `end` differs in a child, see above */
	if (SYC_UNLIKELY((uint32_t)at + len > buffer->limit ||
	                 words->end != at)) {
		syc_buffer_set_nest(words, 0);
		return false;
	}
	frame->next = at + len;
	words->end = frame->next;
	SYC_SIGNAL_FENCE();
	/* A handler has entered, or this process is already a forked child */
	if (SYC_UNLIKELY(words->place != 0 || words->nest != 1))
		return false;
	frame->at = buffer->halves[at >> 32] + (uint32_t)at;
	/* Halves are larger than the nearest cache.  Stores wait for one cache
	 * line after another, unless the lines are prefetched. */
	__builtin_prefetch(frame->at + SYC_BUFFER_AHEAD, 1);
	__builtin_prefetch(frame->at + SYC_BUFFER_AHEAD + 64, 1);
	return true;
}

/**
 * End a call, whose frame is complete.  Returns true if a handler has entered
 * during the call.  The caller then handles the handler's request as a new
 * outermost call.
 */
static inline __attribute__((always_inline)) bool
syc_buffer_end(const struct syc_buffer *buffer, uint64_t next)
{
	struct syc_buffer_words *const words = buffer->words;

	SYC_SIGNAL_FENCE();
	/* Store `next`, except in a child, because the frame is the parent's */
	if (SYC_LIKELY(words->nest == 1))
		words->next = next;
	syc_buffer_set_nest(words, 0);
	return words->place != 0;
}

#endif
