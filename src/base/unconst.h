/* SPDX-License-Identifier: BSD-2-Clause */
/* unconst.h - memory whose owner passes it to a function without const. */
#ifndef SYC_BASE_UNCONST_H
#define SYC_BASE_UNCONST_H

#include <stdint.h>

/** The pointer @it without const, for free(), munmap() and madvise(), and for a
 * caller that may write to this memory. */
static inline void *syc_unconst(const void *it)
{
	return (void *)(uintptr_t)it;
}

#endif
