/* SPDX-License-Identifier: BSD-2-Clause */
/* names_room.c - numbers and bytes for names, taken and put back. */
#include "emit/names_room.h"

#include <stdbool.h>

static uint64_t pack_spare(uint32_t number, uint32_t size, uint32_t offset)
{
	return (uint64_t)number << 48 | (uint64_t)size << 32 | offset;
}

static uint32_t room_size(uint64_t room)
{
	return (uint32_t)(room >> 32) & 0xFFFF;
}

static uint64_t take_spare(struct syc_names_table *table, uint32_t size)
{
	for (unsigned i = 0; i < SYC_NAMES_SPARES; i++) {
		uint64_t spare =
			__atomic_load_n(&table->spares[i], __ATOMIC_RELAXED);

		/* Acquire, pairs with syc_names_put_room_back(): its last
		 * user is done with it */
		if (spare != 0 && room_size(spare) >= size &&
		    __atomic_compare_exchange_n(&table->spares[i], &spare, 0,
		                                false, __ATOMIC_ACQUIRE,
		                                __ATOMIC_RELAXED))
			return spare;
	}
	return 0;
}

uint64_t syc_names_take_room(struct syc_names_table *table, uint32_t size)
{
	const uint64_t spare = take_spare(table, size);
	uint64_t taken = __atomic_load_n(&table->taken, __ATOMIC_RELAXED);

	if (spare != 0)
		return spare;
	for (;;) {
		const uint32_t number = (uint32_t)(taken >> 32);
		const uint32_t offset = (uint32_t)taken;

		if (number >= SYC_NAMES_MAX || size > SYC_NAMES_ARENA - offset)
			return 0;
		if (__atomic_compare_exchange_n(
			    &table->taken, &taken,
			    (uint64_t)(number + 1) << 32 | (offset + size),
			    true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return pack_spare(number, size, offset);
	}
}

void syc_names_put_room_back(struct syc_names_table *table, uint64_t room)
{
	const uint32_t number = syc_names_room_number(room);
	const uint32_t offset = syc_names_room_offset(room);
	uint64_t taken =
		(uint64_t)(number + 1) << 32 | (offset + room_size(room));

	__atomic_store_n(&table->entries[number], 0, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n(&table->taken, &taken,
	                                (uint64_t)number << 32 | offset, false,
	                                __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	for (unsigned i = 0; i < SYC_NAMES_SPARES; i++) {
		uint64_t none = 0;

		if (__atomic_compare_exchange_n(&table->spares[i], &none, room,
		                                false, __ATOMIC_RELEASE,
		                                __ATOMIC_RELAXED))
			return;
	}
	/* Sixteen are aside already: this one is wasted */
}
