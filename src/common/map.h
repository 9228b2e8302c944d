/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map.h - numbers 0, 1, 2, ... of distinct keys, in their order of arrival.
 *
 * A key is any run of bytes, and is copied.  The caller keeps the value of a
 * key in an array, at the key's number.  So one map serves any value type, and
 * the order of output does not depend on hashes.
 */
#ifndef SYC_COMMON_MAP_H
#define SYC_COMMON_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_map_key {
	uint32_t hash;
	uint32_t len;
	const void *bytes;
};

struct syc_map_block; /* keys live in blocks, which never move */

/** An all-zero struct is an empty map. */
struct syc_map {
	struct syc_map_key *keys; /* keys by number */
	size_t n, capacity;
	uint32_t *slots; /* number of a key + 1; 0: free slot */
	size_t n_slots;  /* number of slots: a power of two, or 0 */
	struct syc_map_block *blocks;
	uint64_t seed;
};

void syc_map_fini(struct syc_map *map);

/** Find @key or add it.  Returns 1 if @key is new, 0 if it exists, or
 * -ENOMEM. */
int syc_map_put(struct syc_map *map, const void *key, size_t len,
                size_t *ret_number);

bool syc_map_get(const struct syc_map *map, const void *key, size_t len,
                 size_t *ret_number);

#endif
