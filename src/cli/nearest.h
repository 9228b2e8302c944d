/* SPDX-License-Identifier: BSD-2-Clause */
/* nearest.h - of many names the one that was perhaps meant. */
#ifndef SYC_CLI_NEAREST_H
#define SYC_CLI_NEAREST_H

#include <stddef.h>

/** Begin with @wanted set and the rest zero. */
struct syc_nearest {
	const char *wanted;
	const char *name; /* the nearest so far; NULL: none is near */
	size_t distance;
};

/**
 * Look at @name too.  Near is what holds @wanted, or differs from it by no
 * more than a third of its characters, whatever their case.
 */
void syc_nearest_see(struct syc_nearest *nearest, const char *name);

#endif
