/* SPDX-License-Identifier: BSD-2-Clause */
/* met.c - whole stacks that were met before, by a sum over their addresses. */
#include "profile/met.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_SETS 64u
/* 8 MiB: what has more stacks than these 650,000 finds the latest of them. */
#define MOST_SETS (UINT32_C(1) << 17)

#define LINE 64u

_Static_assert(sizeof(struct syc_met_set) == LINE, "a set is a line");

void syc_met_fini(struct syc_met *met)
{
	free(met->sets);
	met->sets = NULL;
	met->n = 0;
	met->is_off = true;
}

static struct syc_met_set *make_sets(size_t n)
{
	struct syc_met_set *sets =
		aligned_alloc(LINE, n * sizeof(struct syc_met_set));

	if (sets != NULL)
		memset(sets, 0, n * sizeof(*sets));
	return sets;
}

static bool fill_factors(struct syc_met *met)
{
	unsigned char *at = (unsigned char *)met->factors;
	size_t left = sizeof(met->factors);

	while (left > 0) {
		/* No more is given at once for sure. */
		const size_t size = left < 256 ? left : 256;

		if (getrandom(at, size, GRND_NONBLOCK) != (ssize_t)size)
			return false;
		at += size;
		left -= size;
	}
	return true;
}

bool syc_met_begin(struct syc_met *met)
{
	if (met->n > 0 || met->is_off)
		return !met->is_off;
	met->sets = make_sets(FIRST_SETS);
	met->is_off = met->sets == NULL || !fill_factors(met);
	if (met->is_off)
		syc_met_fini(met);
	else
		met->n = FIRST_SETS;
	return !met->is_off;
}

static uint64_t upper(unsigned __int128 sum)
{
	return (uint64_t)(sum >> 64);
}

/* Sums of addresses that are alike are as far apart as each other: stirred, they
 * are anywhere. */
static struct syc_met_set *set_of(const struct syc_met *met, uint64_t sum)
{
	sum = (sum ^ sum >> 32) * UINT64_C(0x9E3779B97F4A7C15);
	return &met->sets[sum >> 40 & (met->n - 1)];
}

/* The others stay behind it in their order; the last one is forgotten. */
static void put_first(struct syc_met_set *set, unsigned n, uint64_t sum,
                      uint32_t stack)
{
	memmove(set->sums + 1, set->sums, n * sizeof(set->sums[0]));
	memmove(set->stacks + 1, set->stacks, n * sizeof(set->stacks[0]));
	set->sums[0] = sum;
	set->stacks[0] = stack;
}

uint32_t syc_met_find(struct syc_met *met, unsigned __int128 sum)
{
	struct syc_met_set *set = set_of(met, upper(sum));

	for (unsigned i = 0; i < SYC_MET_WAYS; i++) {
		const uint32_t stack = set->stacks[i];

		if (set->sums[i] != upper(sum) || stack == 0)
			continue;
		if (i > 0)
			put_first(set, i, upper(sum), stack);
		return stack;
	}
	return 0;
}

/* Half of each set goes to another, in its order. */
static void grow(struct syc_met *met)
{
	struct syc_met grown = { .n = 2 * met->n };

	grown.sets = make_sets(grown.n);
	if (grown.sets == NULL)
		return;
	for (size_t i = 0; i < met->n; i++)
		for (unsigned k = SYC_MET_WAYS; k-- > 0;) {
			const struct syc_met_set *set = &met->sets[i];

			if (set->stacks[k] != 0)
				put_first(set_of(&grown, set->sums[k]),
				          SYC_MET_WAYS - 1, set->sums[k],
				          set->stacks[k]);
		}
	free(met->sets);
	met->sets = grown.sets;
	met->n = grown.n;
}

void syc_met_put(struct syc_met *met, unsigned __int128 sum, uint32_t stack)
{
	if (++met->n_puts >= 2 * met->n && met->n < MOST_SETS) {
		met->n_puts = 0;
		grow(met);
	}
	put_first(set_of(met, upper(sum)), SYC_MET_WAYS - 1, upper(sum), stack);
}
