/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_eh.h - where functions begin and end, as .eh_frame has it. */
#ifndef SC_SYMBOLS_ELF_EH_H
#define SC_SYMBOLS_ELF_EH_H

#include "symbols/elf_file.h"
#include "symbols/ranges.h"

/**
 * Add a range without a name for every function to @functions, and for those
 * that return from signal handlers to @signals too.  Neither is sorted.  What
 * cannot be read is left out.  0 or -ENOMEM.
 */
int sc_elf_eh_read(const struct sc_elf *elf, struct sc_ranges *functions,
                   struct sc_ranges *signals);

#endif
