/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * permanent_map.h - mappings that last until the process ends: large tables,
 * and objects that dlclose() would unmap.
 */
#ifndef SYC_OS_PERMANENT_MAP_H
#define SYC_OS_PERMANENT_MAP_H

#include <stdbool.h>
#include <stddef.h>

/**
 * The zeroed memory of @size at *@place, a static pointer.  Maps the memory if
 * *@place is NULL.  The memory is never unmapped, and a forked child has it
 * too.  An unused table takes no page of memory, and no zeroes in the file.
 * Returns NULL if the mapping failed; the next call tries again.  Each
 * table documents the consequences of NULL.
 *
 * Context: any-thread, signal-safe.
 */
void *syc_lazy_map_get(void *place, size_t size);

/** Keep the object that contains @address loaded, even after dlclose().  False:
 * no object contains @address, or the object is the program.  Context:
 * setup. */
bool syc_pin_object(const void *address);

#endif
