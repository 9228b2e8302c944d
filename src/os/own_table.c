/* SPDX-License-Identifier: BSD-2-Clause */
/* own_table.c - a table of descriptors for one thread of ours. */
#define _GNU_SOURCE
#include "os/own_table.h"

#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define CLOSE_RANGE_UNSHARE_FLAG (1u << 1)

#if !defined(__SANITIZE_THREAD__)
/* Those from @from on and below @to.  False: it can't be done. */
static bool close_between(unsigned from, unsigned to, unsigned flags)
{
	return from >= to || syscall(SYS_close_range, from, to - 1, flags) == 0;
}
#endif

bool syc_own_table_make(int a, int b)
{
#if defined(__SANITIZE_THREAD__)
	/* It takes all threads to have one table, and would see races of
	 * numbers that are not the same descriptors */
	(void)a;
	(void)b;
	return false;
#else
	const int low = a < b ? a : b, high = a < b ? b : a;

	/* The first call makes the table: its range is never empty */
	if (!close_between((unsigned)(high + 1), UINT_MAX,
	                   CLOSE_RANGE_UNSHARE_FLAG))
		return false;
	if (high >= 0)
		close_between((unsigned)(low + 1), (unsigned)high, 0);
	if (low >= 0)
		close_between(0, (unsigned)low, 0);
	return true;
#endif
}
