/* SPDX-License-Identifier: BSD-2-Clause */
/* counter_add.c - counters that several threads change by differences. */
#include <string.h>

#include <syscap.h>

static uint64_t add_real(struct syscap_counter *counter, double n)
{
	uint64_t before = __atomic_load_n(&counter->last, __ATOMIC_RELAXED);
	uint64_t after;
	double sum;

	do {
		memcpy(&sum, &before, sizeof(sum));
		sum += n;
		memcpy(&after, &sum, sizeof(after));
	} while (!__atomic_compare_exchange_n(&counter->last, &before, after,
	                                      true, __ATOMIC_RELAXED,
	                                      __ATOMIC_RELAXED));
	return after;
}

/* Another thread may have added after this thread, but recorded its sum before
 * this thread: record until the newest value is the sum */
static void record_sum(struct syscap_counter *counter, uint64_t bits)
{
	while (syscap_is_active()) {
		syscap_counter_set_bits(counter, bits);
		const uint64_t sum =
			__atomic_load_n(&counter->last, __ATOMIC_RELAXED);
		if (sum == bits)
			break;
		bits = sum;
	}
}

void syscap_counter_add_double(struct syscap_counter *counter, double n)
{
	record_sum(counter, add_real(counter, n));
}

void syscap_counter_add(struct syscap_counter *counter, int64_t n)
{
	if (counter->type == SYSCAP_DOUBLE)
		syscap_counter_add_double(counter, (double)n);
	else
		record_sum(counter,
		           __atomic_add_fetch(&counter->last, (uint64_t)n,
		                              __ATOMIC_RELAXED));
}
