/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.h - the names that a writer has given addresses to, none of which is
 * ever forgotten.
 *
 * A table of tries.  An entry is filled and then hung in with one exchange,
 * and never moves: a handler that interrupts somebody who adds a name finds
 * either all of it or nothing.  Memory comes from mmap(), in chunks.
 *
 * Context of everything here: signal-safe, one thread at a time; errno is
 * kept.
 */
#ifndef SYC_NAMES_H
#define SYC_NAMES_H

#include <stddef.h>
#include <stdint.h>

/** Longer names are cut. */
#define SYC_NAME_MAX 16383u

#define SYC_NAME_ROOTS 1024u

struct syc_name {
	struct syc_name *children[4];
	uint64_t hash;
	uint64_t address;
	uint32_t len;
	uint32_t told;     /* the owner's: where the name has been written */
	uint32_t gathered; /* the owner's: in which frame it was put last */
	char text[];
};

struct syc_name_chunk;

/** All zero but next, the first address, is an empty one. */
struct syc_names {
	struct syc_name *roots[SYC_NAME_ROOTS];
	struct syc_name_chunk *chunk;
	uint64_t next;
};

/**
 * A first address for a file that others write to as well, scattered over the
 * 32 bits that readers take: two processes with a hundred names each meet once
 * in ten million times.
 */
uint64_t syc_names_scattered(void);

/** The entry of @name, which is made if there is none; NULL: no memory. */
struct syc_name *syc_names_get(struct syc_names *names, const char *name);

void syc_names_fini(struct syc_names *names);

#endif
