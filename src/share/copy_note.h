/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * copy_note.h - the ELF note by which a copy that starts to record finds those
 * that were loaded before there was anything to record into: type 2 (notes.h),
 * whose 4 bytes say how far the copy's struct syc_copy_words lies from them.
 */
#ifndef SYC_COPY_NOTE_H
#define SYC_COPY_NOTE_H

#include <stdint.h>

#define SYC_COPY_NOTE_TYPE   2
#define SYC_COPY_WORDS_MAGIC UINT32_C(0x64726163)

/** A copy's own words, for others of its number: copies of other numbers read
 * no more than the first two fields. */
struct syc_copy_words {
	uint32_t magic;
	uint32_t number; /* SYC_COPIES_NUMBER */
	int32_t *active;
	uint32_t *sleeping;
};

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
