/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_symbols.c - reader of functions in an ELF file's symbol tables and
 * linkage tables.
 */
#define _GNU_SOURCE
#include "symbols/elf_symbols.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Greatest number of symbol tables.  Linkers write two tables, but further
 * section headers may repeat the bytes of a table. */
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

/*
 * An entry of a procedure linkage table jumps through a word that the dynamic
 * linker fills.  A relocation of the word names the function's symbol.  The
 * instructions of the entry contain the word's address.
 */

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

/* Greatest number of words that resolver functions fill, more than in any C
 * library. */
#define CHOSEN_MAX 1024u

/*
 * Return the name for a word that gets the result of the resolver function at
 * @chooser (an ifunc).  The symbol of the function itself also has the address
 * @chooser.
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

/* Return the name of the function in the relocation at @p, or NULL. */
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
 * Read a table of x86-64.  The entries have 16 bytes, or 8 in .plt.got, each
 * with one "jmp *disp32(%rip)", ff 25, after optional endbr64 and bnd.
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
 * Read a table of aarch64, whose entries are "adrp x16, page; ldr x17, [x16,
 * #offset]; add; br x17", after an optional "bti c".
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

/*
 * Add a range with is_plt for every entry of .plt, .plt.sec and .plt.got, with
 * the name of the called function in @dynsym.  The function supports only
 * x86-64 and aarch64.  Returns 0 or -ENOMEM.
 */
static int elf_plt_read(const struct syc_elf *elf,
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

/*
 * Return whether @name marks the start of code of one kind, or of data: "$a",
 * "$d.7", "$xrv64gc" (ELF for the Arm architecture; RISC-V ELF psABI).  On
 * other machines, functions may have such names.  For example, names of Swift's
 * functions begin with "$s".
 */
static bool is_mapping_symbol(uint16_t machine, const char *name)
{
	if (name[0] != '$' || name[1] == 0)
		return false;
	if (machine == EM_RISCV && strncmp(name, "$xrv", 4) == 0)
		return true;
	return (machine == EM_ARM || machine == EM_AARCH64 ||
	        machine == EM_RISCV) &&
	       strchr("adtx", name[1]) != NULL &&
	       (name[2] == 0 || name[2] == '.');
}

/* Return whether the name only marks a position for an assembler or linker. */
static bool is_mark(const struct syc_elf *elf, const char *name)
{
	return name[0] == 0 || strncmp(name, ".L", 2) == 0 ||
	       is_mapping_symbol(elf->machine, name);
}

static bool is_in_code(const struct syc_elf *elf, uint16_t section)
{
	return section < elf->n_sections &&
	       (elf->sections[section].flags & SHF_EXECINSTR) != 0;
}

/* Rank a symbol by its kind.  Returns false if the symbol is not a function. */
static bool rank_symbol(const struct syc_elf *elf,
                        const struct syc_elf_symbol *symbol, uint8_t *ret_rank)
{
	const bool is_function =
		symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;

	if (symbol->section == SHN_UNDEF || symbol->section == SHN_ABS ||
	    symbol->section == SHN_COMMON || is_mark(elf, symbol->name))
		return false;
	if (!is_function &&
	    (symbol->type != STT_NOTYPE || !is_in_code(elf, symbol->section)))
		return false;
	*ret_rank =
		(uint8_t)((is_function ? 0 : 4) + (symbol->size != 0 ? 0 : 2) +
	                  (symbol->bind == STB_LOCAL));
	return true;
}

static int64_t add_functions(struct syc_elf_symbols *symbols,
                             const struct syc_elf *elf,
                             const struct syc_elf_table *table)
{
	int64_t n = 0;

	for (uint64_t i = 1; i < table->n; i++) {
		struct syc_elf_function function;
		struct syc_elf_symbol symbol;

		if (!syc_elf_table_get(elf, table, i, &symbol) ||
		    !rank_symbol(elf, &symbol, &function.rank) ||
		    symbol.size > UINT64_MAX - symbol.value)
			continue;
		function.name = symbol.name;
		function.address = symbol.value;
		function.size = symbol.size;
		if (syc_array_push(&symbols->array, function) < 0)
			return -ENOMEM;
		n++;
	}
	return n;
}

/* Add a table's functions, and take ownership of the table's texts.  Returns
 * the number of functions, or -ENOMEM. */
static int64_t add_table(struct syc_elf_symbols *symbols,
                         const struct syc_elf *elf, struct syc_elf_table *table,
                         bool with_plt)
{
	int r = syc_array_push(&symbols->texts, table->names);

	if (r < 0) {
		syc_elf_table_fini(table);
		return r;
	}
	if (with_plt && table->section->type == SHT_DYNSYM)
		r = elf_plt_read(elf, table, &symbols->plt);
	return r < 0 ? r : add_functions(symbols, elf, table);
}

int64_t syc_elf_symbols_read(struct syc_elf_symbols *symbols,
                             const struct syc_elf *elf, bool with_plt)
{
	struct syc_elf_table table;
	int64_t sum = 0, n;
	int r;

	for (unsigned i = 0;
	     (r = syc_elf_table_read(elf, i, &table)) != -ENOENT; i++) {
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			continue;
		n = add_table(symbols, elf, &table, with_plt);
		free(table.bytes);
		if (n < 0)
			return n;
		sum += n;
	}
	return sum;
}

/*
 * Count leading underscores, except in the prefix of a mangled name.  glibc's
 * hidden aliases, __GI_NAME, are the last choice.
 */
static size_t count_underscores(const char *name)
{
	if (strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0)
		return 0;
	return strncmp(name, "__GI_", 5) == 0 ? SIZE_MAX : strspn(name, "_");
}

static int compare_names(const char *a, const char *b)
{
	const size_t a_lines = count_underscores(a);
	const size_t b_lines = count_underscores(b);
	const size_t a_len = strlen(a), b_len = strlen(b);

	if (a_lines != b_lines)
		return a_lines < b_lines ? -1 : 1;
	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	return strcmp(a, b);
}

/* Sort by address, and equal addresses by the quality of the name. */
static int compare(const void *left, const void *right)
{
	const struct syc_elf_function *a = left, *b = right;
	int r;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	r = compare_names(a->name, b->name);
	return r != 0 ? r : (a->size < b->size) - (a->size > b->size);
}

static void keep_best(struct syc_elf_symbols *symbols)
{
	struct syc_elf_function *const items = symbols->array.items;
	size_t kept = 0;

	if (symbols->array.n == 0)
		return;
	qsort(items, symbols->array.n, sizeof(*items), compare);
	for (size_t i = 0; i < symbols->array.n; i++)
		if (kept == 0 || items[kept - 1].address != items[i].address)
			items[kept++] = items[i];
	symbols->array.n = kept;
}

/* Return the end of a function without a size, at most the start of the
 * next. */
static uint64_t guess_end(const struct syc_elf_symbols *symbols,
                          const struct syc_elf *elf,
                          const struct syc_ranges *unnamed, size_t i)
{
	const uint64_t address = symbols->array.items[i].address;
	const struct syc_range *range = syc_ranges_find(unnamed, address);
	const struct syc_elf_section *section = syc_elf_code_at(elf, address);
	uint64_t end = address + 1;

	if (section != NULL && section->size <= UINT64_MAX - section->address)
		end = section->address + section->size;
	if (range != NULL && range->end < end)
		end = range->end;
	else if (syc_ranges_next(unnamed, address) < end)
		end = syc_ranges_next(unnamed, address);
	if (i + 1 < symbols->array.n &&
	    symbols->array.items[i + 1].address < end)
		end = symbols->array.items[i + 1].address;
	return end;
}

static int split(const struct syc_elf_symbols *symbols,
                 const struct syc_elf *elf, const struct syc_ranges *unnamed,
                 struct syc_ranges *sized, struct syc_ranges *guessed)
{
	for (size_t i = 0; i < symbols->array.n; i++) {
		const struct syc_elf_function *function =
			&symbols->array.items[i];
		struct syc_range range = {
			.begin = function->address,
			.end = function->address + function->size,
			.name = function->name,
		};
		struct syc_ranges *to = sized;

		if (function->size == 0) {
			range.end = guess_end(symbols, elf, unnamed, i);
			to = guessed;
		}
		if (syc_array_push(&to->array, range) < 0)
			return -ENOMEM;
	}
	return 0;
}

int syc_elf_symbols_arrange(struct syc_elf_symbols *symbols,
                            const struct syc_elf *elf,
                            const struct syc_ranges *unnamed,
                            struct syc_ranges *ret_ranges)
{
	struct syc_ranges sized = { 0 }, guessed = { 0 };
	int r;

	keep_best(symbols);
	r = split(symbols, elf, unnamed, &sized, &guessed);
	if (r == 0)
		r = syc_ranges_flatten(&sized);
	syc_ranges_sort(&symbols->plt);
	if (r == 0)
		r = syc_ranges_flatten(&symbols->plt);
	if (r == 0)
		r = syc_ranges_fill(&sized, &symbols->plt);
	if (r == 0)
		r = syc_ranges_flatten(&guessed);
	if (r == 0)
		r = syc_ranges_fill(&sized, &guessed);
	if (r == 0)
		r = syc_ranges_fill(&sized, unnamed);
	syc_ranges_fini(&guessed);
	if (r < 0)
		syc_ranges_fini(&sized);
	else
		*ret_ranges = sized;
	return r;
}

void syc_elf_symbols_fini(struct syc_elf_symbols *symbols)
{
	for (size_t i = 0; i < symbols->texts.n; i++)
		free(symbols->texts.items[i]);
	free(symbols->texts.items);
	free(symbols->array.items);
	syc_ranges_fini(&symbols->plt);
	memset(symbols, 0, sizeof(*symbols));
}
