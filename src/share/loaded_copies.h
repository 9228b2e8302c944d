/* SPDX-License-Identifier: BSD-2-Clause */
/* loaded_copies.h - the copies in the objects that are loaded, by their notes (copy_note.h). */
#ifndef SYC_LOADED_COPIES_H
#define SYC_LOADED_COPIES_H

struct syc_block;

/**
 * Enter every copy of our number in this C library's objects into @block, and
 * pin its object: it is on from here, and adopts the block at its first event.
 *
 * Context: setup.
 */
void syc_loaded_copies_enter(struct syc_block *block);

#endif
