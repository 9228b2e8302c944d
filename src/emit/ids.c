/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ids.c - mark sites and counters for callers that can't define them
 * statically.  Equal texts have the same id or pointer.
 *
 * Two append-only tables lie in zeroed memory, which has no pages until its
 * use.  A thread fills an entry, and then enters it into the hash table by one
 * compare-exchange, so no thread waits.  A thread that loses the race uses the
 * winner's entry, and its own entry stays unused.
 */
#define _GNU_SOURCE
#include <string.h>

#include <syscap.h>

#include "base/text.h"
#include "os/process.h"

#define N_ENTRIES 4096u
#define N_SLOTS   8192u

/* A slot holds 1 + entry; 0: empty.  Loads acquire, and stores release. */
struct index {
	uint32_t n_used;
	uint32_t slots[N_SLOTS];
};

/* Both tables are mapped at the first id.  NULL counts as a full table. */
static struct {
	struct index index;
	struct syscap_mark_site sites[N_ENTRIES];
} * marks;
static struct {
	struct index index;
	struct syscap_counter counters[N_ENTRIES];
} * counters;

static uint32_t hash_bytes(const void *bytes, size_t n, uint32_t h)
{
	const unsigned char *const at = bytes;

	for (size_t i = 0; i < n; i++) /* FNV-1a */
		h = (h ^ at[i]) * UINT32_C(16777619);
	return h;
}

#define HASH_BASIS UINT32_C(2166136261)

static bool same_site(uint32_t entry, const void *key)
{
	return memcmp(&marks->sites[entry], key, sizeof(marks->sites[entry])) ==
	       0;
}

static bool same_counter(uint32_t entry, const void *key)
{
	const struct syscap_counter *const a = &counters->counters[entry];
	const struct syscap_counter *const b = key;

	return a->type == b->type &&
	       memcmp(a->category, b->category, sizeof(a->category)) == 0 &&
	       memcmp(a->name, b->name, sizeof(a->name)) == 0;
}

/*
 * Find the entry for @key, or copy @key to a new entry at @table + entry *
 * @size.  Returns the entry, or N_ENTRIES if the table is full.
 */
static uint32_t find_or_add(struct index *index, uint32_t h, const void *key,
                            bool (*same)(uint32_t, const void *), void *table,
                            size_t size)
{
	uint32_t mine = N_ENTRIES;

	for (uint32_t i = h % N_SLOTS;; i = (i + 1) % N_SLOTS) {
		uint32_t in_slot =
			__atomic_load_n(&index->slots[i], __ATOMIC_ACQUIRE);
		if (in_slot == 0) {
			if (mine == N_ENTRIES) {
				mine = __atomic_fetch_add(&index->n_used, 1,
				                          __ATOMIC_RELAXED);
				if (mine >= N_ENTRIES) {
					__atomic_store_n(&index->n_used,
					                 N_ENTRIES,
					                 __ATOMIC_RELAXED);
					return N_ENTRIES;
				}
				memcpy((char *)table + mine * size, key, size);
			}
			if (__atomic_compare_exchange_n(
				    &index->slots[i], &in_slot, mine + 1, false,
				    __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
				return mine;
		}
		if (same(in_slot - 1, key))
			return in_slot - 1;
	}
}

uint32_t syscap_mark_id(const char *group, const char *name)
{
	struct syscap_mark_site site;

	if (syc_lazy_map_get(&marks, sizeof(*marks)) == NULL)
		return 0;
	syc_text_field(site.group, sizeof(site.group), group);
	syc_text_field(site.name, sizeof(site.name), name);
	const uint32_t entry = find_or_add(
		&marks->index, hash_bytes(&site, sizeof(site), HASH_BASIS),
		&site, same_site, marks->sites, sizeof(site));
	return entry == N_ENTRIES ? 0 : entry + 1;
}

void syscap_mark_by_id(uint32_t id, int64_t begin, int64_t duration,
                       const char *message)
{
	if (!syscap_is_active() || id == 0 ||
	    __atomic_load_n(&marks, __ATOMIC_ACQUIRE) == NULL ||
	    id > __atomic_load_n(&marks->index.n_used, __ATOMIC_RELAXED))
		return;
	syscap_mark_at(&marks->sites[id - 1], begin, duration, message);
}

struct syscap_counter *syscap_counter_get(const char *category,
                                          const char *name,
                                          const char *description,
                                          uint32_t type)
{
	struct syscap_counter key = { .type = type == SYSCAP_DOUBLE
		                                      ? SYSCAP_DOUBLE
		                                      : SYSCAP_INT64 };

	if (syc_lazy_map_get(&counters, sizeof(*counters)) == NULL)
		return NULL;
	syc_text_field(key.category, sizeof(key.category), category);
	syc_text_field(key.name, sizeof(key.name), name);
	syc_text_field(key.description, sizeof(key.description), description);
	const uint32_t h =
		hash_bytes(key.name, sizeof(key.name),
	                   hash_bytes(key.category, sizeof(key.category),
	                              HASH_BASIS ^ key.type));
	const uint32_t entry =
		find_or_add(&counters->index, h, &key, same_counter,
	                    counters->counters, sizeof(key));
	return entry == N_ENTRIES ? NULL : &counters->counters[entry];
}
