/* SPDX-License-Identifier: BSD-2-Clause */
/* id_ranges.c - separate ranges of ids for copies with different numbers. */
#define _GNU_SOURCE
#include <sys/auxv.h>
#include <unistd.h>

#include "base/siphash.h"
#include "copies/copies.h"
#include "os/syscalls.h"

#define N_NUMBERS 16u

/* Hash @use, the process and @own.  If @own is 0, all copies get the same
 * hash. */
static uint64_t hash_keyed(enum syc_number_use use, uint64_t own)
{
	static const unsigned char no_key[16];
	const void *const random = (const void *)getauxval(AT_RANDOM);
	const struct {
		uint64_t use, pid, own;
	} input = { use, (uint64_t)getpid(), own };

	return syc_siphash(random != NULL ? random : no_key, &input,
	                   sizeof(input));
}

static uint64_t hash_of_copy(enum syc_number_use use)
{
	static const char here; /* each copy has a separate value */

	return hash_keyed(use,
	                  (uint64_t)(uintptr_t)&here ^
	                          (uint64_t)syc_kernel_clock(CLOCK_MONOTONIC));
}

uint32_t syc_number_first_id(enum syc_number_use use,
                             enum syc_number_giver giver, uint32_t n_ids)
{
	const uint32_t share = n_ids / 2 / N_NUMBERS;
	const uint32_t quarter = n_ids / 4;
	uint64_t first = hash_keyed(use, 0) % n_ids;

	if (giver == SYC_NUMBER_TOGETHER)
		first += SYC_COPIES_NUMBER % N_NUMBERS * share;
	else /* begin far from the quarter's end: later ids need space, too */
		first += (giver == SYC_NUMBER_ALONE ? 2 : 3) * quarter +
		         hash_of_copy(use) % (quarter - share / 2);
	return (uint32_t)(first % n_ids);
}
