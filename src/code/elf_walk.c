/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_walk.c - the symbols of a small or a foreign ELF image. */
#define _GNU_SOURCE
#include "code/elf_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TABLE_BYTES (64u << 20)
/* Of all tables of one walk: any number of sections may name the same one. */
#define MOST_WALK_BYTES (4 * MOST_TABLE_BYTES)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "images are of the machine's own order");

struct walk {
	const struct sc_elf_source *source;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	size_t n_sections;
	unsigned types;
	uint64_t left; /* bytes that may still be read */
	int (*each)(void *context, const struct sc_elf_symbol *symbol);
	void *context;
};

static int read_part(const struct sc_elf_source *source, uint64_t offset,
                     void *to, uint64_t size)
{
	if (size > source->size || offset > source->size - size)
		return -EBADMSG;
	return source->read(source->context, offset, to, size);
}

/* A copy of a table; NULL and 0 where it is empty. */
static int read_table(const struct sc_elf_source *source, uint64_t offset,
                      uint64_t size, void **ret_table)
{
	void *table;
	int r;

	*ret_table = NULL;
	if (size == 0)
		return 0;
	if (size > source->size)
		return -EBADMSG;
	if (size > MOST_TABLE_BYTES)
		return -E2BIG;
	table = malloc(size);
	if (table == NULL)
		return -ENOMEM;
	r = read_part(source, offset, table, size);
	if (r < 0)
		free(table);
	else
		*ret_table = table;
	return r;
}

static int read_header(const struct sc_elf_source *source, Elf64_Ehdr *header)
{
	const int r = read_part(source, 0, header, sizeof(*header));

	if (r < 0)
		return r;
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] != ELFDATA2LSB)
		return -EBADMSG;
	return 0;
}

static int read_sections(struct walk *walk)
{
	const Elf64_Ehdr *header = &walk->header;
	size_t n = header->e_shnum;
	Elf64_Shdr first;
	void *table;
	int r;

	if (header->e_shoff == 0)
		return 0;
	if (header->e_shentsize != sizeof(Elf64_Shdr))
		return -EBADMSG;
	if (n == 0) { /* more than 16 bits hold: the first one tells */
		r = read_part(walk->source, header->e_shoff, &first,
		              sizeof(first));
		if (r < 0)
			return r;
		n = first.sh_size;
	}
	if (n > MOST_TABLE_BYTES / sizeof(Elf64_Shdr))
		return -E2BIG;
	r = read_table(walk->source, header->e_shoff, n * sizeof(Elf64_Shdr),
	               &table);
	walk->sections = table;
	walk->n_sections = table != NULL ? n : 0;
	return r;
}

/* True if it is one that was asked for. */
static bool decode(const struct walk *walk, const Elf64_Sym *symbol,
                   const char *names, size_t names_size,
                   struct sc_elf_symbol *ret_symbol)
{
	const Elf64_Shdr *section = NULL;
	const char *name;

	if ((walk->types >> ELF64_ST_TYPE(symbol->st_info) & 1) == 0 ||
	    symbol->st_shndx == SHN_UNDEF || symbol->st_name == 0 ||
	    symbol->st_name >= names_size)
		return false;
	if (symbol->st_shndx < walk->n_sections)
		section = &walk->sections[symbol->st_shndx];
	name = names + symbol->st_name;
	*ret_symbol = (struct sc_elf_symbol){
		.name = name,
		.name_len = strnlen(name, names_size - symbol->st_name),
		.value = symbol->st_value,
		.size = symbol->st_size,
		.type = ELF64_ST_TYPE(symbol->st_info),
	};
	if (section == NULL)
		return true;
	if (walk->header.e_type == ET_REL) {
		ret_symbol->value += section->sh_addr;
		if (symbol->st_size == 0 && symbol->st_value < section->sh_size)
			ret_symbol->size = section->sh_size - symbol->st_value;
	}
	return true;
}

static int walk_table(struct walk *walk, const Elf64_Shdr *section)
{
	const Elf64_Shdr *texts;
	void *symbols, *names;
	int r;

	if (section->sh_entsize != sizeof(Elf64_Sym) ||
	    section->sh_link >= walk->n_sections)
		return -EBADMSG;
	texts = &walk->sections[section->sh_link];
	if (texts->sh_size > walk->left ||
	    section->sh_size > walk->left - texts->sh_size)
		return -E2BIG;
	walk->left -= texts->sh_size + section->sh_size;
	r = read_table(walk->source, texts->sh_offset, texts->sh_size, &names);
	if (r < 0)
		return r;
	r = read_table(walk->source, section->sh_offset, section->sh_size,
	               &symbols);
	for (size_t i = 0; r == 0 && symbols != NULL && names != NULL &&
	                   i < section->sh_size / sizeof(Elf64_Sym);
	     i++) {
		struct sc_elf_symbol symbol;

		if (decode(walk, (const Elf64_Sym *)symbols + i, names,
		           texts->sh_size, &symbol))
			r = walk->each(walk->context, &symbol);
	}
	free(symbols);
	free(names);
	return r;
}

int sc_elf_walk_symbols(const struct sc_elf_source *source, bool dynamic,
                        unsigned types,
                        int (*each)(void *context,
                                    const struct sc_elf_symbol *symbol),
                        void *context)
{
	struct walk walk = {
		.source = source,
		.types = types,
		.left = MOST_WALK_BYTES,
		.each = each,
		.context = context,
	};
	int r = read_header(source, &walk.header);

	if (r == 0)
		r = read_sections(&walk);
	for (size_t i = 0; r == 0 && i < walk.n_sections; i++)
		if (walk.sections[i].sh_type == SHT_SYMTAB ||
		    (dynamic && walk.sections[i].sh_type == SHT_DYNSYM))
			r = walk_table(&walk, &walk.sections[i]);
	free(walk.sections);
	return r;
}

int sc_elf_walk_bias(const struct sc_elf_source *source, uint64_t mapped,
                     uint64_t file_offset, uint64_t *ret_bias)
{
	Elf64_Ehdr header;
	void *table;
	int r = read_header(source, &header);

	if (r < 0)
		return r;
	if (header.e_phentsize != sizeof(Elf64_Phdr))
		return -EBADMSG;
	r = read_table(source, header.e_phoff,
	               header.e_phnum * sizeof(Elf64_Phdr), &table);
	if (r < 0)
		return r;
	r = -ENOENT;
	for (size_t i = 0; r != 0 && i < header.e_phnum; i++) {
		const Elf64_Phdr *segment = (const Elf64_Phdr *)table + i;
		/* Mapped from the page on in which it begins. */
		const uint64_t before =
			segment->p_align > 1
				? segment->p_offset % segment->p_align
				: 0;

		if (segment->p_type != PT_LOAD ||
		    (segment->p_flags & PF_X) == 0 ||
		    file_offset < segment->p_offset - before ||
		    file_offset - (segment->p_offset - before) >=
		            segment->p_filesz + before)
			continue;
		*ret_bias = mapped - file_offset -
		            (segment->p_vaddr - segment->p_offset);
		r = 0;
	}
	free(table);
	return r;
}
