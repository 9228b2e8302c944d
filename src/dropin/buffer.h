/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffer.h - where a writer's frames wait, for one thread at a time and the
 * signal handlers that interrupt it.
 *
 * Two halves.  Frames are put in one of them; the other is empty, or holds
 * frames that are being written out, or were in part.  To write means to take
 * the halves' turns about: so handlers find room while a write is under way,
 * and nothing is ever moved.  What has to be read before the frames of a half
 * and was not known before them is put in front of it when it waits.
 *
 * Calls nest: a handler enters on top of what it interrupted, and leaves
 * before that goes on.  Only the outermost call takes turns about and writes,
 * and only while it has no frame of its own under way.  Then all frames in
 * the buffer are whole.
 *
 * A frame is put in one of two ways:
 *
 *	         alone (syc_buffer_begin, _end)   shared (syc_buffer_enter ... leave)
 *	enter    look at nest, store it          the same, and share()
 *	reserve  store end: announced only       compare-exchange place
 *	done     store next
 *	leave    store nest = 0                  next = place, place = 0
 *
 * Alone is an outermost call that adds one frame, with room for it and with
 * no handler on top: nearly all are.  It has plain stores only.  A handler
 * that comes on top finds nest, and enters the other way: share() reserves
 * what was announced, and from there on frames are reserved by compare-
 * exchanges until the outermost call has left.
 *
 * "A place" is half << 32 | bytes in it.
 *
 * Invariants
 *	B1  While `place` is 0, `next` is where the next frame goes; else place
 *	    is, with SYC_BUFFER_SHARED, and only changes by a compare-exchange
 *	    that is one instruction to handlers.  So a frame belongs to who
 *	    reserved it, and frames lie in a row.  Where it has
 *	    SYC_BUFFER_FOR_OWNER, the frame that was announced is at owner:
 *	    a later call, on top of one that is leaving, has announced another.
 *	B2  nest is how many calls are under way on the thread.  A handler
 *	    leaves it as it found it.
 *	B3  waits[h], waiting[h], front[h] and sent[h] are the outermost call's
 *	    alone, and count for the half where frames are not put.
 *	B4  frames below `next` are whole, whatever was interrupted.  While
 *	    nest is not 0 it changes only by the outermost call: when its own
 *	    frame is whole, when it takes turns about, when it leaves.
 *	B5  `end` is `next`, but while the outermost call has announced a
 *	    frame: that is [next, end).
 *
 * The words live in memory that a forked child finds zeroed: its buffer is
 * empty, and what the parent's held is the parent's to write.  Where a handler
 * forked on top of a call and the child goes back into that, it finds nest or
 * end zero, and that its frame has no place any more.
 *
 * Context of all functions: signal-safe, one thread at a time; errno is kept.
 */
#ifndef SYC_BUFFER_H
#define SYC_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/emit.h>

/** Room for frames of handlers, beyond the size that the owner asked for. */
#define SYC_BUFFER_SPARE ((size_t)64 * 1024)

/** Room in front of a half. */
#define SYC_BUFFER_FRONT ((size_t)64 * 1024)

#define SYC_BUFFER_SHARED (UINT64_C(1) << 63)
/** What was announced when place was made is reserved. */
#define SYC_BUFFER_FOR_OWNER (UINT64_C(1) << 62)

/** Where the processor is told to look in time. */
#define SYC_BUFFER_AHEAD 384

struct syc_buffer_words {
	uint64_t next;
	uint64_t end;
	uint64_t place; /* 0: not shared */
	uint64_t owner; /* next when place was made: where its frame begins */
	uint32_t nest;
	bool is_writing;     /* between syc_buffer_take() and _sent() */
	bool wants_flush;    /* a handler asked for it */
	bool waits[2];       /* a half is to be written: */
	uint32_t waiting[2]; /* so many bytes of it ... */
	uint32_t front[2];   /* ... behind those in front of it ... */
	uint32_t sent[2];    /* ... and of both so many are */
	uint32_t taken;      /* sent[] when syc_buffer_take() gave the rest */
};

struct syc_buffer {
	struct syc_buffer_words *words;
	unsigned char *halves[2]; /* SYC_BUFFER_FRONT bytes are before each */
	uint32_t size;            /* at which the owner writes it out */
	uint32_t limit;    /* at most size: beyond it a call has to enter */
	uint32_t capacity; /* of a half */
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
 * Begin a call.  True: it is the outermost one, which leaves by
 * syc_buffer_leave_last().
 */
bool syc_buffer_enter(struct syc_buffer *buffer);
void syc_buffer_leave(struct syc_buffer *buffer);

/**
 * The outermost call has nothing under way any more.  True: a handler has
 * entered meanwhile; see what it wants, and leave again.
 */
bool syc_buffer_leave_last(struct syc_buffer *buffer);

/** Bytes in the half that frames go to. */
static inline uint32_t syc_buffer_used(const struct syc_buffer *buffer)
{
	return (uint32_t)buffer->words->place;
}

/** Room for a frame of @len bytes, or NULL. */
unsigned char *syc_buffer_reserve(struct syc_buffer *buffer, uint32_t len);

/*
 * For the outermost call.
 */

/**
 * A half waits to be written: the one that does already, or the one with
 * frames, and where it has none only if @may_be_empty.  False: none does.
 */
bool syc_buffer_turn(struct syc_buffer *buffer, bool may_be_empty);

/**
 * Where the half that waits begins, for bytes that shall go before it: they
 * end here.  NULL: there are some, or it is sent in part.
 */
unsigned char *syc_buffer_front(const struct syc_buffer *buffer);

/** @n bytes are there. */
void syc_buffer_put_front(struct syc_buffer *buffer, uint32_t n);

/** What is still to be written of the half that waits. */
size_t syc_buffer_take(struct syc_buffer *buffer, const unsigned char **bytes);

/** @n of those that syc_buffer_take() told are written. */
void syc_buffer_sent(struct syc_buffer *buffer, size_t n);

/**
 * For the end of the process, from wherever it comes: sees to it that who
 * enters now is the outermost call, and that syc_buffer_take() gives whole
 * frames, though a call may have been interrupted for ever.  Where that was
 * writing, @n_written says how far it came.
 */
void syc_buffer_salvage(struct syc_buffer *buffer, size_t n_written);

/**
 * How many of the bytes that were sent last belong to a frame that was not
 * sent to its end.
 */
size_t syc_buffer_torn(const struct syc_buffer *buffer);

/* ----------------------------------------------------------------- alone */

/**
 * Somebody came before syc_buffer_begin() was through.  If behind what was
 * announced, that is returned: the call has begun.  NULL: what was announced
 * is taken back, and the call has to enter.
 */
unsigned char *syc_buffer_withdraw(struct syc_buffer *buffer);

/** Where syc_buffer_begin() puts a frame. */
struct syc_buffer_frame {
	unsigned char *at;
	uint64_t next; /* behind it; 0: there is none */
};

/**
 * Begin a call that adds one frame of @len bytes.  False: it has to enter; or,
 * where next is not 0, to ask syc_buffer_withdraw() first, which is not asked
 * here since who calls nothing has no registers to save.
 */
static inline __attribute__((always_inline)) bool
syc_buffer_begin(const struct syc_buffer *buffer, uint32_t len,
                 struct syc_buffer_frame *frame)
{
	struct syc_buffer_words *const words = buffer->words;

	frame->next = 0;
	/* A handler between load and store leaves it as it was */
	if (SYC_UNLIKELY(words->nest != 0))
		return false;
	syc_buffer_set_nest(words, 1);
	const uint64_t at = words->next;
	/* end: of a child, see above */
	if (SYC_UNLIKELY((uint32_t)at + len > buffer->limit ||
	                 words->end != at)) {
		syc_buffer_set_nest(words, 0);
		return false;
	}
	frame->next = at + len;
	words->end = frame->next;
	SYC_SIGNAL_FENCE();
	/* A handler has entered; or this is a child by now */
	if (SYC_UNLIKELY(words->place != 0 || words->nest != 1))
		return false;
	frame->at = buffer->halves[at >> 32] + (uint32_t)at;
	/* Halves are larger than the nearest cache.  Stores wait for a line
	 * one after another, unless it is asked for in time. */
	__builtin_prefetch(frame->at + SYC_BUFFER_AHEAD, 1);
	__builtin_prefetch(frame->at + SYC_BUFFER_AHEAD + 64, 1);
	return true;
}

/**
 * The frame is whole.  True: a handler has entered meanwhile; the caller sees
 * what it wants, as an outermost call of its own.
 */
static inline __attribute__((always_inline)) bool
syc_buffer_end(const struct syc_buffer *buffer, uint64_t next)
{
	struct syc_buffer_words *const words = buffer->words;

	SYC_SIGNAL_FENCE();
	/* Not in a child: the frame is its parent's */
	if (SYC_LIKELY(words->nest == 1))
		words->next = next;
	syc_buffer_set_nest(words, 0);
	return words->place != 0;
}

#endif
