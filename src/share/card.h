/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * card.h - by which a copy that starts to record finds those that were loaded
 * before there was anything to record into: an ELF note of type 2 (notes.h),
 * whose 4 bytes say how far the copy's card lies from them.
 */
#ifndef SYC_CARD_H
#define SYC_CARD_H

#include <stdint.h>

#define SYC_CARD_NOTE_TYPE 2
#define SYC_CARD_MAGIC     UINT32_C(0x64726163)

/** A copy's own words, for others of its number: of other cards nobody reads
 * more than the first two fields. */
struct syc_card {
	uint32_t magic;
	uint32_t number; /* SYC_COPIES_NUMBER */
	int32_t *active;
	uint32_t *sleeping;
};

/** Once a copy. */
#define SYC_CARD_NOTE(card)                                 \
	__asm__(".pushsection .note.syscap, \"a\", %note\n" \
	        "	.balign 4\n"                              \
	        "	.long 7, 4, 2\n"                          \
	        "	.asciz \"syscap\"\n"                      \
	        "	.balign 4\n"                              \
	        "	.long " #card " - .\n"              \
	        "	.popsection\n")

#endif
