/* SPDX-License-Identifier: BSD-2-Clause */
/* roll.c - the copies that act as one; see roll.h. */
#include "copies/roll.h"

#include "copies/block.h"

struct sc_block *sc_block;
/* 1 until the constructor has looked: events before it come to us. */
int sc_active = 1;
uint32_t sc_drain_sleeping;

static uint32_t n_entered(const struct sc_block *block)
{
	const uint32_t n = __atomic_load_n(&block->n_copies, __ATOMIC_SEQ_CST);

	return n < SC_COPIES_MAX ? n : SC_COPIES_MAX;
}

static void tell(const struct sc_block *block, int32_t *active)
{
	int32_t told;

	do {
		told = __atomic_load_n(&block->active, __ATOMIC_SEQ_CST);
		__atomic_store_n(active, told, __ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&block->active, __ATOMIC_SEQ_CST) != told);
}

static int32_t *active_of(struct sc_block *block, uint32_t i)
{
	return __atomic_load_n(&block->copies[i].active, __ATOMIC_SEQ_CST);
}

static void tell_all(void)
{
	const uint32_t n = n_entered(sc_block);

	for (uint32_t i = 0; i < n; i++) {
		int32_t *const active = active_of(sc_block, i);

		if (active != NULL)
			tell(sc_block, active);
	}
}

bool sc_roll_has(struct sc_block *block, const int32_t *active)
{
	const uint32_t n = n_entered(block);

	for (uint32_t i = 0; i < n; i++)
		if (active_of(block, i) == active)
			return true;
	return false;
}

bool sc_roll_enter(struct sc_block *block, int32_t *active, uint32_t *sleeping)
{
	uint32_t n;

	if (sc_roll_has(block, active)) {
		tell(block, active);
		return true;
	}
	n = __atomic_load_n(&block->n_copies, __ATOMIC_RELAXED);
	do {
		if (n >= SC_COPIES_MAX)
			return false;
	} while (!__atomic_compare_exchange_n(&block->n_copies, &n, n + 1, true,
	                                      __ATOMIC_SEQ_CST,
	                                      __ATOMIC_RELAXED));
	struct sc_copy *const copy = &block->copies[n];
	copy->sleeping = sleeping;
	/* Whoever comes first looks; it may be asleep */
	__atomic_store_n(sleeping, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&copy->active, active, __ATOMIC_SEQ_CST);
	tell(block, active);
	return true;
}

void sc_roll_set_active(int32_t active)
{
	__atomic_store_n(&sc_block->active, active, __ATOMIC_SEQ_CST);
	tell_all();
}

bool sc_roll_change_active(int32_t from, int32_t to)
{
	if (!__atomic_compare_exchange_n(&sc_block->active, &from, to, false,
	                                 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	tell_all();
	return true;
}

void sc_roll_set_sleeping(uint32_t sleeping)
{
	const uint32_t n = n_entered(sc_block);

	for (uint32_t i = 0; i < n; i++)
		if (active_of(sc_block, i) != NULL)
			__atomic_store_n(sc_block->copies[i].sleeping, sleeping,
			                 __ATOMIC_SEQ_CST);
}

bool sc_roll_end(void)
{
	const uint32_t n = n_entered(sc_block);
	bool is_last = true;

	for (uint32_t i = 0; i < n; i++) {
		struct sc_copy *const copy = &sc_block->copies[i];

		if (active_of(sc_block, i) == &sc_active)
			__atomic_store_n(&copy->has_ended, 1, __ATOMIC_RELAXED);
		else if (__atomic_load_n(&copy->has_ended, __ATOMIC_RELAXED) ==
		         0)
			is_last = false;
	}
	return is_last;
}

/* Two who enter one copy at the same time, a copy itself and who switches it
 * on, leave two entries of it: that does no harm but here. */
uint32_t sc_roll_count(void)
{
	const uint32_t n = sc_block_is_there() ? n_entered(sc_block) : 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		const int32_t *const active = active_of(sc_block, i);
		uint32_t k = 0;

		while (k < i && active_of(sc_block, k) != active)
			k++;
		count += active != NULL && k == i;
	}
	return count != 0 ? count : 1;
}
