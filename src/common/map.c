/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map.c - numbers of distinct keys: a hash table of key numbers with linear
 * probing, at most half full.
 *
 * Keys are from untrusted files, so the hash is seeded.  An attacker thus
 * cannot craft a file whose keys all collide.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/containers.h"

#define BLOCK_SIZE   65536u
#define FIRST_SLOTS  64u
#define MOST_KEYS    (UINT32_MAX / 4)
#define MULTIPLIER_A UINT64_C(0x9E3779B97F4A7C15)
#define MULTIPLIER_B UINT64_C(0xD6E8FEB86659FD93)

struct syc_map_block {
	struct syc_map_block *next;
	size_t used, size;
	unsigned char bytes[];
};

static uint64_t stir(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * MULTIPLIER_A;
	hash ^= hash >> 32;
	hash *= MULTIPLIER_B;
	return hash ^ hash >> 29;
}

static uint32_t hash_key(uint64_t seed, const void *key, size_t len)
{
	const unsigned char *bytes = key;
	uint64_t hash = seed ^ len;
	uint64_t word;

	for (; len >= sizeof(word); len -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = stir(hash, word);
		bytes += sizeof(word);
	}
	if (len) {
		word = 0;
		memcpy(&word, bytes, len);
		hash = stir(hash, word);
	}
	return (uint32_t)(hash ^ hash >> 32);
}

/* The slot of the key, or the free slot for the key. */
static size_t find_slot(const struct syc_map *map, uint32_t hash,
                        const void *key, size_t len)
{
	const size_t mask = map->n_slots - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		if (map->slots[i] == 0)
			return i;

		const struct syc_map_key *other = &map->keys[map->slots[i] - 1];
		if (other->hash == hash && other->len == len &&
		    memcmp(other->bytes, key, len) == 0)
			return i;
	}
}

static int grow_slots(struct syc_map *map)
{
	const size_t wanted = map->n_slots ? 2 * map->n_slots : FIRST_SLOTS;
	uint32_t *slots = calloc(wanted, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	if (map->n_slots == 0 &&
	    getrandom(&map->seed, sizeof(map->seed), GRND_NONBLOCK) < 0)
		map->seed = MULTIPLIER_B; /* early in boot, no attacker
		                           * exists */

	free(map->slots);
	map->slots = slots;
	map->n_slots = wanted;
	for (size_t number = 0; number < map->n; number++) {
		size_t i = map->keys[number].hash & (wanted - 1);

		while (slots[i])
			i = (i + 1) & (wanted - 1);
		slots[i] = (uint32_t)number + 1;
	}
	return 0;
}

static void *keep_key(struct syc_map *map, const void *key, size_t len)
{
	struct syc_map_block *block = map->blocks;

	if (!block || block->size - block->used < len) {
		const size_t size = len > BLOCK_SIZE ? len : BLOCK_SIZE;

		block = malloc(sizeof(*block) + size);
		if (!block)
			return NULL;
		block->next = map->blocks;
		block->used = 0;
		block->size = size;
		map->blocks = block;
	}

	void *copy = block->bytes + block->used;
	memcpy(copy, key, len);
	block->used += len;
	return copy;
}

int syc_map_put(struct syc_map *map, const void *key, size_t len,
                size_t *ret_number)
{
	if (map->n >= MOST_KEYS || len > UINT32_MAX)
		return -ENOMEM;
	if (2 * map->n >= map->n_slots && grow_slots(map) < 0)
		return -ENOMEM;

	const uint32_t hash = hash_key(map->seed, key, len);
	const size_t slot = find_slot(map, hash, key, len);
	if (map->slots[slot]) {
		*ret_number = map->slots[slot] - 1;
		return 0;
	}

	if (map->n == map->capacity &&
	    syc_array_grow(&map->keys, &map->capacity, sizeof(*map->keys)) < 0)
		return -ENOMEM;
	const void *copy = keep_key(map, key, len);
	if (!copy)
		return -ENOMEM;
	map->keys[map->n] = (struct syc_map_key){
		.hash = hash,
		.len = (uint32_t)len,
		.bytes = copy,
	};
	*ret_number = map->n++;
	map->slots[slot] = (uint32_t)map->n;
	return 1;
}

bool syc_map_get(const struct syc_map *map, const void *key, size_t len,
                 size_t *ret_number)
{
	if (map->n == 0)
		return false;

	const uint32_t hash = hash_key(map->seed, key, len);
	const size_t slot = find_slot(map, hash, key, len);
	if (map->slots[slot] == 0)
		return false;
	*ret_number = map->slots[slot] - 1;
	return true;
}

void syc_map_fini(struct syc_map *map)
{
	while (map->blocks) {
		struct syc_map_block *next = map->blocks->next;

		free(map->blocks);
		map->blocks = next;
	}
	free(map->keys);
	free(map->slots);
	memset(map, 0, sizeof(*map));
}
