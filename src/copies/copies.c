/* SPDX-License-Identifier: BSD-2-Clause */
/* copies.c - the copies that act as one; see copies.h. */
#include "copies/copies.h"

#include "copies/block.h"

struct syc_block *syc_block;
int syc_active = SYC_NOT_LOOKED;
uint32_t syc_drain_sleeping;

static uint32_t count_entered(const struct syc_block *block)
{
	const uint32_t n = __atomic_load_n(&block->n_copies, __ATOMIC_SEQ_CST);

	return n < SYC_COPIES_MAX ? n : SYC_COPIES_MAX;
}

/*
 * A copy may have left open whether something is recorded, and the thread that
 * decides may be at work: a 0 that only says that nothing has begun yet would
 * send its other threads away.
 */
static bool is_open_still(const struct syc_block *block, const int32_t *active)
{
	return __atomic_load_n(active, __ATOMIC_RELAXED) == SYC_LEFT_OPEN &&
	       __atomic_load_n(&block->last_epoch, __ATOMIC_ACQUIRE) == 0;
}

static void tell_copy(const struct syc_block *block, int32_t *active)
{
	int32_t told;

	if (is_open_still(block, active))
		return;

	do {
		told = __atomic_load_n(&block->active, __ATOMIC_SEQ_CST);
		__atomic_store_n(active, told, __ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&block->active, __ATOMIC_SEQ_CST) != told);
}

static int32_t *get_active(struct syc_block *block, uint32_t i)
{
	return __atomic_load_n(&block->copies[i].active, __ATOMIC_SEQ_CST);
}

static void tell_copies(void)
{
	const uint32_t n = count_entered(syc_block);

	for (uint32_t i = 0; i < n; i++) {
		int32_t *const active = get_active(syc_block, i);

		if (active != NULL)
			tell_copy(syc_block, active);
	}
}

static bool has_copy(struct syc_block *block, const int32_t *active)
{
	const uint32_t n = count_entered(block);

	for (uint32_t i = 0; i < n; i++)
		if (get_active(block, i) == active)
			return true;
	return false;
}

bool syc_copies_enter(struct syc_block *block, int32_t *active,
                      uint32_t *sleeping)
{
	uint32_t n;

	if (has_copy(block, active)) {
		tell_copy(block, active);
		return true;
	}
	n = __atomic_load_n(&block->n_copies, __ATOMIC_RELAXED);
	do {
		if (n >= SYC_COPIES_MAX)
			return false;
	} while (!__atomic_compare_exchange_n(&block->n_copies, &n, n + 1, true,
	                                      __ATOMIC_SEQ_CST,
	                                      __ATOMIC_RELAXED));
	struct syc_copy *const copy = &block->copies[n];
	copy->sleeping = sleeping;
	/* The first one to come looks; the drain thread may be asleep */
	__atomic_store_n(sleeping, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&copy->active, active, __ATOMIC_SEQ_CST);
	tell_copy(block, active);
	return true;
}

void syc_copies_set_active(int32_t active)
{
	__atomic_store_n(&syc_block->active, active, __ATOMIC_SEQ_CST);
	tell_copies();
}

bool syc_copies_change_active(int32_t from, int32_t to)
{
	if (!__atomic_compare_exchange_n(&syc_block->active, &from, to, false,
	                                 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	tell_copies();
	return true;
}

void syc_copies_set_sleeping(uint32_t sleeping)
{
	const uint32_t n = count_entered(syc_block);

	for (uint32_t i = 0; i < n; i++)
		if (get_active(syc_block, i) != NULL)
			__atomic_store_n(syc_block->copies[i].sleeping,
			                 sleeping, __ATOMIC_SEQ_CST);
}

bool syc_copies_end(void)
{
	const uint32_t n = count_entered(syc_block);
	bool is_last = true;

	for (uint32_t i = 0; i < n; i++) {
		struct syc_copy *const copy = &syc_block->copies[i];

		if (get_active(syc_block, i) == &syc_active)
			__atomic_store_n(&copy->has_ended, 1, __ATOMIC_RELAXED);
		else if (__atomic_load_n(&copy->has_ended, __ATOMIC_RELAXED) ==
		         0)
			is_last = false;
	}
	return is_last;
}

/* When a copy itself and another that switches it on enter it at the same time,
 * two entries of it are left: that does no harm but here. */
uint32_t syc_copies_count(void)
{
	const uint32_t n = syc_block_is_there() ? count_entered(syc_block) : 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		const int32_t *const active = get_active(syc_block, i);
		uint32_t k = 0;

		while (k < i && get_active(syc_block, k) != active)
			k++;
		count += active != NULL && k == i;
	}
	return count != 0 ? count : 1;
}
