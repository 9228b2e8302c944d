/* SPDX-License-Identifier: BSD-2-Clause */
/* cards.c - the copies in the objects that are loaded. */
#define _GNU_SOURCE
#include "copies/cards.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "copies/block.h"
#include "copies/card.h"
#include "copies/notes.h"
#include "copies/roll.h"

/* Static dlopen() needs libraries at run time, and a static program can't
 * be unloaded: take it only where it is there. */
#pragma weak dlopen
#pragma weak dladdr

struct found {
	unsigned n;
	const struct sc_card *cards[SC_COPIES_MAX];
};

static bool add(const struct dl_phdr_info *object,
                const unsigned char *descriptor, void *data)
{
	struct found *const found = data;
	int32_t distance;

	memcpy(&distance, descriptor, sizeof(distance));
	const uintptr_t at =
		(uintptr_t)descriptor + (uintptr_t)(intptr_t)distance;
	const struct sc_card *const card = (const struct sc_card *)at;
	if (at % 8 == 0 && sc_notes_is_in(object, at, sizeof(*card)) &&
	    card->magic == SC_CARD_MAGIC)
		found->cards[found->n++] = card;
	return found->n == SC_COPIES_MAX;
}

void sc_cards_pin(const void *address)
{
	Dl_info info;

	if (dlopen == NULL || dladdr == NULL || dladdr(address, &info) == 0 ||
	    info.dli_fname == NULL)
		return;
	void *const handle =
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	if (handle != NULL)
		dlclose(handle);
}

void sc_cards_enter(struct sc_block *block)
{
	struct found found = { .n = 0 };

	sc_notes_each(SC_CARD_NOTE_TYPE, add, &found);
	for (unsigned i = 0; i < found.n; i++) {
		const struct sc_card *const card = found.cards[i];

		if (card->abi != block->abi ||
		    (block->needs & ~card->knows) != 0)
			continue;
		sc_cards_pin(card->active);
		sc_roll_enter(block, card->active, card->sleeping,
		              card->private_abi);
	}
}
