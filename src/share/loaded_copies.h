/* SPDX-License-Identifier: BSD-2-Clause */
/* loaded_copies.h - the copies in the objects that are loaded, by their notes (copy_note.h). */
#ifndef SYC_LOADED_COPIES_H
#define SYC_LOADED_COPIES_H

#include <stdbool.h>

struct syc_block;

/**
 * Enter every copy of our number in this C library's objects into @block, and
 * pin its object: it is on from here, and adopts the block at its first event.
 *
 * Context: setup.
 */
void syc_loaded_copies_enter(struct syc_block *block);

/** Keep the object that @address is in, whatever dlclose() says.  False: there
 * is none such, or it is the program.  setup. */
bool syc_loaded_copies_pin(const void *address);

#endif
