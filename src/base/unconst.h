/* SPDX-License-Identifier: BSD-2-Clause */
/* unconst.h - memory that its owner gives to a function without const. */
#ifndef SYC_BASE_UNCONST_H
#define SYC_BASE_UNCONST_H

#include <stdint.h>

/** @it for free(), munmap() and madvise(); or for a caller that knows that it
 * may write there. */
static inline void *syc_unconst(const void *it)
{
	return (void *)(uintptr_t)it;
}

#endif
