/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffer.h - where a writer's frames wait, for one thread at a time and the
 * signal handlers that interrupt it.
 *
 * Two halves.  Frames are reserved in one of them; the other is empty, or
 * holds frames that are being written out, or were in part.  To write means to
 * take the halves' turns about: so handlers find room while a write is under
 * way, and nothing is ever moved.
 *
 * Calls nest: a handler enters on top of what it interrupted, and leaves
 * before that goes on.  Only the outermost call takes turns about and writes,
 * and only while it has no frame of its own under way.  Then all frames in
 * the buffer are whole.
 *
 * Invariants
 *	B1  place (half << 32 | bytes reserved) only changes by a compare-
 *	    exchange that is one instruction to handlers: a frame belongs to
 *	    who reserved it, and frames lie in a row.
 *	B2  nest is how many calls are under way on the thread.  A handler
 *	    leaves it as it found it.
 *	B3  waiting[h] and sent[h] are the outermost call's alone, and count
 *	    for the half that place does not name.
 *	B4  frames below `whole` (same form as place) are complete, whatever
 *	    was interrupted.  Stored by the outermost call when it enters and
 *	    when it takes turns about.
 *
 * The words live in memory that a forked child finds zeroed: its buffer is
 * empty, and what the parent's held is the parent's to write.
 *
 * Context of all functions: signal-safe, one thread at a time; errno is kept.
 */
#ifndef SC_BUFFER_H
#define SC_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/emit.h>

/** Room for frames of handlers, beyond the size that the owner asked for. */
#define SC_BUFFER_SPARE ((size_t)64 * 1024)

struct sc_buffer_words {
	uint64_t place;
	uint64_t whole;
	uint32_t nest;
	bool is_writing;     /* between sc_buffer_take() and _sent() */
	bool wants_flush;    /* a handler asked for it */
	uint32_t waiting[2]; /* bytes of a half that are to be written ... */
	uint32_t sent[2];    /* ... and of these are */
	uint32_t taken;      /* sent[] when sc_buffer_take() gave the rest */
};

struct sc_buffer {
	struct sc_buffer_words *words;
	unsigned char *halves[2];
	uint32_t size;     /* at which the owner writes it out */
	uint32_t capacity; /* of a half */
};

static inline uint64_t sc_buffer_place(const struct sc_buffer *buffer)
{
	return __atomic_load_n(&buffer->words->place, __ATOMIC_RELAXED);
}

/** True: this is the outermost call. */
static inline bool sc_buffer_enter(struct sc_buffer *buffer)
{
	struct sc_buffer_words *const words = buffer->words;
	/* A handler between load and store leaves it as it was */
	const uint32_t depth = __atomic_load_n(&words->nest, __ATOMIC_RELAXED);
	const uint64_t place = sc_buffer_place(buffer);

	/* Told before we are in it, for who exits right behind that */
	if (depth == 0)
		__atomic_store_n(&words->whole, place, __ATOMIC_RELAXED);
	SC_SIGNAL_FENCE();
	__atomic_store_n(&words->nest, depth + 1, __ATOMIC_RELAXED);
	SC_SIGNAL_FENCE();
	/* and again, if a handler was the outermost one meanwhile */
	if (SC_UNLIKELY(depth == 0 && sc_buffer_place(buffer) != place))
		__atomic_store_n(&words->whole, sc_buffer_place(buffer),
		                 __ATOMIC_RELAXED);
	SC_SIGNAL_FENCE();
	return depth == 0;
}

static inline void sc_buffer_leave(struct sc_buffer *buffer)
{
	struct sc_buffer_words *const words = buffer->words;

	SC_SIGNAL_FENCE();
	__atomic_store_n(&words->nest,
	                 __atomic_load_n(&words->nest, __ATOMIC_RELAXED) - 1,
	                 __ATOMIC_RELAXED);
	SC_SIGNAL_FENCE();
}

/** Bytes in the half that frames go to. */
static inline uint32_t sc_buffer_used(const struct sc_buffer *buffer)
{
	return (uint32_t)sc_buffer_place(buffer);
}

/** Room for a frame of @len bytes, or NULL. */
static inline unsigned char *sc_buffer_reserve(struct sc_buffer *buffer,
                                               uint32_t len)
{
	for (;;) {
		const uint64_t place = sc_buffer_place(buffer);
		const uint32_t used = (uint32_t)place;

		if (SC_UNLIKELY(len > buffer->capacity - used))
			return NULL;
		if (SC_LIKELY(sc_exchange_local(&buffer->words->place, place,
		                                place + len)))
			return buffer->halves[place >> 32] + used;
	}
}

/*
 * For the outermost call.
 */

/** The oldest bytes that are to be written; 0: none. */
size_t sc_buffer_take(struct sc_buffer *buffer, const unsigned char **bytes);

/** @n of those that sc_buffer_take() told are written. */
void sc_buffer_sent(struct sc_buffer *buffer, size_t n);

/**
 * For the end of the process, from wherever it comes: sees to it that
 * sc_buffer_take() gives whole frames, though a call may have been
 * interrupted for ever.  Where that was writing, @n_written says how far it
 * came.
 */
void sc_buffer_salvage(struct sc_buffer *buffer, size_t n_written);

/**
 * How many of the bytes that were sent last belong to a frame that was not
 * sent to its end.
 */
size_t sc_buffer_torn(const struct sc_buffer *buffer);

#endif
