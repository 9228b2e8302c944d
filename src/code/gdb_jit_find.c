/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb_jit_find.c - where the head of GDB's JIT list is, by a file's symbols. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "code/gdb_jit.h"
#include "symbols/elf_table.h"

#define SYMBOL "__jit_debug_descriptor"

/* Larger parts of a file are not read: all files that are mapped are looked
 * at, while the process runs. */
#define PART_MAX (UINT64_C(64) << 20)

static bool find_in(const struct syc_elf *elf,
                    const struct syc_elf_table *table, uint64_t *ret_value)
{
	struct syc_elf_symbol symbol;

	for (uint64_t i = 1; i < table->n; i++) {
		if (!syc_elf_table_get(elf, table, i, &symbol) ||
		    symbol.type != STT_OBJECT || symbol.section == SHN_UNDEF ||
		    strcmp(symbol.name, SYMBOL) != 0)
			continue;
		*ret_value = symbol.value;
		return true;
	}
	return false;
}

static int find_value(const struct syc_elf *elf, uint64_t *ret_value)
{
	struct syc_elf_table table;
	bool found = false;
	int r = 0;

	for (unsigned i = 0; r == 0 && !found; i++) {
		r = syc_elf_table_read(elf, i, &table);
		found = r == 0 && find_in(elf, &table, ret_value);
		syc_elf_table_fini(&table);
	}
	return r;
}

/* What to add to an address of the file, whose byte @offset is at @mapped. */
static int find_bias(const struct syc_elf *elf, uint64_t mapped,
                     uint64_t offset, uint64_t *ret_bias)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct syc_elf_segment *s = &elf->segments[i];
		/* Mapped from the page on in which it begins. */
		const uint64_t before = s->align > 1 ? s->offset % s->align : 0;

		if (s->type != PT_LOAD || (s->flags & PF_X) == 0 ||
		    offset < s->offset - before ||
		    offset - (s->offset - before) >= s->file_size + before)
			continue;
		*ret_bias = mapped - offset - (s->address - s->offset);
		return 0;
	}
	return -ENOENT;
}

int syc_gdb_jit_find(int fd, uint64_t mapped, uint64_t file_offset,
                     uint64_t *ret_descriptor)
{
	struct syc_elf_view view;
	uint64_t value, bias;
	struct syc_elf elf;
	int r = syc_elf_view_file(fd, &view);

	if (r < 0)
		return r;
	view.part_max = PART_MAX;
	r = syc_elf_open_view(&elf, &view);
	if (r < 0)
		return r;
	/* The list is read as it lies in a process of the machine's own kind */
	r = elf.is_64 && !elf.is_big ? find_value(&elf, &value) : -ENOENT;
	if (r == 0)
		r = find_bias(&elf, mapped, file_offset, &bias);
	if (r == 0)
		*ret_descriptor = bias + value;
	syc_elf_close(&elf);
	return r;
}
