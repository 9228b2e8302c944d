/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lazy_map.h - memory of large tables, mapped at their first use.  A program
 * that never uses a table has no page and no zeroes for it.
 */
#ifndef SYC_OS_LAZY_MAP_H
#define SYC_OS_LAZY_MAP_H

#include <stddef.h>

/**
 * The zeroed memory of @size at *@place, a static pointer; mapped now where
 * that is NULL.  It stays for good, and a forked child has it too.  NULL: the
 * mapping failed, and the next call tries again.  Each table documents the
 * consequences.
 *
 * Context: any-thread, signal-safe.
 */
void *syc_lazy_map_get(void *place, size_t size);

#endif
