/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_plt.h - which function each entry of a procedure linkage table calls. */
#ifndef SYC_SYMBOLS_ELF_PLT_H
#define SYC_SYMBOLS_ELF_PLT_H

#include "symbols/elf_table.h"
#include "symbols/ranges.h"

/**
 * Add a range for every entry of .plt, .plt.sec and .plt.got to @ranges, with
 * the name of what it calls, out of @dynsym's, and is_plt.  Knows x86-64 and
 * aarch64; elsewhere there are none.  0 or -ENOMEM.
 */
int syc_elf_plt_read(const struct syc_elf *elf,
                     const struct syc_elf_table *dynsym,
                     struct syc_ranges *ranges);

#endif
