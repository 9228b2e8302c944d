/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * notes.h - our ELF notes in the objects that are loaded: section
 * .note.syscap, name "syscap", 4 bytes each.  Type 1 says that an object has
 * a sampler (sampler/autostart.c), type 2 where a copy's own words are (copy_note.h).
 */
#ifndef SYC_COPIES_NOTES_H
#define SYC_COPIES_NOTES_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/** Called for each note of the type that is looked for, with the place and the
 * value of its 4 bytes.  True: the search ends. */
typedef bool syc_note_fn(const struct dl_phdr_info *object, uintptr_t at,
                         int32_t value, void *data);

/**
 * Call @found for each note of @type.  True if one of the calls returned true.
 * The loader unmaps no listed object before this returns: glibc's holds a lock,
 * musl's unmaps none.
 *
 * Context: setup (takes the dynamic loader's lock, which is recursive).
 */
bool syc_notes_each(uint32_t type, syc_note_fn *found, void *data);

/** Whether @n bytes at @at lie in a readable segment of @object. */
bool syc_notes_is_in(const struct dl_phdr_info *object, uintptr_t at, size_t n);

#endif
