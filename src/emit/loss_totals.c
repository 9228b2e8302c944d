/* SPDX-License-Identifier: BSD-2-Clause */
/* loss_totals.c - totals of what was lost, added to and moved. */
#include "emit/loss_totals.h"

#include <syscap/emit.h>

/* What makes it whole against handlers on the thread is one instruction. */
static void add_signal_safe(uint64_t *to, uint64_t n)
{
#if defined(__x86_64__)
	__asm__ volatile("addq %1, %0" : "+m"(*to) : "er"(n) : "cc");
#else
	__atomic_add_fetch(to, n, __ATOMIC_RELAXED);
#endif
}

void syc_loss_totals_reach(int64_t *from, int64_t *to, int64_t time)
{
	int64_t first = __atomic_load_n(from, __ATOMIC_RELAXED);
	int64_t last = __atomic_load_n(to, __ATOMIC_RELAXED);

	while ((first == 0 || time < first) &&
	       !__atomic_compare_exchange_n(from, &first, time, true,
	                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	while (time > last &&
	       !__atomic_compare_exchange_n(to, &last, time, true,
	                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void syc_loss_totals_extend(struct syc_ring_losses *to, int64_t time)
{
	syc_loss_totals_reach(&to->from, &to->to, time);
}

/* Times grow: an exchange that handlers on the thread can't come between costs
 * a fraction of one among processors. */
void syc_loss_totals_add_own(struct syc_ring_losses *to, uint8_t kind,
                             uint32_t len, int64_t time)
{
	int64_t last;

	do
		last = __atomic_load_n(&to->to, __ATOMIC_RELAXED);
	while (time > last &&
	       !syc_exchange_local((uint64_t *)&to->to, (uint64_t)last,
	                           (uint64_t)time));
	syc_loss_totals_extend(to, time);
	add_signal_safe(&to->bytes, len);
	add_signal_safe(&to->frames[kind], 1);
}

void syc_loss_totals_add(struct syc_ring_losses *to, uint8_t kind, uint32_t len,
                         int64_t time)
{
	syc_loss_totals_extend(to, time);
	__atomic_add_fetch(&to->bytes, len, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->frames[kind], 1, __ATOMIC_RELAXED);
}

uint64_t syc_loss_totals_sum(const struct syc_ring_losses *losses)
{
	uint64_t n = 0;

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		n += __atomic_load_n(&losses->frames[i], __ATOMIC_RELAXED);
	return n;
}

void syc_loss_totals_take(struct syc_ring_losses *to,
                          struct syc_ring_losses *from)
{
	to->to = __atomic_exchange_n(&from->to, 0, __ATOMIC_RELAXED);
	to->from = __atomic_exchange_n(&from->from, 0, __ATOMIC_RELAXED);
	syc_loss_totals_copy(to, from);
	/* What a handler lost meanwhile is counted: is it in the range? */
	const int64_t last = __atomic_load_n(&from->to, __ATOMIC_RELAXED);
	if (last > to->to)
		to->to = last;
}

void syc_loss_totals_return_range(struct syc_ring_losses *to,
                                  const struct syc_ring_losses *untold)
{
	if (untold->from == 0)
		return;
	syc_loss_totals_extend(to, untold->from);
	syc_loss_totals_extend(to, untold->to);
}

void syc_loss_totals_subtract(struct syc_ring_losses *from,
                              const struct syc_ring_losses *less)
{
	from->bytes -= __atomic_load_n(&less->bytes, __ATOMIC_RELAXED);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		from->frames[i] -=
			__atomic_load_n(&less->frames[i], __ATOMIC_RELAXED);
}

void syc_loss_totals_copy(struct syc_ring_losses *to,
                          const struct syc_ring_losses *from)
{
	__atomic_store_n(&to->bytes,
	                 __atomic_load_n(&from->bytes, __ATOMIC_RELAXED),
	                 __ATOMIC_RELAXED);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		__atomic_store_n(
			&to->frames[i],
			__atomic_load_n(&from->frames[i], __ATOMIC_RELAXED),
			__ATOMIC_RELAXED);
}
