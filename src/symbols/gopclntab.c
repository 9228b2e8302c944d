/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gopclntab.c - functions in .gopclntab, the runtime table of Go programs.
 *
 * Stripped Go programs keep this table.  The header has a magic number, the
 * size of a pointer, the number of functions and the offsets of other tables.
 * The function table has pairs of an address and an offset, and then the end of
 * the last function.  At the offset is a struct that begins with the address
 * and the offset of the name.
 *
 *	Go     magic        address in the function table
 *	1.16   0xfffffffa   absolute, a pointer
 *	1.18   0xfffffff0   4 bytes, relative to the start of the code
 *	1.20   0xfffffff1   same
 *
 * The file is not trusted.  A name is used only if all of its offsets are in
 * bounds.  The table is used only if its code is in executable sections.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <string.h>

#include "symbols/elf_symbols.h"

#define MAGIC_1_16 0xfffffffau
#define MAGIC_1_18 0xfffffff0u
#define MAGIC_1_20 0xfffffff1u

#define HEADER_FIXED 8u /* bytes before the words of the header */
/* Number of pointers in Go's moduledata before the start of the code. */
#define MODULE_TEXT 22u
/* Relocation tables to search.  Linkers write two. */
#define TABLES_MAX 8u

struct go_table {
	const struct syc_elf *elf;
	const struct syc_elf_section *section;
	const unsigned char *bytes;
	uint64_t offset, size; /* the table within the section */
	unsigned word;         /* size of a pointer */
	unsigned field;        /* size of a number in the function table */
	uint64_t n, text;
	uint64_t names, names_end, functions; /* offsets of other tables */
};

static uint64_t get(const struct go_table *table, uint64_t at, unsigned size)
{
	return size == 8 ? syc_elf_u64(table->elf, table->bytes + at)
	                 : syc_elf_u32(table->elf, table->bytes + at);
}

/* Get a word of the header, which is_header() has found complete. */
static uint64_t header_word(const struct go_table *table, unsigned i)
{
	return get(table, HEADER_FIXED + i * table->word, table->word);
}

static bool is_header(const struct syc_elf *elf, const unsigned char *p,
                      uint64_t size)
{
	const unsigned word = elf->is_64 ? 8 : 4;
	uint32_t magic;

	if (size < HEADER_FIXED + 8 * word)
		return false;
	magic = syc_elf_u32(elf, p);
	return (magic == MAGIC_1_16 || magic == MAGIC_1_18 ||
	        magic == MAGIC_1_20) &&
	       p[4] == 0 && p[5] == 0 &&
	       (p[6] == 1 || p[6] == 2 || p[6] == 4) && p[7] == word;
}

/*
 * Return the word at @address in the loaded program, or 0.  The word is the
 * addend of its relocation, or, without a relocation, the word in the file.
 */
static uint64_t loaded_word(const struct syc_elf *elf, uint64_t address)
{
	const struct syc_elf_section *section;
	unsigned char *bytes;
	uint64_t value = 0;
	unsigned n = 0;

	for (size_t i = 0; elf->is_64 && i < elf->n_sections; i++) {
		section = &elf->sections[i];
		if (section->type != SHT_RELA || n++ == TABLES_MAX ||
		    syc_elf_read_section(elf, section, &bytes) < 0)
			continue;
		for (uint64_t at = 0;
		     value == 0 && section->size - at >= sizeof(Elf64_Rela);
		     at += sizeof(Elf64_Rela)) {
			const unsigned char *p = bytes + at;

			/* The symbol, in the upper half, must be 0. */
			if (syc_elf_u64(elf, p) == address &&
			    syc_elf_u64(elf, p + 8) >> 32 == 0)
				value = syc_elf_u64(elf, p + 16);
		}
		free(bytes);
		if (value != 0)
			return value;
	}
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct syc_elf_segment *s = &elf->segments[i];
		const unsigned size = elf->is_64 ? 8 : 4;

		if (s->type != PT_LOAD || address < s->address ||
		    s->file_size < size ||
		    address - s->address > s->file_size - size ||
		    syc_elf_view_read(&elf->view,
		                      s->offset + (address - s->address), size,
		                      &bytes) < 0)
			continue;
		value = elf->is_64 ? syc_elf_u64(elf, bytes)
		                   : syc_elf_u32(elf, bytes);
		free(bytes);
		return value;
	}
	return 0;
}

/*
 * Find the start of Go's code.  The header has the address up to Go 1.25, and
 * moduledata since 1.26.  The last resort is the section .text, which only
 * begins with other code if a C linker made the program.
 */
static uint64_t find_text(const struct go_table *table)
{
	const struct syc_elf *elf = table->elf;
	const struct syc_elf_section *module = syc_elf_find(elf, ".go.module");
	const struct syc_elf_section *text = syc_elf_find(elf, ".text");
	uint64_t value =
		loaded_word(elf, table->section->address + table->offset +
	                                 HEADER_FIXED + 2 * table->word);

	if (value == 0 && module != NULL)
		value = loaded_word(elf, module->address +
		                                 MODULE_TEXT * table->word);
	return value != 0 || text == NULL ? value : text->address;
}

static uint64_t function_at(const struct go_table *table, uint64_t i)
{
	return table->text + get(table, table->functions + 2 * i * table->field,
	                         table->field);
}

static bool read_header(struct go_table *table)
{
	const bool is_old = syc_elf_u32(table->elf, table->bytes) == MAGIC_1_16;
	const unsigned first = is_old ? 2 : 3; /* word of the first offset */

	table->word = table->elf->is_64 ? 8 : 4;
	table->field = is_old ? table->word : 4;
	table->n = header_word(table, 0);
	table->names = header_word(table, first);
	table->names_end = header_word(table, first + 1);
	table->functions = header_word(table, first + 4);
	if (table->names >= table->names_end ||
	    table->names_end > table->size || table->functions > table->size ||
	    table->n == 0 ||
	    table->n >= (table->size - table->functions) / table->field / 2)
		return false;
	table->text = is_old ? 0 : find_text(table);
	return syc_elf_code_at(table->elf, function_at(table, 0)) != NULL &&
	       syc_elf_code_at(table->elf, function_at(table, table->n) - 1) !=
	               NULL;
}

/* Get the offset of a name in the table of names. */
static bool get_name(const struct go_table *table, uint64_t i,
                     uint64_t *ret_name)
{
	const uint64_t at =
		get(table, table->functions + (2 * i + 1) * table->field,
	            table->field);
	const uint64_t left = table->size - table->functions;

	if (left < table->field + 4 || at > left - table->field - 4)
		return false;
	*ret_name = get(table, table->functions + at + table->field, 4);
	return *ret_name < table->names_end - table->names;
}

static int64_t add_functions(const struct go_table *table, const char *names,
                             struct syc_elf_symbols *symbols)
{
	int64_t n = 0;
	uint64_t name;

	for (uint64_t i = 0; i < table->n; i++) {
		const uint64_t begin = function_at(table, i);
		const uint64_t end = function_at(table, i + 1);
		struct syc_elf_function function = {
			.address = begin,
			.size = end - begin,
			.rank = 1, /* as a local function with a size */
		};

		if (begin > end)
			break; /* the table is sorted */
		if (begin == end || !get_name(table, i, &name) ||
		    names[name] == 0)
			continue;
		function.name = names + name;
		if (syc_array_push(&symbols->array, function) < 0)
			return -ENOMEM;
		n++;
	}
	return n;
}

static int64_t read_table(struct go_table *table,
                          struct syc_elf_symbols *symbols)
{
	unsigned char *names;
	uint64_t size;

	if (!read_header(table))
		return 0;
	/* Keep the names, and drop the other tables. */
	size = table->names_end - table->names;
	names = malloc(size + 1);
	if (names == NULL)
		return -ENOMEM;
	memcpy(names, table->bytes + table->names, size);
	names[size] = 0;
	if (syc_array_push(&symbols->texts, names) < 0) {
		free(names);
		return -ENOMEM;
	}
	return add_functions(table, (char *)names, symbols);
}

int64_t syc_elf_go_read(struct syc_elf_symbols *symbols,
                        const struct syc_elf *elf)
{
	/* A C linker merges the table of a position-independent program into
	 * the last section. */
	static const char *const sections[] = { ".gopclntab",
		                                ".data.rel.ro.gopclntab",
		                                ".data.rel.ro" };
	struct go_table table = { .elf = elf };
	unsigned char *bytes;
	int64_t n = 0;
	int r;

	for (size_t i = 0; n == 0 && i < 3; i++) {
		table.section = syc_elf_find(elf, sections[i]);
		if (table.section == NULL ||
		    (i == 2 && syc_elf_find(elf, ".go.buildinfo") == NULL))
			continue;
		r = syc_elf_read_section(elf, table.section, &bytes);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			continue;
		for (table.offset = 0; table.offset < table.section->size;
		     table.offset += 32) { /* the alignment of the table */
			table.bytes = bytes + table.offset;
			table.size = table.section->size - table.offset;
			if (!is_header(elf, table.bytes, table.size))
				continue;
			n = read_table(&table, symbols);
			break;
		}
		free(bytes);
	}
	return n;
}
