/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * discovery.h - how copies of one number find each other: by the ELF notes of
 * all loaded objects (copy_note.h), which lead to each copy's words, which lead
 * to the block.
 *
 * - The copy that makes a block publishes it in its own words.  A copy that is
 *   loaded later finds it there in its constructor.
 * - syscap_start() enters the copies that were loaded before
 *   (syc_discovery_enter_loaded()).  It publishes the block first, so a copy that
 *   is loaded meanwhile is in its list, or finds the block itself.
 * - Two copies may make a block at the same time.  The loader's lock decides.
 */
#ifndef SYC_COPIES_DISCOVERY_H
#define SYC_COPIES_DISCOVERY_H

#include <link.h>
#include <stdint.h>

struct syc_block;
struct syc_copy_words;

/**
 * The words of a copy of our number that the note at @note of @object leads to;
 * NULL: of another number, or none.  For callbacks of syc_notes_each().
 */
struct syc_copy_words *syc_copy_words_at(const struct dl_phdr_info *object,
                                         uintptr_t note, int32_t distance);

/**
 * The block of any copy.  0 and *@ret_block; -ENOENT, there is none; -EXDEV,
 * this copy was loaded by dlmopen(), with a C library of its own.
 *
 * Context: setup.
 */
int syc_discovery_find(struct syc_block **ret_block);

/** Publish @block, which is complete.  0; -EEXIST, another copy was first.
 * Context: setup. */
int syc_discovery_publish(struct syc_block *block);

/**
 * Enter every loaded copy of our number into @block, and pin its object: it is
 * on from here, and adopts the block at its first event.
 *
 * Context: setup.
 */
void syc_discovery_enter_loaded(struct syc_block *block);

#endif
