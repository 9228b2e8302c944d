/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_symbols.c - the functions that a file's symbol tables name. */
#define _GNU_SOURCE
#include "symbols/elf_symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf_plt.h"
#include "symbols/elf_table.h"

/* Assemblers and linkers mark places with these. */
static bool is_mark(const char *name)
{
	return name[0] == 0 || name[0] == '$' || strncmp(name, ".L", 2) == 0;
}

static bool is_in_code(const struct syc_elf *elf, uint16_t section)
{
	return section < elf->n_sections &&
	       (elf->sections[section].flags & SHF_EXECINSTR) != 0;
}

/* False: it is no function. */
static bool rank_symbol(const struct syc_elf *elf,
                        const struct syc_elf_symbol *symbol, uint8_t *ret_rank)
{
	const bool is_function =
		symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;

	if (symbol->section == SHN_UNDEF || symbol->section == SHN_ABS ||
	    symbol->section == SHN_COMMON || is_mark(symbol->name))
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

/* The table's texts are ours then. */
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
		r = syc_elf_plt_read(elf, table, &symbols->plt);
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

/* How far a function goes that does not say it: never into another. */
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
