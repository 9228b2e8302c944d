/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_next.h - the functions behind ours: those of the C library, or of
 * another library that is preloaded.
 *
 * Looking for one may allocate.  What is allocated meanwhile comes from a
 * little memory of our own, and is never given back.
 */
#ifndef SYC_PRELOAD_MEMORY_NEXT_H
#define SYC_PRELOAD_MEMORY_NEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All are there: dlsym() allocates for what it does not find. */
#define SYC_MEMORY_FUNCTIONS(f)                                  \
	f(malloc) f(calloc) f(realloc) f(free) f(posix_memalign) \
		f(aligned_alloc) f(memalign) f(valloc) f(pvalloc)

#define SYC_MEMORY_INDEX(name) SYC_MEMORY_##name,
enum syc_memory_function {
	SYC_MEMORY_FUNCTIONS(SYC_MEMORY_INDEX) SYC_MEMORY_N_FUNCTIONS
};

/** The next of that name; NULL: there is none, or it is being looked for. */
void *syc_memory_next(enum syc_memory_function function);

/* Nothing is at address 1: there is no next of that name. */
#define SYC_MEMORY_NONE ((uintptr_t)1)
extern uintptr_t syc_memory_known[SYC_MEMORY_N_FUNCTIONS];

/** The same, of those that were looked for; NULL: it was not. */
static inline void *syc_memory_next_known(enum syc_memory_function function)
{
	const uintptr_t address =
		__atomic_load_n(&syc_memory_known[function], __ATOMIC_RELAXED);

	return address > SYC_MEMORY_NONE ? (void *)address : NULL;
}

/** Memory of our own, of zeroes; NULL: it is all given out. */
void *syc_memory_early(size_t size, size_t alignment);

#define SYC_MEMORY_EARLY 32768u
extern unsigned char syc_memory_early_blocks[SYC_MEMORY_EARLY];

static inline bool syc_memory_is_early(const void *block)
{
	return (uintptr_t)block - (uintptr_t)syc_memory_early_blocks <
	       SYC_MEMORY_EARLY;
}

/** How much may be read behind @block, which is an early one. */
size_t syc_memory_early_size(const void *block);

#endif
