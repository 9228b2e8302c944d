/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * malloc_wrap.h - the allocator behind ours: that of the C library, or of
 * another library that is preloaded.
 *
 * The lookup of a function may allocate.  Such an allocation comes from a
 * little memory of our own, and is never given back.
 */
#ifndef SYC_PRELOAD_MALLOC_WRAP_H
#define SYC_PRELOAD_MALLOC_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The real malloc(); NULL: there is none, or it is being looked up. */
void *syc_malloc_real(void);

#define SYC_MEMORY_EARLY 32768u
extern unsigned char syc_memory_early_blocks[SYC_MEMORY_EARLY];

#endif
