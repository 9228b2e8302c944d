/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_table.c - an ELF image's tables of symbols, entry by entry. */
#include "symbols/elf_table.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Linkers write two.  Any number may name the same bytes. */
#define TABLES_MAX 8u

static const struct syc_elf_section *find_section(const struct syc_elf *elf,
                                                  unsigned i)
{
	for (size_t k = 0; i < TABLES_MAX && k < elf->n_sections; k++) {
		const struct syc_elf_section *section = &elf->sections[k];

		if ((section->type == SHT_SYMTAB ||
		     section->type == SHT_DYNSYM) &&
		    i-- == 0)
			return section;
	}
	return NULL;
}

int syc_elf_table_read(const struct syc_elf *elf, unsigned i,
                       struct syc_elf_table *ret_table)
{
	const struct syc_elf_section *section = find_section(elf, i), *texts;
	struct syc_elf_table table = { .section = section };
	int r;

	memset(ret_table, 0, sizeof(*ret_table));
	if (section == NULL)
		return -ENOENT;
	if (section->link >= elf->n_sections)
		return -ENOEXEC;
	texts = &elf->sections[section->link];
	table.n = section->size /
	          (elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	table.names_size = texts->size;
	r = syc_elf_read_section(elf, section, &table.bytes);
	if (r == 0)
		r = syc_elf_read_section(elf, texts, &table.names);
	if (r < 0) {
		free(table.bytes);
		return r == -ENOENT ? -ENOEXEC : r;
	}
	*ret_table = table;
	return 0;
}

void syc_elf_table_fini(struct syc_elf_table *table)
{
	free(table->bytes);
	free(table->names);
	memset(table, 0, sizeof(*table));
}
