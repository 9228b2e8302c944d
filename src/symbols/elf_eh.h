/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_eh.h - where functions begin and end, as .eh_frame has it. */
#ifndef SYC_SYMBOLS_ELF_EH_H
#define SYC_SYMBOLS_ELF_EH_H

#include "symbols/elf_file.h"
#include "symbols/ranges.h"

/**
 * Add a range without a name for every function to @functions, and for those
 * that return from signal handlers to @signals too.  Neither is sorted.  What
 * cannot be read is left out.  0 or -ENOMEM.
 */
int syc_elf_eh_read(const struct syc_elf *elf, struct syc_ranges *functions,
                    struct syc_ranges *signals);

#endif
