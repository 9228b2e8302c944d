/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_dedup.c - deduplication of whole stacks, by a checksum of their
 * addresses.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "profile/stacks.h"

#define FIRST_SETS 64u
/*
 * The table has at most 8 MiB.  If a program has more than 650,000 stacks,
 * lookups find only the latest stacks.
 */
#define MOST_SETS (UINT32_C(1) << 17)

#define LINE 64u

_Static_assert(sizeof(struct syc_dedup_set) == LINE,
               "a set fills a cache line");

void syc_dedup_fini(struct syc_dedup *dedup)
{
	free(dedup->sets);
	dedup->sets = NULL;
	dedup->n = 0;
	dedup->is_off = true;
}

static struct syc_dedup_set *make_sets(size_t n)
{
	struct syc_dedup_set *sets =
		aligned_alloc(LINE, n * sizeof(struct syc_dedup_set));

	if (sets != NULL)
		memset(sets, 0, n * sizeof(*sets));
	return sets;
}

static bool fill_factors(struct syc_dedup *dedup)
{
	unsigned char *at = (unsigned char *)dedup->factors;
	size_t left = sizeof(dedup->factors);

	while (left > 0) {
		/* getrandom() guarantees at most 256 bytes per call. */
		const size_t size = left < 256 ? left : 256;

		if (getrandom(at, size, GRND_NONBLOCK) != (ssize_t)size)
			return false;
		at += size;
		left -= size;
	}
	return true;
}

bool syc_dedup_begin(struct syc_dedup *dedup)
{
	if (dedup->n > 0 || dedup->is_off)
		return !dedup->is_off;
	dedup->sets = make_sets(FIRST_SETS);
	dedup->is_off = dedup->sets == NULL || !fill_factors(dedup);
	if (dedup->is_off)
		syc_dedup_fini(dedup);
	else
		dedup->n = FIRST_SETS;
	return !dedup->is_off;
}

static uint64_t upper(unsigned __int128 sum)
{
	return (uint64_t)(sum >> 64);
}

/* Similar stacks have evenly spaced sums, so the sum is mixed. */
static struct syc_dedup_set *set_of(const struct syc_dedup *dedup, uint64_t sum)
{
	sum = (sum ^ sum >> 32) * UINT64_C(0x9E3779B97F4A7C15);
	return &dedup->sets[sum >> 40 & (dedup->n - 1)];
}

/*
 * Move to the front.  The other entries keep their order, and the last entry is
 * dropped.
 */
static void put_first(struct syc_dedup_set *set, unsigned n, uint64_t sum,
                      uint32_t stack)
{
	memmove(set->sums + 1, set->sums, n * sizeof(set->sums[0]));
	memmove(set->stacks + 1, set->stacks, n * sizeof(set->stacks[0]));
	set->sums[0] = sum;
	set->stacks[0] = stack;
}

uint32_t syc_dedup_find(struct syc_dedup *dedup, unsigned __int128 sum)
{
	struct syc_dedup_set *set = set_of(dedup, upper(sum));

	for (unsigned i = 0; i < SYC_DEDUP_WAYS; i++) {
		const uint32_t stack = set->stacks[i];

		if (set->sums[i] != upper(sum) || stack == 0)
			continue;
		if (i > 0)
			put_first(set, i, upper(sum), stack);
		return stack;
	}
	return 0;
}

/* Half of each set moves to another set, in the same order. */
static void grow(struct syc_dedup *dedup)
{
	struct syc_dedup grown = { .n = 2 * dedup->n };

	grown.sets = make_sets(grown.n);
	if (grown.sets == NULL)
		return;
	for (size_t i = 0; i < dedup->n; i++)
		for (unsigned k = SYC_DEDUP_WAYS; k-- > 0;) {
			const struct syc_dedup_set *set = &dedup->sets[i];

			if (set->stacks[k] != 0)
				put_first(set_of(&grown, set->sums[k]),
				          SYC_DEDUP_WAYS - 1, set->sums[k],
				          set->stacks[k]);
		}
	free(dedup->sets);
	dedup->sets = grown.sets;
	dedup->n = grown.n;
}

void syc_dedup_put(struct syc_dedup *dedup, unsigned __int128 sum,
                   uint32_t stack)
{
	if (++dedup->n_puts >= 2 * dedup->n && dedup->n < MOST_SETS) {
		dedup->n_puts = 0;
		grow(dedup);
	}
	put_first(set_of(dedup, upper(sum)), SYC_DEDUP_WAYS - 1, upper(sum),
	          stack);
}
