/* SPDX-License-Identifier: BSD-2-Clause */
/* rule_cache.c - the table of unwind rules.  Signal-safe. */
#include "unwind/rule_cache.h"

#include <stddef.h>

#include "os/permanent_map.h"

struct syc_rule_cache_entry *syc_rule_cache_get(void)
{
	static struct syc_rule_cache_entry *table;

	return syc_lazy_map_get(&table, sizeof(*table) << SYC_RULE_CACHE_BITS);
}

uint64_t syc_rule_cache_find(struct syc_rule_cache_entry *table, uint64_t salt,
                             uintptr_t pc)
{
	const unsigned home = syc_rule_cache_home(pc);

	if (table == NULL)
		return SYC_RULE_NONE;

	for (unsigned i = 0; i < SYC_RULE_CACHE_LINE; i++) {
		struct syc_rule_cache_entry *const entry = &table[home ^ i];
		const uint64_t check = atomic_load_explicit(
			&entry->check, memory_order_relaxed);
		const uint64_t rule = atomic_load_explicit(
			&entry->rule, memory_order_relaxed);

		if (check == syc_rule_cache_check(pc ^ salt, rule))
			return rule;
	}
	return SYC_RULE_NONE;
}

/*
 * A rule goes to the first free entry from its home on, or to an entry with an
 * older rule of @pc.  If there is no such entry, the rule replaces the rule at
 * home.
 */
void syc_rule_cache_store(struct syc_rule_cache_entry *table, uint64_t salt,
                          uintptr_t pc, uint64_t rule)
{
	const unsigned home = syc_rule_cache_home(pc);

	if (table == NULL)
		return;
	struct syc_rule_cache_entry *entry = &table[home];

	for (unsigned i = 0; i < SYC_RULE_CACHE_LINE; i++) {
		struct syc_rule_cache_entry *const at = &table[home ^ i];
		const uint64_t check =
			atomic_load_explicit(&at->check, memory_order_relaxed);
		const uint64_t old =
			atomic_load_explicit(&at->rule, memory_order_relaxed);

		if ((check == 0 && old == 0) ||
		    check == syc_rule_cache_check(pc ^ salt, old)) {
			entry = at;
			break;
		}
	}
	atomic_store_explicit(&entry->check,
	                      syc_rule_cache_check(pc ^ salt, rule),
	                      memory_order_relaxed);
	atomic_store_explicit(&entry->rule, rule, memory_order_relaxed);
}
