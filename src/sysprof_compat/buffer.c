/* SPDX-License-Identifier: BSD-2-Clause */
/* buffer.c - buffer for the frames of a writer. */
#define _GNU_SOURCE
#include "sysprof_compat/buffer.h"

#include <string.h>

#define FLAGS (SYC_BUFFER_SHARED | SYC_BUFFER_FOR_OWNER)

static bool exchange_words(struct syc_buffer_words *words, uint64_t expected,
                           uint64_t desired)
{
	return syc_exchange_local(&words->place, expected, desired);
}

static void set_whole(struct syc_buffer_words *words, uint64_t next)
{
	words->next = next;
	words->end = next;
	SYC_SIGNAL_FENCE();
}

/*
 * Make `place` the position of the next frame.  The frame that the outermost
 * call has announced is reserved for the outermost call.
 */
static void share_words(struct syc_buffer_words *words)
{
	const uint64_t next = words->next;
	const uint64_t end = words->end;

	/* If the exchange fails, a handler has made the same exchange, from the
	 * same `next` */
	if (words->place == 0) {
		words->owner = next;
		SYC_SIGNAL_FENCE();
		exchange_words(
			words, 0,
			SYC_BUFFER_SHARED | end |
				(end != next ? SYC_BUFFER_FOR_OWNER : 0));
	}
}

/*
 * Make `next` the position of the next frame.  Only an outermost call without
 * an unfinished frame calls this function, so all reserved frames are whole.
 */
static void unshare_words(struct syc_buffer_words *words)
{
	uint64_t place;

	while ((place = words->place) != 0) {
		set_whole(words, place & ~FLAGS);
		/* The exchange fails if a handler has added frames since the
		 * load */
		exchange_words(words, place, 0);
		SYC_SIGNAL_FENCE();
	}
}

bool syc_buffer_enter(struct syc_buffer *buffer)
{
	struct syc_buffer_words *const words = buffer->words;
	/* A handler between load and store restores nest */
	const uint32_t depth = words->nest;

	syc_buffer_set_nest(words, depth + 1);
	if (depth == 0) {
		/* Take over frames that handlers added while another call
		 * left */
		unshare_words(words);
		/* In a child, drop a late store of a call that began in the
		 * parent */
		if (words->place == 0)
			words->next = words->end;
		SYC_SIGNAL_FENCE();
	}
	share_words(words);
	SYC_SIGNAL_FENCE();
	return depth == 0;
}

void syc_buffer_leave(struct syc_buffer *buffer)
{
	struct syc_buffer_words *const words = buffer->words;
	const uint32_t depth = words->nest;

	/* The depth is 0 in a child that returns into a call of its parent */
	if (depth != 0)
		syc_buffer_set_nest(words, depth - 1);
}

bool syc_buffer_leave_last(struct syc_buffer *buffer)
{
	struct syc_buffer_words *const words = buffer->words;

	unshare_words(words);
	syc_buffer_set_nest(words, 0);
	return words->place != 0;
}

unsigned char *syc_buffer_reserve(struct syc_buffer *buffer, uint32_t len)
{
	struct syc_buffer_words *const words = buffer->words;

	for (;;) {
		const uint64_t place = words->place;
		const uint32_t used = (uint32_t)place;

		if (SYC_UNLIKELY(len > buffer->capacity - used))
			return NULL;
		if (SYC_LIKELY(exchange_words(words, place, place + len)))
			return buffer->halves[syc_buffer_half(place)] + used;
	}
}

unsigned char *syc_buffer_withdraw(struct syc_buffer *buffer)
{
	struct syc_buffer_words *const words = buffer->words;
	const uint64_t next = words->next;

	if (words->nest == 1 && (words->place & SYC_BUFFER_FOR_OWNER) != 0 &&
	    words->owner == next)
		return buffer->halves[syc_buffer_half(next)] + (uint32_t)next;
	words->end = next;
	syc_buffer_set_nest(words, 0);
	return NULL;
}

/* The half that gets no new frames. */
static uint32_t other_half(const struct syc_buffer_words *words)
{
	return syc_buffer_half(words->place) ^ 1;
}

bool syc_buffer_turn(struct syc_buffer *buffer, bool may_be_empty)
{
	struct syc_buffer_words *const words = buffer->words;
	uint64_t place = words->place;
	const uint32_t half = syc_buffer_half(place);
	const uint64_t turned = (uint64_t)(half ^ 1) << 32;

	if (words->waits[half ^ 1])
		return true;
	if ((uint32_t)place == 0 && !may_be_empty)
		return false;
	words->sent[half] = 0;
	words->front[half] = 0;
	/* Store the half's state before the exchange, because exit() may follow
	 * immediately */
	for (;;) {
		words->waiting[half] = (uint32_t)place;
		SYC_SIGNAL_FENCE();
		words->waits[half] = true;
		SYC_SIGNAL_FENCE();
		if (exchange_words(words, place, SYC_BUFFER_SHARED | turned))
			break;
		place = words->place;
	}
	set_whole(words, turned);
	return true;
}

unsigned char *syc_buffer_front(const struct syc_buffer *buffer)
{
	const struct syc_buffer_words *const words = buffer->words;
	const uint32_t half = other_half(words);

	return words->front[half] == 0 && words->sent[half] == 0
	               ? buffer->halves[half]
	               : NULL;
}

void syc_buffer_put_front(struct syc_buffer *buffer, uint32_t n)
{
	SYC_SIGNAL_FENCE();
	buffer->words->front[other_half(buffer->words)] = n;
	SYC_SIGNAL_FENCE();
}

size_t syc_buffer_take(struct syc_buffer *buffer, const unsigned char **bytes)
{
	struct syc_buffer_words *const words = buffer->words;
	const uint32_t half = other_half(words);

	words->taken = words->sent[half];
	SYC_SIGNAL_FENCE();
	words->is_writing = true;
	*bytes = buffer->halves[half] - words->front[half] + words->taken;
	return words->front[half] + words->waiting[half] - words->taken;
}

void syc_buffer_sent(struct syc_buffer *buffer, size_t n)
{
	struct syc_buffer_words *const words = buffer->words;
	const uint32_t half = other_half(words);
	const uint64_t now = SYC_BUFFER_SHARED | (uint64_t)(half ^ 1) << 32;
	const uint64_t back = (uint64_t)half << 32;

	words->sent[half] = words->taken + (uint32_t)n;
	SYC_SIGNAL_FENCE();
	if (words->sent[half] == words->front[half] + words->waiting[half]) {
		words->waits[half] = false;
		/* If no handler has run, continue in this half, which is in the
		 * cache */
		if (exchange_words(words, now, SYC_BUFFER_SHARED | back))
			set_whole(words, back);
	}
	SYC_SIGNAL_FENCE();
	words->is_writing = false;
}

void syc_buffer_salvage(struct syc_buffer *buffer, size_t n_written)
{
	struct syc_buffer_words *const words = buffer->words;

	if (words->is_writing)
		syc_buffer_sent(buffer, n_written);
	/*
	 * `next` is in another half only during an exchange of halves, when all
	 * reserved frames are whole.
	 */
	if (words->place != 0 &&
	    (words->nest == 0 ||
	     syc_buffer_half(words->place) != syc_buffer_half(words->next)))
		set_whole(words, words->place & ~FLAGS);
	else if (words->nest == 0)
		set_whole(words, words->end);
	else
		set_whole(words, words->next);
	words->place = 0;
	words->nest = 0;
}

size_t syc_buffer_torn(const struct syc_buffer *buffer)
{
	const struct syc_buffer_words *const words = buffer->words;
	const uint32_t half = syc_buffer_half(words->place != 0 ? words->place
	                                                        : words->next) ^
	                      1;
	const unsigned char *const bytes =
		buffer->halves[half] - words->front[half];
	uint32_t at = 0;

	while (words->waits[half] && at < words->sent[half]) {
		uint16_t len;

		memcpy(&len, bytes + at, sizeof(len));
		if (at + len > words->sent[half])
			return words->sent[half] - at;
		at += len;
	}
	return 0;
}
