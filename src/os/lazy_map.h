/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lazy_map.h - memory of large tables, mapped at their first use.  An unused
 * table takes no page of memory, and no zeroes in the file.
 */
#ifndef SYC_OS_LAZY_MAP_H
#define SYC_OS_LAZY_MAP_H

#include <stddef.h>

/**
 * The zeroed memory of @size at *@place, a static pointer.  Maps the memory if
 * *@place is NULL.  The memory is never unmapped, and a forked child has it
 * too.  Returns NULL if the mapping failed; the next call tries again.  Each
 * table documents the consequences of NULL.
 *
 * Context: any-thread, signal-safe.
 */
void *syc_lazy_map_get(void *place, size_t size);

#endif
