/* SPDX-License-Identifier: BSD-2-Clause */
/* buffer.c - where a writer's frames wait. */
#define _GNU_SOURCE
#include "dropin/buffer.h"

#include <string.h>

#include <syscap/emit.h>

static uint64_t load_place(const struct sc_buffer *buffer)
{
	return __atomic_load_n(&buffer->words->place, __ATOMIC_RELAXED);
}

bool sc_buffer_enter(struct sc_buffer *buffer)
{
	struct sc_buffer_words *const words = buffer->words;
	/* A handler between load and store leaves it as it was */
	const uint32_t depth = __atomic_load_n(&words->nest, __ATOMIC_RELAXED);

	__atomic_store_n(&words->nest, depth + 1, __ATOMIC_RELAXED);
	SC_SIGNAL_FENCE();
	if (depth == 0)
		__atomic_store_n(&words->whole, load_place(buffer),
		                 __ATOMIC_RELAXED);
	SC_SIGNAL_FENCE();
	return depth == 0;
}

void sc_buffer_leave(struct sc_buffer *buffer)
{
	struct sc_buffer_words *const words = buffer->words;

	SC_SIGNAL_FENCE();
	__atomic_store_n(&words->nest,
	                 __atomic_load_n(&words->nest, __ATOMIC_RELAXED) - 1,
	                 __ATOMIC_RELAXED);
	SC_SIGNAL_FENCE();
}

unsigned char *sc_buffer_reserve(struct sc_buffer *buffer, uint32_t len)
{
	for (;;) {
		const uint64_t place = load_place(buffer);
		const uint32_t used = (uint32_t)place;

		if (len > buffer->capacity - used)
			return NULL;
		if (SC_LIKELY(sc_exchange_local(&buffer->words->place, place,
		                                place + len)))
			return buffer->halves[place >> 32] + used;
	}
}

uint32_t sc_buffer_used(const struct sc_buffer *buffer)
{
	return (uint32_t)load_place(buffer);
}

size_t sc_buffer_take(struct sc_buffer *buffer, const unsigned char **bytes)
{
	struct sc_buffer_words *const words = buffer->words;
	uint64_t place = load_place(buffer);
	uint32_t half = (uint32_t)(place >> 32) ^ 1;

	if (words->waiting[half] == 0) {
		const uint64_t turned = (uint64_t)half << 32;

		if ((uint32_t)place == 0)
			return 0;
		words->sent[half ^ 1] = 0;
		while (!sc_exchange_local(&words->place, place, turned))
			place = load_place(buffer);
		half ^= 1;
		words->waiting[half] = (uint32_t)place;
		__atomic_store_n(&words->whole, turned, __ATOMIC_RELAXED);
	}
	SC_SIGNAL_FENCE();
	words->is_writing = true;
	*bytes = buffer->halves[half] + words->sent[half];
	return words->waiting[half] - words->sent[half];
}

void sc_buffer_sent(struct sc_buffer *buffer, size_t n)
{
	struct sc_buffer_words *const words = buffer->words;
	const uint32_t half = (uint32_t)(load_place(buffer) >> 32) ^ 1;

	words->sent[half] += (uint32_t)n;
	if (words->sent[half] == words->waiting[half])
		words->waiting[half] = 0;
	SC_SIGNAL_FENCE();
	words->is_writing = false;
}

bool sc_buffer_salvage(struct sc_buffer *buffer)
{
	struct sc_buffer_words *const words = buffer->words;

	if (words->is_writing)
		return false;
	/* `whole` names another half only within sc_buffer_take(), where all
	 * that was reserved is whole */
	if (words->nest != 0 && words->whole >> 32 == words->place >> 32)
		words->place = words->whole;
	return true;
}

size_t sc_buffer_torn(const struct sc_buffer *buffer)
{
	const struct sc_buffer_words *const words = buffer->words;
	const uint32_t half = (uint32_t)(load_place(buffer) >> 32) ^ 1;
	uint32_t at = 0;

	while (at < words->sent[half] && words->waiting[half] != 0) {
		uint16_t len;

		memcpy(&len, buffer->halves[half] + at, sizeof(len));
		if (at + len > words->sent[half])
			return words->sent[half] - at;
		at += len;
	}
	return 0;
}
