/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * needed.h - which libraries are never unloaded, because the program, or one
 * of them, was linked with them.
 */
#ifndef SYC_STACK_NEEDED_H
#define SYC_STACK_NEEDED_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#define SYC_NEEDED_MOST 2048u

/** Names of libraries, as hashes; all zero: none. */
struct syc_needed {
	unsigned n;
	uint64_t names[SYC_NEEDED_MOST];
};

/** Add the libraries that @info, a module that stays, was linked with.
 * Context: any-thread. */
void syc_needed_add(struct syc_needed *needed, const struct dl_phdr_info *info);

/** @info is one of those.  Context: any-thread. */
bool syc_needed_has(const struct syc_needed *needed,
                    const struct dl_phdr_info *info);

#endif
