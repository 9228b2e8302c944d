/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_symbols.c - the functions that a file's symbol tables name. */
#define _GNU_SOURCE
#include "symbols/elf_symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf_plt.h"

/* Linkers write two.  Any number may name the same bytes. */
#define TABLES_MAX 8u

/* A symbol of either class. */
struct entry {
	uint32_t name;
	unsigned char info;
	uint16_t section;
	uint64_t value, size;
};

static void read_entry(const struct sc_elf *elf, const unsigned char *p,
                       struct entry *entry)
{
	entry->name = sc_elf_u32(elf, p);
	if (elf->is_64) {
		entry->info = p[offsetof(Elf64_Sym, st_info)];
		entry->section =
			sc_elf_u16(elf, p + offsetof(Elf64_Sym, st_shndx));
		entry->value =
			sc_elf_u64(elf, p + offsetof(Elf64_Sym, st_value));
		entry->size = sc_elf_u64(elf, p + offsetof(Elf64_Sym, st_size));
	} else {
		entry->info = p[offsetof(Elf32_Sym, st_info)];
		entry->section =
			sc_elf_u16(elf, p + offsetof(Elf32_Sym, st_shndx));
		entry->value =
			sc_elf_u32(elf, p + offsetof(Elf32_Sym, st_value));
		entry->size = sc_elf_u32(elf, p + offsetof(Elf32_Sym, st_size));
	}
}

/* Assemblers and linkers mark places with these. */
static bool is_mark(const char *name)
{
	return name[0] == 0 || name[0] == '$' || strncmp(name, ".L", 2) == 0;
}

static bool is_in_code(const struct sc_elf *elf, uint16_t section)
{
	return section < elf->n_sections &&
	       (elf->sections[section].flags & SHF_EXECINSTR) != 0;
}

/* False: it is no function. */
static bool rank_entry(const struct sc_elf *elf, const struct entry *entry,
                       const char *name, uint8_t *ret_rank)
{
	const unsigned type = ELF64_ST_TYPE(entry->info);
	const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;

	if (entry->section == SHN_UNDEF || entry->section == SHN_ABS ||
	    entry->section == SHN_COMMON || is_mark(name))
		return false;
	if (!is_function &&
	    (type != STT_NOTYPE || !is_in_code(elf, entry->section)))
		return false;
	*ret_rank =
		(uint8_t)((is_function ? 0 : 4) + (entry->size != 0 ? 0 : 2) +
	                  (ELF64_ST_BIND(entry->info) == STB_LOCAL));
	return true;
}

static int64_t add_entries(struct sc_elf_symbols *symbols,
                           const struct sc_elf *elf, const unsigned char *bytes,
                           uint64_t size, const char *names,
                           uint64_t names_size)
{
	const size_t step = elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	int64_t n = 0;

	for (uint64_t at = step; at + step <= size; at += step) {
		struct sc_elf_symbol symbol;
		struct entry entry;

		read_entry(elf, bytes + at, &entry);
		if (entry.name >= names_size)
			continue;
		symbol.name = names + entry.name;
		symbol.address = entry.value;
		symbol.size = entry.size;
		if (!rank_entry(elf, &entry, symbol.name, &symbol.rank) ||
		    symbol.size > UINT64_MAX - symbol.address)
			continue;
		if (sc_array_push(&symbols->array, symbol) < 0)
			return -ENOMEM;
		n++;
	}
	return n;
}

static int64_t read_table(struct sc_elf_symbols *symbols,
                          const struct sc_elf *elf,
                          const struct sc_elf_section *table, bool with_plt)
{
	const struct sc_elf_section *texts;
	unsigned char *bytes = NULL, *names = NULL;
	int64_t n = 0;

	if (table->link >= elf->n_sections)
		return 0;
	texts = &elf->sections[table->link];
	n = sc_elf_read_section(elf, table, &bytes);
	if (n == 0)
		n = sc_elf_read_section(elf, texts, &names);
	if (n == 0 && sc_array_push(&symbols->texts, names) < 0) {
		free(names);
		n = -ENOMEM;
	}
	if (n == 0 && with_plt && table->type == SHT_DYNSYM)
		n = sc_elf_plt_read(elf, table, bytes, (const char *)names,
		                    texts->size, &symbols->plt);
	if (n == 0)
		n = add_entries(symbols, elf, bytes, table->size,
		                (const char *)names, texts->size);
	free(bytes);
	return n < 0 && n != -ENOMEM ? 0 : n;
}

int64_t sc_elf_symbols_read(struct sc_elf_symbols *symbols,
                            const struct sc_elf *elf, bool with_plt)
{
	unsigned n_tables = 0;
	int64_t sum = 0;

	for (size_t i = 0; i < elf->n_sections && n_tables < TABLES_MAX; i++) {
		const struct sc_elf_section *section = &elf->sections[i];
		int64_t n;

		if (section->type != SHT_SYMTAB && section->type != SHT_DYNSYM)
			continue;
		n_tables++;
		n = read_table(symbols, elf, section, with_plt);
		if (n < 0)
			return n;
		sum += n;
	}
	return sum;
}

/*
 * Not those that begin what a compiler made of a name.  glibc's hidden
 * aliases, __GI_NAME, are the last choice of all.
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

/* By address; the best name first. */
static int compare(const void *left, const void *right)
{
	const struct sc_elf_symbol *a = left, *b = right;
	int r;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	r = compare_names(a->name, b->name);
	return r != 0 ? r : (a->size < b->size) - (a->size > b->size);
}

static void keep_best(struct sc_elf_symbols *symbols)
{
	struct sc_elf_symbol *const items = symbols->array.items;
	size_t kept = 0;

	if (symbols->array.n == 0)
		return;
	qsort(items, symbols->array.n, sizeof(*items), compare);
	for (size_t i = 0; i < symbols->array.n; i++)
		if (kept == 0 || items[kept - 1].address != items[i].address)
			items[kept++] = items[i];
	symbols->array.n = kept;
}

/* How far a function goes that does not say it: never into another. */
static uint64_t guess_end(const struct sc_elf_symbols *symbols,
                          const struct sc_elf *elf,
                          const struct sc_ranges *unnamed, size_t i)
{
	const uint64_t address = symbols->array.items[i].address;
	const struct sc_range *range = sc_ranges_find(unnamed, address);
	const struct sc_elf_section *section = sc_elf_code_at(elf, address);
	uint64_t end = address + 1;

	if (section != NULL && section->size <= UINT64_MAX - section->address)
		end = section->address + section->size;
	if (range != NULL && range->end < end)
		end = range->end;
	else if (sc_ranges_next(unnamed, address) < end)
		end = sc_ranges_next(unnamed, address);
	if (i + 1 < symbols->array.n &&
	    symbols->array.items[i + 1].address < end)
		end = symbols->array.items[i + 1].address;
	return end;
}

static int split(const struct sc_elf_symbols *symbols, const struct sc_elf *elf,
                 const struct sc_ranges *unnamed, struct sc_ranges *sized,
                 struct sc_ranges *guessed)
{
	for (size_t i = 0; i < symbols->array.n; i++) {
		const struct sc_elf_symbol *symbol = &symbols->array.items[i];
		struct sc_range range = {
			.begin = symbol->address,
			.end = symbol->address + symbol->size,
			.name = symbol->name,
		};
		struct sc_ranges *to = sized;

		if (symbol->size == 0) {
			range.end = guess_end(symbols, elf, unnamed, i);
			to = guessed;
		}
		if (sc_array_push(&to->array, range) < 0)
			return -ENOMEM;
	}
	return 0;
}

int sc_elf_symbols_arrange(struct sc_elf_symbols *symbols,
                           const struct sc_elf *elf,
                           const struct sc_ranges *unnamed,
                           struct sc_ranges *ret_ranges)
{
	struct sc_ranges sized = { 0 }, guessed = { 0 };
	int r;

	keep_best(symbols);
	r = split(symbols, elf, unnamed, &sized, &guessed);
	if (r == 0)
		r = sc_ranges_flatten(&sized);
	sc_ranges_sort(&symbols->plt);
	if (r == 0)
		r = sc_ranges_flatten(&symbols->plt);
	if (r == 0)
		r = sc_ranges_fill(&sized, &symbols->plt);
	if (r == 0)
		r = sc_ranges_flatten(&guessed);
	if (r == 0)
		r = sc_ranges_fill(&sized, &guessed);
	if (r == 0)
		r = sc_ranges_fill(&sized, unnamed);
	sc_ranges_fini(&guessed);
	if (r < 0)
		sc_ranges_fini(&sized);
	else
		*ret_ranges = sized;
	return r;
}

void sc_elf_symbols_fini(struct sc_elf_symbols *symbols)
{
	for (size_t i = 0; i < symbols->texts.n; i++)
		free(symbols->texts.items[i]);
	free(symbols->texts.items);
	free(symbols->array.items);
	sc_ranges_fini(&symbols->plt);
	memset(symbols, 0, sizeof(*symbols));
}
