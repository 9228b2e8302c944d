/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_symbols.h - the functions that a file's symbol tables name.
 *
 * Where several symbols name one address, the best is taken: one that says it
 * is a function before one that does not say, one with a size, global before
 * local, fewer underscores in front, the shorter, the first by the alphabet.
 */
#ifndef SYC_SYMBOLS_ELF_SYMBOLS_H
#define SYC_SYMBOLS_ELF_SYMBOLS_H

#include "symbols/elf_file.h"
#include "symbols/ranges.h"

struct syc_elf_function {
	uint64_t address, size; /* 0: not said */
	const char *name;
	uint8_t rank; /* of its kind; lower is better */
};

/** Symbols of a file and of those with its debug symbols. */
struct syc_elf_symbols {
	SYC_ARRAY(struct syc_elf_function) array;
	SYC_ARRAY(unsigned char *) texts; /* owned; names point into them */
	struct syc_ranges plt;            /* not sorted */
};

/**
 * Add the functions of .symtab and .dynsym, and where @with_plt those that
 * the procedure linkage table calls.  What cannot be read is left out.
 * Returns how many symbols were added, or -ENOMEM.
 */
int64_t syc_elf_symbols_read(struct syc_elf_symbols *symbols,
                             const struct syc_elf *elf, bool with_plt);

/**
 * Make disjoint ranges of them and of @unnamed, sorted and disjoint ranges
 * without names.  @elf knows how far code goes.  0 or -ENOMEM.
 */
int syc_elf_symbols_arrange(struct syc_elf_symbols *symbols,
                            const struct syc_elf *elf,
                            const struct syc_ranges *unnamed,
                            struct syc_ranges *ret_ranges);

void syc_elf_symbols_fini(struct syc_elf_symbols *symbols);

#endif
