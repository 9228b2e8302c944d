/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map.h - numbers distinct keys 0, 1, 2, ... in the order they are met.
 *
 * A key is any run of bytes, and is copied.  The caller keeps what belongs
 * to a key in an array of its own, at the key's number: so a map of any
 * value type is this one, and the order of the output does not depend on
 * hashes.
 */
#ifndef SYC_DATA_MAP_H
#define SYC_DATA_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_map_key {
	uint32_t hash;
	uint32_t len;
	const void *bytes;
};

struct syc_map_block; /* keys live in blocks, which never move */

/** All zero is an empty map. */
struct syc_map {
	struct syc_map_key *keys; /* by number */
	size_t n, capacity;
	uint32_t *slots; /* number + 1, or 0 */
	size_t n_slots;  /* a power of two, or 0 */
	struct syc_map_block *blocks;
	uint64_t seed;
};

void syc_map_fini(struct syc_map *map);

/**
 * Find @key or add it.  Returns 1 when it is new, 0 when it was there,
 * -ENOMEM.
 */
int syc_map_put(struct syc_map *map, const void *key, size_t len,
                size_t *ret_number);

bool syc_map_get(const struct syc_map *map, const void *key, size_t len,
                 size_t *ret_number);

#endif
