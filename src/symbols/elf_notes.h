/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_notes.h - what an ELF image's notes tell.  Context: offline. */
#ifndef SC_SYMBOLS_ELF_NOTES_H
#define SC_SYMBOLS_ELF_NOTES_H

#include "symbols/elf_image.h"

/**
 * Find the GNU build-id in segments, and then in sections: files with debug
 * symbols have their notes there only.  False: there is none.
 */
bool sc_elf_notes_build_id(const struct sc_elf *elf,
                           char ret_hex[SC_BUILD_ID_SIZE]);

#endif
