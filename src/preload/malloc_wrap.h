/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * malloc_wrap.h - the real allocator: the C library's allocator, or the
 * allocator of another preloaded library.
 *
 * The lookup of a function may allocate.  An allocation during a lookup comes
 * from a small memory of our own, and is never freed.
 */
#ifndef SYC_PRELOAD_MALLOC_WRAP_H
#define SYC_PRELOAD_MALLOC_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The real malloc(); NULL: not found, or the lookup is in progress. */
void *syc_malloc_real(void);

#define SYC_MEMORY_EARLY 32768u
extern unsigned char syc_memory_early_blocks[SYC_MEMORY_EARLY];

#endif
