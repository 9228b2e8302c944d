/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * backing.h - memory of large tables, which is mapped at their first use: a
 * program that never comes to use one carries no page and no zeroes for it.
 */
#ifndef SYC_BACKING_H
#define SYC_BACKING_H

#include <stddef.h>

/**
 * The zeroed memory of @size at *@place, a static pointer; mapped now where
 * that is NULL.  It stays for good, and a forked child has it too.  NULL: none
 * could be mapped, and the next call tries again; what that means is told
 * where each table is.
 *
 * Context: any-thread, signal-safe.
 */
void *syc_backing_get(void *place, size_t size);

#endif
