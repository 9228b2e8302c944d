/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_symbols.h - functions of an ELF file by symbols, linkage tables and
 * .eh_frame, and their disjoint address ranges.
 *
 * All addresses are link-time addresses.  Context: offline.
 */
#ifndef SYC_SYMBOLS_ELF_SYMBOLS_H
#define SYC_SYMBOLS_ELF_SYMBOLS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/containers.h"
#include "symbols/elf_file.h"

struct syc_range {
	uint64_t begin, end;
	const char *name; /* name in the file, or NULL */
	bool is_plt;      /* the name belongs to the called function */
};

struct syc_ranges {
	SYC_ARRAY(struct syc_range) array;
};

/** Sort by starts, and ranges with equal starts by falling size. */
void syc_ranges_sort(struct syc_ranges *ranges);

/**
 * Make sorted ranges disjoint.  If ranges overlap, the range that begins last
 * wins.  Returns 0 or -ENOMEM.
 */
int syc_ranges_flatten(struct syc_ranges *ranges);

/**
 * Add the parts of the disjoint ranges @more that the disjoint @ranges leave
 * free.  Returns 0 or -ENOMEM.
 */
int syc_ranges_fill(struct syc_ranges *ranges, const struct syc_ranges *more);

/** Return the range, of disjoint ranges, that contains @address, or NULL. */
const struct syc_range *syc_ranges_find(const struct syc_ranges *ranges,
                                        uint64_t address);

/** Return the start of the first range after @address, or UINT64_MAX. */
uint64_t syc_ranges_next(const struct syc_ranges *ranges, uint64_t address);

void syc_ranges_fini(struct syc_ranges *ranges);

/*
 * Walk through all entries of all symbol tables:
 *
 *	for (unsigned i = 0;
 *	     (r = syc_elf_table_read(&elf, i, &table)) != -ENOENT; i++) {
 *		for (uint64_t k = 1; r == 0 && k < table.n; k++)
 *			if (syc_elf_table_get(&elf, &table, k, &symbol))
 *				...
 *		syc_elf_table_fini(&table);
 *	}
 */

/** A symbol table in memory.  Each text ends with a NUL. */
struct syc_elf_table {
	const struct syc_elf_section *section; /* SHT_SYMTAB or SHT_DYNSYM */
	uint64_t n; /* number of entries, with the empty first entry */
	unsigned char *bytes;
	unsigned char *names;
	uint64_t names_size;
};

/** An entry of either class. */
struct syc_elf_symbol {
	const char *name; /* text in the table's names */
	uint64_t value, size;
	uint16_t section;   /* SHN_... */
	uint8_t type, bind; /* STT_..., STB_... */
};

/**
 * Read symbol table number @i.  Returns 0, -ENOENT without a further table, or
 * another -errno, with an empty table, for an unreadable table.
 */
int syc_elf_table_read(const struct syc_elf *elf, unsigned i,
                       struct syc_elf_table *ret_table);

/**
 * Get entry @i.  Returns false if the entry does not exist, or its name is out
 * of bounds.  The function is inline, because large files have millions of
 * entries.
 */
static inline bool syc_elf_table_get(const struct syc_elf *elf,
                                     const struct syc_elf_table *table,
                                     uint64_t i,
                                     struct syc_elf_symbol *ret_symbol)
{
	const unsigned char *p;
	unsigned char info;
	uint32_t name;

	if (i >= table->n)
		return false;
	p = table->bytes +
	    i * (elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	name = syc_elf_u32(elf, p);
	if (name >= table->names_size)
		return false;
	ret_symbol->name = (const char *)table->names + name;
	if (elf->is_64) {
		info = p[offsetof(Elf64_Sym, st_info)];
		ret_symbol->section =
			syc_elf_u16(elf, p + offsetof(Elf64_Sym, st_shndx));
		ret_symbol->value =
			syc_elf_u64(elf, p + offsetof(Elf64_Sym, st_value));
		ret_symbol->size =
			syc_elf_u64(elf, p + offsetof(Elf64_Sym, st_size));
	} else {
		info = p[offsetof(Elf32_Sym, st_info)];
		ret_symbol->section =
			syc_elf_u16(elf, p + offsetof(Elf32_Sym, st_shndx));
		ret_symbol->value =
			syc_elf_u32(elf, p + offsetof(Elf32_Sym, st_value));
		ret_symbol->size =
			syc_elf_u32(elf, p + offsetof(Elf32_Sym, st_size));
	}
	ret_symbol->type = ELF64_ST_TYPE(info);
	ret_symbol->bind = ELF64_ST_BIND(info);
	return true;
}

void syc_elf_table_fini(struct syc_elf_table *table);

/**
 * A function by a symbol.  If several symbols have one address, the best
 * symbol is used.  The criteria are, in this order: type function, known size,
 * global, fewer leading underscores, shorter, first in alphabetical order.
 */
struct syc_elf_function {
	uint64_t address, size; /* size 0 if unknown */
	const char *name;
	uint8_t rank; /* rank of the symbol's kind, lower if better */
};

/** The symbols of a file and of its debug file. */
struct syc_elf_symbols {
	SYC_ARRAY(struct syc_elf_function) array;
	/* Owned texts, which contain all names. */
	SYC_ARRAY(unsigned char *) texts;
	struct syc_ranges plt; /* ranges in no order */
};

/**
 * Add the functions of .symtab and .dynsym and, if @with_plt, entries of the
 * procedure linkage table.  Skip unreadable parts.  Returns the number of added
 * symbols, or -ENOMEM.
 */
int64_t syc_elf_symbols_read(struct syc_elf_symbols *symbols,
                             const struct syc_elf *elf, bool with_plt);

/**
 * Make disjoint ranges of the symbols and of @unnamed, which are sorted and
 * disjoint.  @elf limits the ends of functions.  Returns 0 or -ENOMEM.
 */
int syc_elf_symbols_arrange(struct syc_elf_symbols *symbols,
                            const struct syc_elf *elf,
                            const struct syc_ranges *unnamed,
                            struct syc_ranges *ret_ranges);

void syc_elf_symbols_fini(struct syc_elf_symbols *symbols);

/**
 * Add the functions of a Go program, which a stripped program also has.  Returns
 * the number of added functions, or -ENOMEM.
 */
int64_t syc_elf_go_read(struct syc_elf_symbols *symbols,
                        const struct syc_elf *elf);

/**
 * Add an unnamed range for every function in .eh_frame to @functions, and also
 * to @signals if the function returns from a signal handler.  The two lists are
 * unsorted.  Unreadable parts are skipped.  Returns 0 or -ENOMEM.
 */
int syc_elf_eh_read(const struct syc_elf *elf, struct syc_ranges *functions,
                    struct syc_ranges *signals);

#endif
