/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb_jit_image.c - the functions of an image that a runtime registered. */
#include "code/gdb_jit_image.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "symbols/elf_table.h"

/* Larger parts of an image are not read. */
#define PART_MAX (UINT64_C(64) << 20)

struct taking {
	const struct syc_elf *elf;
	struct syc_code_table *table;
	int64_t from;
	struct syc_gdb_jit_cover *cover;
};

/* In relocatable images, symbols count from their section, which the runtime
 * has put somewhere; the last one may have no size. */
static void place(const struct syc_elf *elf, struct syc_elf_symbol *symbol)
{
	const struct syc_elf_section *section;
	const uint64_t value = symbol->value;

	if (elf->type != ET_REL || symbol->section >= elf->n_sections)
		return;
	section = &elf->sections[symbol->section];
	symbol->value += section->address;
	if (symbol->size == 0 && value < section->size)
		symbol->size = section->size - value;
}

static int take_symbol(const struct taking *taking,
                       const struct syc_elf_symbol *symbol)
{
	struct syc_gdb_jit_cover *cover = taking->cover;
	const uint64_t last = symbol->value + symbol->size - 1;
	const int r = syc_code_table_add(taking->table, taking->from,
	                                 symbol->value, symbol->size,
	                                 symbol->name, strlen(symbol->name));

	if (r == -EINVAL)
		return 0;
	if (r < 0)
		return r;
	if (!cover->any || symbol->value < cover->low)
		cover->low = symbol->value;
	if (!cover->any || last > cover->last)
		cover->last = last;
	cover->any = true;
	return 0;
}

static int take_table(const struct taking *taking,
                      const struct syc_elf_table *table)
{
	struct syc_elf_symbol symbol;
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < table->n; i++) {
		if (!syc_elf_table_get(taking->elf, table, i, &symbol) ||
		    symbol.type != STT_FUNC || symbol.section == SHN_UNDEF)
			continue;
		place(taking->elf, &symbol);
		r = take_symbol(taking, &symbol);
	}
	return r;
}

int syc_gdb_jit_take_image(const void *bytes, size_t size, int64_t from,
                           struct syc_code_table *table,
                           struct syc_gdb_jit_cover *ret_cover)
{
	struct syc_elf_table symbols;
	struct syc_elf_view view;
	struct syc_elf elf;
	const struct taking taking = { &elf, table, from, ret_cover };
	int r;

	memset(ret_cover, 0, sizeof(*ret_cover));
	syc_elf_view_memory(bytes, size, &view);
	view.part_max = PART_MAX;
	r = syc_elf_open_view(&elf, &view);
	if (r < 0)
		return r;
	for (unsigned i = 0; r == 0; i++) {
		r = syc_elf_table_read(&elf, i, &symbols);
		if (r == 0 && symbols.section->type == SHT_SYMTAB)
			r = take_table(&taking, &symbols);
		syc_elf_table_fini(&symbols);
	}
	syc_elf_close(&elf);
	return r == -ENOENT ? 0 : r;
}
