/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_table.h - an ELF image's tables of symbols, entry by entry.
 *
 *	for (unsigned i = 0;
 *	     (r = syc_elf_table_read(&elf, i, &table)) != -ENOENT; i++) {
 *		for (uint64_t k = 1; r == 0 && k < table.n; k++)
 *			if (syc_elf_table_get(&elf, &table, k, &symbol))
 *				...
 *		syc_elf_table_fini(&table);
 *	}
 *
 * Context: offline.
 */
#ifndef SYC_SYMBOLS_ELF_TABLE_H
#define SYC_SYMBOLS_ELF_TABLE_H

#include <elf.h>

#include "symbols/elf_file.h"

/** In memory; each text ends with a NUL. */
struct syc_elf_table {
	const struct syc_elf_section *section; /* SHT_SYMTAB or SHT_DYNSYM */
	uint64_t n; /* entries, the empty first too */
	unsigned char *bytes;
	unsigned char *names;
	uint64_t names_size;
};

/** An entry, of either class. */
struct syc_elf_symbol {
	const char *name; /* in the table's names */
	uint64_t value, size;
	uint16_t section;   /* SHN_... */
	uint8_t type, bind; /* STT_..., STB_... */
};

/**
 * Read table number @i of the few that are looked at.  0; -ENOENT: there are
 * not as many; other -errno: it cannot be read, and is empty.
 */
int syc_elf_table_read(const struct syc_elf *elf, unsigned i,
                       struct syc_elf_table *ret_table);

/** False: there is no such entry, or its name is not in the texts.  Inline:
 * a large file has millions. */
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

#endif
