/* SPDX-License-Identifier: BSD-2-Clause */
/* cache.c - the table of rules.  Signal-safe. */
#include "unwind/cache.h"

#include <stddef.h>

#include "base/backing.h"

struct sc_cache_entry *sc_cache_table(void)
{
	static struct sc_cache_entry *table;

	return sc_backing_get(&table, sizeof(*table) << SC_CACHE_BITS);
}

uint64_t sc_cache_find(struct sc_cache_entry *table, uint64_t salt,
                       uintptr_t pc)
{
	const unsigned home = sc_cache_home(pc);

	if (table == NULL)
		return SC_RULE_NONE;

	for (unsigned i = 0; i < SC_CACHE_LINE; i++) {
		struct sc_cache_entry *const entry = &table[home ^ i];
		const uint64_t check = atomic_load_explicit(
			&entry->check, memory_order_relaxed);
		const uint64_t rule = atomic_load_explicit(
			&entry->rule, memory_order_relaxed);

		if (check == sc_cache_check(pc ^ salt, rule))
			return rule;
	}
	return SC_RULE_NONE;
}

/* At home, where it is found fastest, or next to it where that is free or
 * holds what was known of @pc before; else it takes the place of whatever is
 * at home. */
void sc_cache_store(struct sc_cache_entry *table, uint64_t salt, uintptr_t pc,
                    uint64_t rule)
{
	const unsigned home = sc_cache_home(pc);

	if (table == NULL)
		return;
	struct sc_cache_entry *entry = &table[home];

	for (unsigned i = 0; i < SC_CACHE_LINE; i++) {
		struct sc_cache_entry *const at = &table[home ^ i];
		const uint64_t check =
			atomic_load_explicit(&at->check, memory_order_relaxed);
		const uint64_t old =
			atomic_load_explicit(&at->rule, memory_order_relaxed);

		if ((check == 0 && old == 0) ||
		    check == sc_cache_check(pc ^ salt, old)) {
			entry = at;
			break;
		}
	}
	atomic_store_explicit(&entry->check, sc_cache_check(pc ^ salt, rule),
	                      memory_order_relaxed);
	atomic_store_explicit(&entry->rule, rule, memory_order_relaxed);
}
