/* SPDX-License-Identifier: BSD-2-Clause */
/* cards.h - the copies in the objects that are loaded: see card.h. */
#ifndef SC_CARDS_H
#define SC_CARDS_H

#include <stdbool.h>

struct sc_block;

/**
 * Enter every copy of our number in this C library's objects into @block, and
 * pin its object: it is on from here, and adopts the block at its first event.
 *
 * Context: setup.
 */
void sc_cards_enter(struct sc_block *block);

/** Keep the object that @address is in, whatever dlclose() says.  False: there
 * is none such, or it is the program.  setup. */
bool sc_cards_pin(const void *address);

#endif
