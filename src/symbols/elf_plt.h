/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_plt.h - which function each entry of a procedure linkage table calls. */
#ifndef SC_SYMBOLS_ELF_PLT_H
#define SC_SYMBOLS_ELF_PLT_H

#include "symbols/elf_file.h"
#include "symbols/ranges.h"

/**
 * Add a range for every entry of .plt, .plt.sec and .plt.got to @ranges, with
 * the name of what it calls, out of @names, and is_plt.  Knows x86-64 and
 * aarch64; elsewhere there are none.  @dynsym is the section, @symbols are its
 * bytes, @names the @names_size bytes of its texts with a NUL behind them.
 * 0 or -ENOMEM.
 */
int sc_elf_plt_read(const struct sc_elf *elf,
                    const struct sc_elf_section *dynsym,
                    const unsigned char *symbols, const char *names,
                    uint64_t names_size, struct sc_ranges *ranges);

#endif
