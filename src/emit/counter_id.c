/* SPDX-License-Identifier: BSD-2-Clause */
/* counter_id.c - the ids of counters. */
#define _GNU_SOURCE
#include <unistd.h>

#include "copies/copies.h"
#include "emit/event.h"

#define ID_BITS  24
#define FIRST_ID UINT32_C(256)
#define N_IDS    ((UINT32_C(1) << ID_BITS) - FIRST_ID)

/* The sequence for writers of captures in a process that does not record
 * (yet). */
static struct syc_numbers own;

static struct syc_numbers *find_numbers(void)
{
	return syc_block_is_there() ? &syc_block->counters : &own;
}

static uint32_t choose_base(void)
{
	struct syc_numbers *const all = find_numbers();
	uint32_t chosen = __atomic_load_n(&all->base, __ATOMIC_RELAXED);

	if (chosen != 0)
		return chosen;
	const enum syc_number_giver giver = all == &own ? SYC_NUMBER_EARLY
	                                    : syc_block->is_alone
	                                            ? SYC_NUMBER_ALONE
	                                            : SYC_NUMBER_TOGETHER;
	const uint32_t mine =
		FIRST_ID +
		syc_number_first_id(SYC_NUMBER_COUNTERS, giver, N_IDS);
	return __atomic_compare_exchange_n(&all->base, &chosen, mine, false,
	                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED)
	               ? mine
	               : chosen;
}

static uint32_t nth_id(uint32_t n)
{
	const uint32_t taken_by_stock = ((uint32_t)getpid() & 0xFFFF) << 8;
	uint32_t id = FIRST_ID + (choose_base() - FIRST_ID + n) % N_IDS;

	/* Replace a stock client's 256 ids by ids far from this sequence */
	if (taken_by_stock != 0 && (id ^ taken_by_stock) >> 8 == 0)
		id = FIRST_ID + (id - FIRST_ID + N_IDS / 2) % N_IDS;
	return id;
}

/* Store the id first, then the index (with release), so that a counter with an
 * index has an id. */
uint32_t syc_counter_id_give(struct syscap_counter *counter)
{
	uint32_t index = __atomic_load_n(&counter->index, __ATOMIC_ACQUIRE);

	if (index != 0)
		return index;
	const uint32_t n = __atomic_add_fetch(&find_numbers()->n_given, 1,
	                                      __ATOMIC_RELAXED);
	uint32_t none = 0;
	/* The first thread to set the id wins.  Another thread may win the race
	 * for the index, since the index is only a bit number */
	__atomic_compare_exchange_n(&counter->id, &none, nth_id(n), false,
	                            __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
	if (__atomic_compare_exchange_n(&counter->index, &index, n, false,
	                                __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		return n;
	return index;
}

/* Return whether the ids of the @n positions from @first on are consecutive. */
static bool are_consecutive(uint32_t first, uint32_t n)
{
	const uint32_t stock = ((uint32_t)getpid() & 0xFFFF) << 8;
	const uint32_t id =
		FIRST_ID + (choose_base() - FIRST_ID + first) % N_IDS;

	return id + n <= FIRST_ID + N_IDS &&
	       (stock == 0 || id + n <= stock || id >= stock + 256);
}

uint32_t syc_counter_id_request(uint32_t n)
{
	uint32_t *const n_given = &find_numbers()->n_given;

	if (n == 0)
		return 0;
	for (;;) {
		uint32_t given = __atomic_load_n(n_given, __ATOMIC_RELAXED);
		uint32_t first = given + 1;

		if (n >= N_IDS - first)
			return 0;
		/* Skip the stock client's block, or the end of the ids */
		while (!are_consecutive(first, n))
			if (++first >= N_IDS - n)
				return 0;
		if (__atomic_compare_exchange_n(n_given, &given, first + n - 1,
		                                false, __ATOMIC_RELAXED,
		                                __ATOMIC_RELAXED))
			return nth_id(first);
	}
}

uint32_t syc_counter_id_index(uint32_t id)
{
	if (id < FIRST_ID || id >= FIRST_ID + N_IDS)
		return 0;
	return (id - FIRST_ID + N_IDS - (choose_base() - FIRST_ID)) % N_IDS;
}
