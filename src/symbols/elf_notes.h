/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_notes.h - what an ELF image's notes tell.  Context: offline. */
#ifndef SYC_SYMBOLS_ELF_NOTES_H
#define SYC_SYMBOLS_ELF_NOTES_H

#include "symbols/elf_image.h"

/**
 * Find the GNU build-id in segments, and then in sections: files with debug
 * symbols have their notes there only.  False: there is none.
 */
bool syc_elf_notes_build_id(const struct syc_elf *elf,
                            char ret_hex[SYC_BUILD_ID_SIZE]);

#endif
