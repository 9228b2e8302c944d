/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_sampled.h - a sample of all allocations, by bytes.
 *
 * Each allocated byte is drawn with the same chance, 1 in N.  An allocation is
 * recorded if one of its bytes is drawn: for s bytes with the chance 1 -
 * exp(-s/N).  The recorded allocation represents s divided by this chance, so
 * sums are right on the average, for any sizes.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_MEMORY_SAMPLED_H
#define SYC_PRELOAD_MEMORY_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Draw one of @bytes bytes, in the same way for the same @seed and order of
 * threads.  False: out of memory for the table.  Context: setup.
 */
bool syc_memory_sampled_begin(uint64_t bytes, uint64_t seed);

/**
 * Note that the @n_bytes at @at have no drawn blocks, although frees of blocks
 * there must be checked.
 */
void syc_memory_sampled_exclude(const void *at, size_t n_bytes);

/*
 * Most calls read only these variables, and take some nanoseconds.  Each thread
 * has the number of bytes until the next draw: 0 before the first draw, and if
 * sampling is off.  Each part of the address space has the number of its drawn
 * blocks.
 */
#define SYC_MEMORY_PARTS      (UINT32_C(1) << 16)
#define SYC_MEMORY_PART_BYTES 256u
extern _Thread_local uint64_t syc_memory_sampled_left
	__attribute__((tls_model("initial-exec")));
extern uint8_t syc_memory_sampled_parts[SYC_MEMORY_PARTS];

/** The part of @block.  Neighbouring blocks are in one cache line of parts. */
static inline uint32_t syc_memory_sampled_part(const void *block)
{
	return (uint32_t)((uintptr_t)block / SYC_MEMORY_PART_BYTES) %
	       SYC_MEMORY_PARTS;
}

/** Count an allocation of @size.  True: the allocation is not drawn.  False:
 * call syc_memory_sampled_take(). */
static inline bool syc_memory_sampled_passes(size_t size)
{
	const uint64_t left = syc_memory_sampled_left;

	if (__builtin_expect(size >= left, 0))
		return false;
	syc_memory_sampled_left = left - size;
	return true;
}

/** Whether @block was surely not drawn, like NULL.  False: call
 * syc_memory_sampled_forget(). */
static inline bool syc_memory_sampled_is_free(const void *block)
{
	return __builtin_expect(
		__atomic_load_n(
			&syc_memory_sampled_parts[syc_memory_sampled_part(
				block)],
			__ATOMIC_RELAXED) == 0,
		1);
}

/** Bytes that an allocation of @size represents; 0: not drawn. */
int64_t syc_memory_sampled_take(size_t size);

/** Remember that @block was drawn; false: the table is full. */
bool syc_memory_sampled_remember(const void *block);

/** Forget @block; true if @block was remembered. */
bool syc_memory_sampled_forget(const void *block);

#endif
