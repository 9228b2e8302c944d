/* SPDX-License-Identifier: BSD-2-Clause */
/* slots.c - a hash table of the nodes of a tree. */
#define _GNU_SOURCE
#include "profile/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define MOST_NODES  (UINT32_C(1) << 30)
#define FIRST_SLOTS 1024u

static void put(struct syc_slots *slots, uint64_t item)
{
	size_t slot = item >> 32 & (slots->n - 1);

	while (slots->items[slot] != 0)
		slot = (slot + 1) & (slots->n - 1);
	slots->items[slot] = item;
}

static int grow(struct syc_slots *slots)
{
	struct syc_slots grown = *slots;

	grown.n = slots->n > 0 ? 2 * slots->n : FIRST_SLOTS;
	grown.items = calloc(grown.n, sizeof(*grown.items));
	if (grown.items == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < slots->n; i++)
		if (slots->items[i] != 0)
			put(&grown, slots->items[i]);
	free(slots->items);
	*slots = grown;
	return 0;
}

int syc_slots_init(struct syc_slots *slots)
{
	memset(slots, 0, sizeof(*slots));
	if (getrandom(&slots->seed, sizeof(slots->seed), GRND_NONBLOCK) < 0)
		slots->seed = 0; /* early boot: no attacker yet */
	return grow(slots);
}

void syc_slots_fini(struct syc_slots *slots)
{
	free(slots->items);
	memset(slots, 0, sizeof(*slots));
}

/* Three quarters of a table that is the largest of what there is: of a million
 * nodes half of the memory that twice the slots would take. */
int syc_slots_add(struct syc_slots *slots, uint64_t hash, uint32_t node)
{
	if (node >= MOST_NODES)
		return -ENOMEM;
	if (slots->n_used >= slots->n / 4 * 3 && grow(slots) < 0)
		return -ENOMEM;
	put(slots, hash >> 32 << 32 | (node + 1));
	slots->n_used++;
	return 0;
}
