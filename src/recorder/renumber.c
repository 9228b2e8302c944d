/* SPDX-License-Identifier: BSD-2-Clause */
/* renumber.c - counter ids that are unique in the file. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "recorder/drain.h"

#define ID_MAX UINT32_C(0xFFFFFF)

/* Maximum number of definitions, and also of undefined ids, of a process. */
#define PER_PROCESS 65536u

struct definition {
	/* Counter, whose id and value are zero. */
	struct syscap_wire_counter counter;
	uint32_t id; /* id that the process uses */
	uint32_t new_id;
};

struct renumbered_process {
	struct renumbered_process *next;
	int32_t pid;
	/* Map from id to new id, by the first definition. */
	struct syc_id_map ids;
	/* Map from id to new id, for undefined ids. */
	struct syc_id_map pending;
	/* Map from a definition's hash to its index + 1. */
	struct syc_id_map first;
	SYC_ARRAY(struct definition) definitions;
};

struct syc_renumber {
	uint32_t last_id;
	struct renumbered_process *buckets[256];
};

static uint32_t spread(uint32_t id)
{
	return (uint32_t)((id * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

static struct syc_id_pair *map_slot(const struct syc_id_map *map, uint32_t id)
{
	size_t i = spread(id) & (map->size - 1);

	while (map->pairs[i].id != 0 && map->pairs[i].id != id)
		i = (i + 1) & (map->size - 1);
	return &map->pairs[i];
}

static uint32_t map_get(const struct syc_id_map *map, uint32_t id)
{
	return map->size == 0 ? 0 : map_slot(map, id)->value;
}

static int map_grow(struct syc_id_map *map)
{
	const size_t size = map->size == 0 ? 16 : 2 * map->size;
	struct syc_id_map bigger = { .used = map->used, .size = size };

	bigger.pairs = calloc(size, sizeof(*bigger.pairs));
	if (bigger.pairs == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < map->size; i++)
		if (map->pairs[i].id != 0)
			*map_slot(&bigger, map->pairs[i].id) = map->pairs[i];
	free(map->pairs);
	*map = bigger;
	return 0;
}

static int map_put(struct syc_id_map *map, uint32_t id, uint32_t value)
{
	struct syc_id_pair *pair;

	if (2 * (map->used + 1) > map->size && map_grow(map) != 0)
		return -ENOMEM;
	pair = map_slot(map, id);
	map->used += pair->id == 0;
	pair->id = id;
	pair->value = value;
	return 0;
}

static void map_clear(struct syc_id_map *map)
{
	free(map->pairs);
	memset(map, 0, sizeof(*map));
}

int syc_renumber_new(struct syc_renumber **ret_renumber)
{
	*ret_renumber = calloc(1, sizeof(**ret_renumber));
	return *ret_renumber == NULL ? -ENOMEM : 0;
}

static void free_process(struct renumbered_process *process)
{
	map_clear(&process->ids);
	map_clear(&process->pending);
	map_clear(&process->first);
	free(process->definitions.items);
	free(process);
}

void syc_renumber_free(struct syc_renumber *renumber)
{
	if (renumber == NULL)
		return;
	for (unsigned i = 0; i < 256; i++)
		while (renumber->buckets[i] != NULL) {
			struct renumbered_process *process =
				renumber->buckets[i];

			renumber->buckets[i] = process->next;
			free_process(process);
		}
	free(renumber);
}

static struct renumbered_process **find_bucket(struct syc_renumber *renumber,
                                               int32_t pid)
{
	struct renumbered_process **at =
		&renumber->buckets[(uint32_t)pid & 255];

	while (*at != NULL && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

static struct renumbered_process *get_process(struct syc_renumber *renumber,
                                              int32_t pid)
{
	struct renumbered_process **at = find_bucket(renumber, pid);

	if (*at == NULL) {
		*at = calloc(1, sizeof(**at));
		if (*at != NULL)
			(*at)->pid = pid;
	}
	return *at;
}

void syc_renumber_forget(struct syc_renumber *renumber, int32_t pid)
{
	struct renumbered_process **at = find_bucket(renumber, pid),
				  *process = *at;

	if (process != NULL) {
		*at = process->next;
		free_process(process);
	}
}

void syc_renumber_ring_done(struct syc_renumber_ring *ring)
{
	map_clear(&ring->defined);
}

static uint32_t get_id(const struct syscap_wire_counter *counter)
{
	return counter->id[0] | (uint32_t)counter->id[1] << 8 |
	       (uint32_t)counter->id[2] << 16;
}

static void set_id(struct syscap_wire_counter *counter, uint32_t id)
{
	counter->id[0] = (uint8_t)id;
	counter->id[1] = (uint8_t)(id >> 8);
	counter->id[2] = (uint8_t)(id >> 16);
}

/* Hash a definition.  The hash is never 0, which marks a free slot of the
 * map. */
static uint32_t hash_definition(const struct definition *definition)
{
	const unsigned char *bytes = (const void *)&definition->counter;
	uint32_t hash = 2166136261u ^ definition->id;

	for (size_t i = 0; i < sizeof(definition->counter); i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash != 0 ? hash : 1;
}

static bool is_same_definition(const struct definition *a,
                               const struct definition *b)
{
	return a->id == b->id &&
	       memcmp(&a->counter, &b->counter, sizeof(a->counter)) == 0;
}

/*
 * Return the id for @counter, and whether the definition is new.  Returns 0
 * without an id, with the reason in *error.
 */
static uint32_t define_counter(struct syc_renumber *renumber,
                               struct renumbered_process *process,
                               const struct syscap_wire_counter *counter,
                               bool *ret_fresh, int *error)
{
	struct definition wanted = { .counter = *counter,
		                     .id = get_id(counter) };
	uint32_t hash, index;

	set_id(&wanted.counter, 0);
	wanted.counter.value = 0;
	*ret_fresh = false;
	hash = hash_definition(&wanted);
	/* On a hash collision, try the next hash. */
	while ((index = map_get(&process->first, hash)) != 0) {
		if (is_same_definition(&process->definitions.items[index - 1],
		                       &wanted))
			return process->definitions.items[index - 1].new_id;
		hash = hash + 1 != 0 ? hash + 1 : 1;
	}

	*error = -ENOSPC;
	if (process->definitions.n == PER_PROCESS)
		return 0;
	wanted.new_id = map_get(&process->ids, wanted.id) != 0
	                        ? 0
	                        : map_get(&process->pending, wanted.id);
	if (wanted.new_id == 0 && renumber->last_id == ID_MAX)
		return 0;
	*error = -ENOMEM;
	if (syc_array_room(&process->definitions) < 0)
		return 0;
	if (wanted.new_id == 0)
		wanted.new_id = renumber->last_id + 1;
	if (map_get(&process->ids, wanted.id) == 0 &&
	    map_put(&process->ids, wanted.id, wanted.new_id) != 0)
		return 0;
	/* Ignore a failure, which only prevents the merge of equal
	 * definitions. */
	map_put(&process->first, hash, (uint32_t)process->definitions.n + 1);
	if (wanted.new_id > renumber->last_id)
		renumber->last_id = wanted.new_id;
	process->definitions.items[process->definitions.n++] = wanted;
	*error = 0;
	*ret_fresh = true;
	return wanted.new_id;
}

int syc_renumber_ctrdef(struct syc_renumber *renumber,
                        struct syc_renumber_ring *ring,
                        struct syscap_wire_ctrdef *ctrdef)
{
	struct renumbered_process *process =
		get_process(renumber, ctrdef->frame.pid);
	struct syscap_wire_counter *counters = (void *)(ctrdef + 1);
	const unsigned n = ctrdef->n_counters;
	unsigned kept = 0;
	int result = process != NULL ? 0 : -ENOMEM;

	for (unsigned i = 0; process != NULL && i < n; i++) {
		const uint32_t id = get_id(&counters[i]);
		bool fresh;
		int error = 0;
		uint32_t new_id;

		if (id == 0) /* drop a counter without an id */
			continue;
		new_id = define_counter(renumber, process, &counters[i], &fresh,
		                        &error);
		if (new_id != 0 && map_put(&ring->defined, id, new_id) != 0)
			error = -ENOMEM;
		if (error != 0)
			result = error;
		if (!fresh)
			continue;
		counters[kept] = counters[i];
		set_id(&counters[kept], new_id);
		kept++;
	}
	memset(&counters[kept], 0, (n - kept) * sizeof(*counters));
	ctrdef->n_counters = (uint16_t)kept;
	ctrdef->frame.len =
		(uint16_t)(sizeof(*ctrdef) + kept * sizeof(*counters));
	return result;
}

static uint32_t use(struct syc_renumber *renumber,
                    struct renumbered_process *process,
                    const struct syc_renumber_ring *ring, uint32_t id,
                    int *error)
{
	uint32_t new_id = map_get(&ring->defined, id);

	if (new_id == 0)
		new_id = map_get(&process->ids, id);
	if (new_id == 0)
		new_id = map_get(&process->pending, id);
	if (new_id != 0)
		return new_id;
	*error = -ENOSPC;
	if (process->pending.used == PER_PROCESS || renumber->last_id == ID_MAX)
		return 0;
	*error = map_put(&process->pending, id, renumber->last_id + 1);
	return *error == 0 ? ++renumber->last_id : 0;
}

int syc_renumber_ctrset(struct syc_renumber *renumber,
                        struct syc_renumber_ring *ring,
                        struct syscap_wire_ctrset *ctrset)
{
	struct renumbered_process *process =
		get_process(renumber, ctrset->frame.pid);
	struct syscap_wire_values *groups = (void *)(ctrset + 1);
	const unsigned n = process != NULL ? ctrset->n_groups * 8u : 0;
	unsigned kept = 0, kept_groups;
	int result = process != NULL ? 0 : -ENOMEM;

	/* Move counters to unused slots, because viewers miscount after an
	 * unused slot. */
	for (unsigned i = 0; i < n; i++) {
		const uint32_t id = groups[i / 8].ids[i % 8];
		const uint64_t value = groups[i / 8].values[i % 8];
		uint32_t new_id;
		int error = 0;

		if (id == 0)
			continue;
		new_id = use(renumber, process, ring, id, &error);
		if (error != 0)
			result = error;
		if (new_id == 0)
			continue;
		groups[kept / 8].ids[kept % 8] = new_id;
		groups[kept / 8].values[kept % 8] = value;
		kept++;
	}
	kept_groups = (kept + 7) / 8;
	for (unsigned i = kept; i < kept_groups * 8; i++) {
		groups[i / 8].ids[i % 8] = 0;
		groups[i / 8].values[i % 8] = 0;
	}
	ctrset->n_groups = (uint16_t)kept_groups;
	ctrset->frame.len =
		(uint16_t)(sizeof(*ctrset) + kept_groups * sizeof(*groups));
	return result;
}

uint32_t syc_renumber_new_id(struct syc_renumber *renumber)
{
	return renumber->last_id < ID_MAX ? ++renumber->last_id : 0;
}

uint32_t syc_renumber_last(const struct syc_renumber *renumber)
{
	return renumber->last_id;
}
