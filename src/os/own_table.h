/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_table.h - a table of descriptors for one library thread.  The program's
 * close(), dup2() and closefrom() do not affect it.  It keeps none of the
 * program's files open, and 0 to 2 lead nowhere, including stderr.
 */
#ifndef SYC_OS_OWN_TABLE_H
#define SYC_OS_OWN_TABLE_H

#include <stdbool.h>

#define SYC_OWN_TABLE_MAX 3u

/**
 * Give the calling thread a table with the @n descriptors at @kept alone, at
 * most SYC_OWN_TABLE_MAX; any may be -1.  False: the kernel has none, and
 * nothing was changed.
 *
 * Context: any thread of ours.
 */
bool syc_own_table_make(const int *kept, unsigned n);

#endif
