/* SPDX-License-Identifier: BSD-2-Clause */
/* buffer.c - where a writer's frames wait. */
#define _GNU_SOURCE
#include "dropin/buffer.h"

#include <string.h>

size_t sc_buffer_take(struct sc_buffer *buffer, const unsigned char **bytes)
{
	struct sc_buffer_words *const words = buffer->words;
	uint64_t place = sc_buffer_place(buffer);
	uint32_t half = (uint32_t)(place >> 32) ^ 1;

	if (words->waiting[half] == 0) {
		const uint64_t turned = (uint64_t)half << 32;

		if ((uint32_t)place == 0)
			return 0;
		half ^= 1;
		words->sent[half] = 0;
		/* Told before the turn: exit() may come right behind it */
		for (;;) {
			words->waiting[half] = (uint32_t)place;
			SC_SIGNAL_FENCE();
			if (sc_exchange_local(&words->place, place, turned))
				break;
			place = sc_buffer_place(buffer);
		}
		__atomic_store_n(&words->whole, turned, __ATOMIC_RELAXED);
	}
	words->taken = words->sent[half];
	SC_SIGNAL_FENCE();
	words->is_writing = true;
	*bytes = buffer->halves[half] + words->taken;
	return words->waiting[half] - words->taken;
}

void sc_buffer_sent(struct sc_buffer *buffer, size_t n)
{
	struct sc_buffer_words *const words = buffer->words;
	const uint32_t half = (uint32_t)(sc_buffer_place(buffer) >> 32) ^ 1;

	const uint64_t now = (uint64_t)(half ^ 1) << 32;
	const uint64_t back = (uint64_t)half << 32;

	words->sent[half] = words->taken + (uint32_t)n;
	SC_SIGNAL_FENCE();
	if (words->sent[half] == words->waiting[half]) {
		words->waiting[half] = 0;
		/* No handler has come: go on in this half, which is warm */
		if (sc_exchange_local(&words->place, now, back))
			__atomic_store_n(&words->whole, back, __ATOMIC_RELAXED);
	}
	SC_SIGNAL_FENCE();
	words->is_writing = false;
}

void sc_buffer_salvage(struct sc_buffer *buffer, size_t n_written)
{
	struct sc_buffer_words *const words = buffer->words;

	if (words->is_writing)
		sc_buffer_sent(buffer, n_written);
	/* `whole` names another half only within sc_buffer_take(), where all
	 * that was reserved is whole */
	if (words->nest != 0 && words->whole >> 32 == words->place >> 32)
		words->place = words->whole;
}

size_t sc_buffer_torn(const struct sc_buffer *buffer)
{
	const struct sc_buffer_words *const words = buffer->words;
	const uint32_t half = (uint32_t)(sc_buffer_place(buffer) >> 32) ^ 1;
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
