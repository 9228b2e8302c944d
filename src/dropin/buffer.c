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
		words->sent[half ^ 1] = 0;
		while (!sc_exchange_local(&words->place, place, turned))
			place = sc_buffer_place(buffer);
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
	const uint32_t half = (uint32_t)(sc_buffer_place(buffer) >> 32) ^ 1;

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
