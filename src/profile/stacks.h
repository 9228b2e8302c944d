/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacks.h - stacks of a capture, interned in one tree of locations.
 *
 * Most stacks repeat as a whole, which a checksum detects (struct syc_dedup).
 * Other stacks reuse the outer frames in common with the previous stack.
 */
#ifndef SYC_PROFILE_STACKS_H
#define SYC_PROFILE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/profile.h>

#include "common/containers.h"
#include "profile/tree.h"

/** Larger stacks are not deduplicated as a whole. */
#define SYC_DEDUP_WORDS 512u

/**
 * The number of entries that fit into a cache line.  The most recent entry is
 * first.
 */
#define SYC_DEDUP_WAYS 5u
struct syc_dedup_set {
	uint64_t sums[SYC_DEDUP_WAYS];
	uint32_t stacks[SYC_DEDUP_WAYS]; /* stacks; 0: none */
};

/**
 * Deduplication of whole stacks by a checksum.  A program repeats a few stacks.
 * The tree needs two cache misses for each address, but a lookup of a whole
 * stack needs one cache miss.
 *
 * Stacks with equal checksums are treated as equal.  Each word of a stack is
 * multiplied by a random 128-bit factor of its position, and the upper half of
 * the sum is used.  Any two different stacks have equal checksums with a
 * probability of at most 2^-63, even in a hostile file.  All zero at first.
 */
struct syc_dedup {
	struct syc_dedup_set *sets;
	size_t n;      /* number of sets, a power of two */
	size_t n_puts; /* number of additions since the last growth */
	bool is_off;   /* off for lack of random numbers or memory */
	unsigned __int128 factors[SYC_DEDUP_WORDS + 1];
};

void syc_dedup_fini(struct syc_dedup *dedup);

/**
 * Prepare for the first checksum.  Returns false if checksums are unavailable.
 */
bool syc_dedup_begin(struct syc_dedup *dedup);

/**
 * The first term of a checksum, which adds syc_dedup_word() of each word, 0 to
 * @n_words - 1.
 */
static inline unsigned __int128 syc_dedup_first(const struct syc_dedup *dedup,
                                                size_t n_words)
{
	return dedup->factors[SYC_DEDUP_WORDS] * (n_words + 1);
}

static inline unsigned __int128 syc_dedup_word(const struct syc_dedup *dedup,
                                               size_t i, uint64_t word)
{
	return dedup->factors[i] * word;
}

/** The stack with the checksum @sum; 0: unknown, or dropped. */
uint32_t syc_dedup_find(struct syc_dedup *dedup, unsigned __int128 sum);

/** Add @stack, which is not 0, and whose @sum was not found. */
void syc_dedup_put(struct syc_dedup *dedup, unsigned __int128 sum,
                   uint32_t stack);

/** The key of a node: the child of @parent with @key and @kind. */
struct syc_tree_key {
	uint64_t key;
	uint32_t parent;
	uint32_t kind;
};

struct syc_tree {
	size_t n, capacity;
	struct syc_tree_key *keys; /* key of each node; unused for the root */
	struct syc_slots slots;
};

/** The kind of an address in a stack. */
enum syc_step_kind {
	SYC_STEP_RETURN, /* a return address */
	SYC_STEP_EXACT,  /* an instruction that was about to run */
	SYC_STEP_NOTE    /* no address: a predefined function */
};

struct syc_stack_step {
	uint64_t address;
	uint32_t kind;
};

/** Internal facts about a location. */
struct syc_location_facts {
	int64_t time; /* time of the first stack that contains the location */
	uint32_t kind;
	bool is_signal; /* the location is a signal trampoline */
	bool may_vary;  /* another function may be at the address at other
	                 * times */
};

struct syc_stacks {
	struct syc_tree tree;
	struct syc_dedup dedup;
	struct syc_map by_address;
	SYC_ARRAY(uint32_t) parents;
	SYC_ARRAY(uint32_t) nodes; /* the location of each node */
	SYC_ARRAY(struct syscap_profile_location) locations;
	/* Facts of each location. */
	SYC_ARRAY(struct syc_location_facts) places;
	/* The previous stack that was not deduplicated, the outermost first. */
	SYC_ARRAY(struct syc_stack_step) steps, last_steps;
	SYC_ARRAY(uint32_t) path;
	/* Hashes of the paths of the previous stack. */
	SYC_ARRAY(uint64_t) hashes;
	uint32_t last_process;
};

/** Returns 0 or -ENOMEM. */
int syc_stacks_init(struct syc_stacks *stacks);

void syc_stacks_fini(struct syc_stacks *stacks);

/** From now on, no stack is added, and no location is made exact. */
void syc_stacks_seal(struct syc_stacks *stacks);

/** The parts of a frame that determine its stack. */
struct syc_stack_source {
	const struct syscap_reader *reader;
	const struct syscap_frame *frame;
	unsigned n_addrs;
	unsigned flags; /* SYSCAP_STACK_* */
	uint32_t process;
};

/** The number of a stack.  Returns 0 or -ENOMEM. */
int syc_stacks_put(struct syc_stacks *stacks,
                   const struct syc_stack_source *source, uint32_t *ret_stack);

/** Mark the address of @node as exact.  Returns 0 or -ENOMEM. */
int syc_stacks_make_exact(struct syc_stacks *stacks, uint32_t node);

/** A path from the outermost frame to a node; all zero at first. */
struct syc_way {
	uint32_t node;
	uint64_t hash;
};

/**
 * Extend the path by the location of @node, which was @function at @time.  If
 * @function differs from the location's function, use another location.
 * Returns 0 or -ENOMEM.
 */
int syc_stacks_go_on(struct syc_stacks *stacks, struct syc_way *way,
                     uint32_t node, uint32_t function, int64_t time);

/** Addresses that are not user code. */
bool syc_stacks_is_kernel(uint64_t address);

bool syc_stacks_is_name(uint64_t address);

#endif
