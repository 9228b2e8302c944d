/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_sampled.h - a sample of all allocations, by bytes.
 *
 * Each byte that is allocated is drawn with the same chance, 1 in N, and an
 * allocation is recorded when one of its bytes is: of s bytes with the chance
 * 1 - exp(-s/N).  It stands for s divided by that, so that sums are right on
 * the average, whatever the sizes.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_MEMORY_SAMPLED_H
#define SYC_PRELOAD_MEMORY_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Draw one of @bytes; the same draws for the same @seed, if threads begin in
 * the same order.  False: there is no memory for it.  Context: setup. */
bool syc_memory_sampled_begin(uint64_t bytes, uint64_t seed);

/** The @n_bytes at @at are no block that is drawn: forget is asked about them. */
void syc_memory_sampled_ask(const void *at, size_t n_bytes);

/* What most calls come by, in some nanoseconds: bytes until the next is drawn,
 * of each thread, 0 before its first draw and where nothing is sampled; and how
 * many blocks were drawn in each of so many parts of all addresses. */
#define SYC_MEMORY_PARTS      (UINT32_C(1) << 16)
#define SYC_MEMORY_PART_BYTES 256u
extern _Thread_local uint64_t syc_memory_sampled_left
	__attribute__((tls_model("initial-exec")));
extern uint8_t syc_memory_sampled_parts[SYC_MEMORY_PARTS];

/** Neighbours are in one cache line of parts. */
static inline uint32_t syc_memory_sampled_part(const void *block)
{
	return (uint32_t)((uintptr_t)block / SYC_MEMORY_PART_BYTES) %
	       SYC_MEMORY_PARTS;
}

/** An allocation of @size is not drawn, and is counted; false: ask by take. */
static inline bool syc_memory_sampled_passes(size_t size)
{
	const uint64_t left = syc_memory_sampled_left;

	if (__builtin_expect(size >= left, 0))
		return false;
	syc_memory_sampled_left = left - size;
	return true;
}

/** @block was not drawn; false: ask by forget.  NULL never was. */
static inline bool syc_memory_sampled_is_free(const void *block)
{
	return __builtin_expect(
		__atomic_load_n(
			&syc_memory_sampled_parts[syc_memory_sampled_part(
				block)],
			__ATOMIC_RELAXED) == 0,
		1);
}

/** How many bytes an allocation of @size stands for; 0: it is not drawn. */
int64_t syc_memory_sampled_take(size_t size);

/** That @block was drawn; false: there is no room to remember. */
bool syc_memory_sampled_remember(const void *block);

/** Whether it was, and it is not from now on. */
bool syc_memory_sampled_forget(const void *block);

#endif
