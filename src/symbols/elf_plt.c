/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_plt.c - which function each entry of a procedure linkage table calls.
 *
 * An entry jumps through a word that the dynamic linker fills, and that a
 * relocation with the function's symbol names.  Where an entry's word is, the
 * instructions of the entry tell.
 */
#include "symbols/elf_plt.h"

#include <elf.h>
#include <string.h>

/* Linkers write two.  Any number may name the same bytes. */
#define TABLES_MAX 8u

/* A word that the dynamic linker fills with the address of a function. */
struct slot {
	uint64_t address;
	const char *name;
};

struct slots {
	SYC_ARRAY(struct slot) array;
};

struct plt {
	const struct syc_elf *elf;
	const struct syc_elf_table *dynsym;
	struct slots slots;
	unsigned n_chosen;
	struct syc_ranges *ranges;
};

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static const char *find_slot(const struct slots *slots, uint64_t address)
{
	const struct slot key = { .address = address };
	const struct slot *found;

	if (slots->array.n == 0)
		return NULL;
	found = bsearch(&key, slots->array.items, slots->array.n, sizeof(key),
	                compare_slots);
	return found ? found->name : NULL;
}

/* More slots than this are filled by functions of no C library. */
#define CHOSEN_MAX 1024u

/*
 * A word that is filled with what the function at @chooser returns: which of
 * several implementations suits the processor.  The function that is meant
 * has the chooser's address in the symbol table.
 */
static const char *find_chosen(const struct plt *plt, uint64_t chooser)
{
	const char *best = NULL;
	struct syc_elf_symbol symbol;

	for (uint64_t i = 1; i < plt->dynsym->n; i++)
		if (syc_elf_table_get(plt->elf, plt->dynsym, i, &symbol) &&
		    symbol.value == chooser && symbol.name[0] != 0 &&
		    (best == NULL || best[0] == '_'))
			best = symbol.name;
	return best;
}

static bool is_chosen(const struct syc_elf *elf, uint32_t type)
{
	return type == (elf->machine == EM_X86_64 ? R_X86_64_IRELATIVE
	                                          : R_AARCH64_IRELATIVE);
}

static bool is_jump_slot(const struct syc_elf *elf, uint32_t type)
{
	if (elf->machine == EM_X86_64)
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
}

/* The function that the relocation at @p fills a word with; or NULL. */
static const char *name_slot(struct plt *plt, const unsigned char *p)
{
	const struct syc_elf *elf = plt->elf;
	const uint64_t info = syc_elf_u64(elf, p + 8), number = info >> 32;
	struct syc_elf_symbol symbol;

	if (is_chosen(elf, (uint32_t)info))
		return plt->n_chosen++ < CHOSEN_MAX
		               ? find_chosen(plt, syc_elf_u64(elf, p + 16))
		               : NULL;
	if (!is_jump_slot(elf, (uint32_t)info) || number == 0 ||
	    !syc_elf_table_get(elf, plt->dynsym, number, &symbol))
		return NULL;
	return symbol.name[0] != 0 ? symbol.name : NULL;
}

static int read_relocations(struct plt *plt,
                            const struct syc_elf_section *section)
{
	const struct syc_elf *elf = plt->elf;
	unsigned char *bytes;
	int r = syc_elf_read_section(elf, section, &bytes);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (uint64_t i = 0; i < section->size / sizeof(Elf64_Rela); i++) {
		const unsigned char *p = bytes + i * sizeof(Elf64_Rela);
		const struct slot slot = {
			.address = syc_elf_u64(elf, p),
			.name = name_slot(plt, p),
		};

		if (slot.name != NULL &&
		    syc_array_push(&plt->slots.array, slot) < 0) {
			free(bytes);
			return -ENOMEM;
		}
	}
	free(bytes);
	return 0;
}

static int add_entry(struct plt *plt, uint64_t begin, uint64_t end,
                     const char *name)
{
	const struct syc_range range = {
		.begin = begin,
		.end = end,
		.name = name,
		.is_plt = true,
	};

	return syc_array_push(&plt->ranges->array, range);
}

/*
 * x86-64: entries of 16 bytes, or 8 in .plt.got, each with one
 * "jmp *disp32(%rip)", ff 25, behind what branch tracking may want.
 */
static int read_x86_64(struct plt *plt, const struct syc_elf_section *section,
                       const unsigned char *bytes)
{
	const bool is_short = strcmp(section->name, ".plt.got") == 0 &&
	                      section->entry_size != 16;
	const uint64_t step = is_short ? 8 : 16;

	for (uint64_t at = 0; section->size - at >= step; at += step)
		for (uint64_t i = at; i + 6 <= at + step; i++) {
			const uint64_t behind = section->address + i + 6;
			const char *name;
			int32_t to;

			if (bytes[i] != 0xff || bytes[i + 1] != 0x25)
				continue;
			to = (int32_t)syc_load_u32(bytes + i + 2, false);
			name = find_slot(&plt->slots, behind + (uint64_t)to);
			if (name == NULL)
				continue;
			if (add_entry(plt, section->address + at,
			              section->address + at + step, name) < 0)
				return -ENOMEM;
			break;
		}
	return 0;
}

#define BTI_C UINT32_C(0xd503245f)

/*
 * aarch64: "adrp x16, page; ldr x17, [x16, #offset]; add; br x17", with a
 * "bti c" before them where branches are tracked.
 */
static int read_aarch64(struct plt *plt, const struct syc_elf_section *section,
                        const unsigned char *bytes)
{
	for (uint64_t at = 0; section->size - at >= 16; at += 4) {
		const uint32_t adrp = syc_load_u32(bytes + at, false);
		const uint32_t ldr = syc_load_u32(bytes + at + 4, false);
		uint64_t begin = section->address + at, page, pages;
		const char *name;

		if ((adrp & 0x9f00001f) != 0x90000010 ||
		    (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
		if ((pages & UINT64_C(0x100000)) != 0)
			pages |= ~UINT64_C(0x1fffff);
		page = (begin & ~UINT64_C(0xfff)) + (pages << 12);
		name = find_slot(&plt->slots,
		                 page + (uint64_t)(ldr >> 10 & 0xfff) * 8);
		if (name == NULL)
			continue;
		if (at >= 4 && syc_load_u32(bytes + at - 4, false) == BTI_C)
			begin -= 4;
		if (add_entry(plt, begin, section->address + at + 16, name) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int read_entries(struct plt *plt)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < 3; i++) {
		const struct syc_elf_section *section =
			syc_elf_find(plt->elf, names[i]);
		unsigned char *bytes;

		if (section == NULL)
			continue;
		r = syc_elf_read_section(plt->elf, section, &bytes);
		if (r < 0) {
			r = r == -ENOMEM ? r : 0;
			continue;
		}
		r = plt->elf->machine == EM_X86_64
		            ? read_x86_64(plt, section, bytes)
		            : read_aarch64(plt, section, bytes);
		free(bytes);
	}
	return r;
}

int syc_elf_plt_read(const struct syc_elf *elf,
                     const struct syc_elf_table *dynsym,
                     struct syc_ranges *ranges)
{
	struct plt plt = { .elf = elf, .dynsym = dynsym, .ranges = ranges };
	unsigned n_tables = 0;
	int r = 0;

	if (!elf->is_64 || elf->is_big ||
	    (elf->machine != EM_X86_64 && elf->machine != EM_AARCH64))
		return 0;
	for (size_t i = 0; r == 0 && i < elf->n_sections; i++)
		if (elf->sections[i].type == SHT_RELA &&
		    elf->sections[i].link < elf->n_sections &&
		    &elf->sections[elf->sections[i].link] == dynsym->section &&
		    n_tables++ < TABLES_MAX)
			r = read_relocations(&plt, &elf->sections[i]);
	if (r == 0 && plt.slots.array.n > 0) {
		qsort(plt.slots.array.items, plt.slots.array.n,
		      sizeof(struct slot), compare_slots);
		r = read_entries(&plt);
	}
	free(plt.slots.array.items);
	return r;
}
