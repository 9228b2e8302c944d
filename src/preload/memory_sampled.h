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

/** How many bytes an allocation of @size stands for; 0: it is not drawn. */
int64_t syc_memory_sampled_take(size_t size);

/** That @block was drawn; false: there is no room to remember. */
bool syc_memory_sampled_remember(const void *block);

/** Whether it was, and it is not from now on. */
bool syc_memory_sampled_forget(const void *block);

#endif
