/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * met.h - whole stacks that were met before, by a sum over their addresses.
 *
 * A program is found in the same few stacks again and again. Each address of a
 * stack that goes through the tree is looked for in two places of a table that
 * no cache holds; one that was met lately is looked for in one.
 *
 * The sum alone decides. Every word of a stack is multiplied by a number of 128
 * bits of its own, which are random, and of what they add up to the upper half
 * is taken: two different stacks have the same sum with a probability of at
 * most 2^-63, whatever they are, and whoever made the file.
 */
#ifndef SYC_PROFILE_MET_H
#define SYC_PROFILE_MET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Stacks of more words go through the tree each time. */
#define SYC_MET_WORDS 512u

/** As many as a line of the cache has; the one that was met last is the first.
 */
#define SYC_MET_WAYS 5u

struct syc_met_set {
	uint64_t sums[SYC_MET_WAYS];
	uint32_t stacks[SYC_MET_WAYS]; /* 0: none */
};

/** All zero at first. */
struct syc_met {
	struct syc_met_set *sets;
	size_t n;      /* a power of two */
	size_t n_puts; /* since it grew */
	bool is_off;   /* there is nothing random, or no memory */
	unsigned __int128 factors[SYC_MET_WORDS + 1];
};

void syc_met_fini(struct syc_met *met);

/** To be called before the first sum; false: there are none. */
bool syc_met_begin(struct syc_met *met);

/** A sum is this, and syc_met_word() of each word, 0 to @n_words - 1. */
static inline unsigned __int128 syc_met_first(const struct syc_met *met,
                                              size_t n_words)
{
	return met->factors[SYC_MET_WORDS] * (n_words + 1);
}

static inline unsigned __int128 syc_met_word(const struct syc_met *met,
                                             size_t i, uint64_t word)
{
	return met->factors[i] * word;
}

/** The stack that was put with @sum; 0: it was not, or is forgotten. */
uint32_t syc_met_find(struct syc_met *met, unsigned __int128 sum);

/** @stack, which is not 0 and was not found by @sum. */
void syc_met_put(struct syc_met *met, unsigned __int128 sum, uint32_t stack);

#endif
