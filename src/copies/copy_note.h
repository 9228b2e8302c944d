/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * copy_note.h - the ELF note by which copies of the library find each other:
 * type 2 (notes.h).  Its 4 bytes are the distance from them to the copy's
 * struct syc_copy_words.
 */
#ifndef SYC_COPIES_COPY_NOTE_H
#define SYC_COPIES_COPY_NOTE_H

#include <stdint.h>

#include "base/elf_note.h"

#define SYC_COPY_WORDS_MAGIC UINT32_C(0x64726163)

struct syc_block;

/** A copy's own words, for others of its number.  Copies of other numbers read
 * the first two fields only. */
struct syc_copy_words {
	uint32_t magic;
	uint32_t number; /* SYC_COPIES_NUMBER */
	int32_t *active;
	uint32_t *sleeping;
	struct syc_block *block; /* release; NULL: it uses none yet */
};

/** This copy's. */
extern struct syc_copy_words syc_own_words
	__attribute__((visibility("hidden")));

/** Once a copy. */
#define SYC_COPY_NOTE(words)                                \
	__asm__(".pushsection .note.syscap, \"a\", %note\n" \
	        "	.balign 4\n"                              \
	        "	.long 7, 4, 2\n"                          \
	        "	.asciz \"syscap\"\n"                      \
	        "	.balign 4\n"                              \
	        "	.long " #words " - .\n"             \
	        "	.popsection\n")

#endif
