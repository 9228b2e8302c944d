/* SPDX-License-Identifier: BSD-2-Clause */
/* make_elf.c - small ELF files for tests, of either class and byte order. */
#include "make_elf.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADERS 0x0u
#define FIRST   (ELF_TEXT + ELF_TEXT_SIZE)
/* at the end of the text */
#define PLT       (ELF_TEXT + ELF_TEXT_SIZE - 0x100u)
#define PLT_SLOTS 0x20000u /* addresses in invisible words */
#define N_MAX     16u

struct section {
	const char *name;
	uint32_t type, link;
	uint64_t flags, address, offset, size, entry_size;
};

struct maker {
	const struct elf_spec *spec;
	unsigned char *bytes;
	size_t end;
	struct section sections[N_MAX];
	size_t n;
};

static void put(const struct maker *maker, size_t at, unsigned size,
                uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		maker->bytes[at + i] =
			(unsigned char)(value >> 8 * (maker->spec->is_big
		                                              ? size - 1 - i
		                                              : i));
}

static void append(struct maker *maker, unsigned size, uint64_t value)
{
	put(maker, maker->end, size, value);
	maker->end += size;
}

/* 4 or 8 bytes, depending on the ELF class. */
static void append_word(struct maker *maker, uint64_t value)
{
	append(maker, maker->spec->is_64 ? 8 : 4, value);
}

static void append_bytes(struct maker *maker, const void *bytes, size_t size)
{
	memcpy(maker->bytes + maker->end, bytes, size);
	maker->end += size;
}

/* Returns the section's number; later content belongs to this section. */
static size_t begin(struct maker *maker, const char *name, uint32_t type)
{
	struct section *section = &maker->sections[maker->n];

	if (maker->n == N_MAX || maker->end > ELF_ROOM / 2)
		abort();
	maker->end = (maker->end + 7) & ~7ul;
	section->name = name;
	section->type = type;
	section->offset = maker->end;
	section->address = maker->end;
	return maker->n++;
}

static void finish(struct maker *maker, size_t i)
{
	maker->sections[i].size = maker->end - maker->sections[i].offset;
}

static void put_symbol(struct maker *maker, uint32_t name,
                       const struct elf_symbol *symbol)
{
	const unsigned char info = ELF64_ST_INFO(symbol->bind, symbol->type);
	const uint16_t section = symbol->is_undefined ? SHN_UNDEF : 1;

	append(maker, 4, name);
	if (maker->spec->is_64) {
		append(maker, 1, info);
		append(maker, 1, 0);
		append(maker, 2, section);
		append(maker, 8, symbol->value);
		append(maker, 8, symbol->size);
	} else {
		append(maker, 4, symbol->value);
		append(maker, 4, symbol->size);
		append(maker, 1, info);
		append(maker, 1, 0);
		append(maker, 2, section);
	}
}

static size_t put_symbols(struct maker *maker, const char *name, uint32_t type,
                          const struct elf_symbol *symbols, size_t n)
{
	const struct elf_symbol none = { .is_undefined = true };
	const size_t table = begin(maker, name, type);
	uint32_t at = 1;
	size_t texts;

	maker->sections[table].entry_size =
		maker->spec->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	put_symbol(maker, 0, &none);
	for (size_t i = 0; i < n; i++) {
		put_symbol(maker, at, &symbols[i]);
		at += (uint32_t)strlen(symbols[i].name) + 1;
	}
	finish(maker, table);
	texts = begin(maker, type == SHT_DYNSYM ? ".dynstr" : ".strtab",
	              SHT_STRTAB);
	append(maker, 1, 0);
	for (size_t i = 0; i < n; i++)
		append_bytes(maker, symbols[i].name,
		             strlen(symbols[i].name) + 1);
	finish(maker, texts);
	maker->sections[table].link = (uint32_t)texts;
	return table;
}

/* endbr64; bnd jmp *slot(%rip); and a relocation for the slot. */
static void put_plt(struct maker *maker, size_t dynsym)
{
	static const unsigned char entry[16] = { 0xf3, 0x0f, 0x1e, 0xfa,
		                                 0xf2, 0xff, 0x25 };
	const struct elf_spec *spec = maker->spec;
	const size_t relocations = begin(maker, ".rela.plt", SHT_RELA);
	struct section *plt;
	size_t n = 0;

	maker->sections[relocations].link = (uint32_t)dynsym;
	for (size_t i = 0; i < spec->n_dynsym; i++) {
		const size_t at = PLT + 16 * n, slot = PLT_SLOTS + 8 * n;

		if (!spec->dynsym[i].is_undefined)
			continue;
		append(maker, 8, slot);
		append(maker, 8, (uint64_t)(i + 1) << 32 | R_X86_64_JUMP_SLOT);
		append(maker, 8, 0);
		memcpy(maker->bytes + at, entry, sizeof(entry));
		put(maker, at + 7, 4, slot - (at + 11));
		n++;
	}
	finish(maker, relocations);
	plt = &maker->sections[maker->n++];
	plt->name = ".plt.sec";
	plt->type = SHT_PROGBITS;
	plt->flags = SHF_ALLOC | SHF_EXECINSTR;
	plt->address = plt->offset = PLT;
	plt->size = 16 * n;
}

static size_t put_cie(struct maker *maker, const char *augmentation)
{
	const size_t at = maker->end;

	append(maker, 4, 0);
	append(maker, 4, 0);
	append(maker, 1, 1);
	append_bytes(maker, augmentation, strlen(augmentation) + 1);
	append(maker, 1, 1);    /* alignment of code */
	append(maker, 1, 0x78); /* alignment of data: -8 */
	append(maker, 1, 16);   /* column of the return address */
	append(maker, 1, 1);    /* length of the augmentation */
	/* encoding of addresses: relative to their place, 4 bytes, signed */
	append(maker, 1, 0x1b);
	maker->end = (maker->end + 3) & ~3ul;
	put(maker, at, 4, maker->end - at - 4);
	return at;
}

static void put_fde(struct maker *maker, size_t cie, const uint32_t range[2])
{
	append(maker, 4, 16);
	append(maker, 4, maker->end - cie);
	append(maker, 4, range[0] - (uint32_t)maker->end);
	append(maker, 4, range[1]);
	append(maker, 4, 0);
}

static void put_frames(struct maker *maker)
{
	const struct elf_spec *spec = maker->spec;
	const size_t section = begin(maker, ".eh_frame", SHT_PROGBITS);
	size_t cie = put_cie(maker, "zR");

	for (size_t i = 0; i < spec->n_functions; i++)
		put_fde(maker, cie, spec->functions[i]);
	if (spec->signal[1] != 0) {
		cie = put_cie(maker, "zRS");
		put_fde(maker, cie, spec->signal);
	}
	append(maker, 4, 0);
	finish(maker, section);
}

static void put_build_id(struct maker *maker)
{
	const size_t section = begin(maker, ".note.gnu.build-id", SHT_NOTE);

	append(maker, 4, 4);
	append(maker, 4, maker->spec->build_id_size);
	append(maker, 4, NT_GNU_BUILD_ID);
	append_bytes(maker, "GNU", 4);
	append_bytes(maker, maker->spec->build_id, maker->spec->build_id_size);
	finish(maker, section);
}

/* .gopclntab of Go 1.16 (absolute addresses), or of Go 1.18 and later. */
static void put_go(struct maker *maker)
{
	static const char *const names[] = { "main.main", "main.(*T).Work",
		                             "runtime.goexit" };
	static const uint32_t starts[] = ELF_GO_STARTS;
	const struct elf_spec *spec = maker->spec;
	const bool is_old = spec->go_magic == 0xfffffffau;
	const unsigned word = spec->is_64 ? 8 : 4, field = is_old ? word : 4;
	const uint32_t text = is_old ? 0 : starts[0];
	const size_t table = begin(maker, ".gopclntab", SHT_PROGBITS);
	const size_t header = maker->end;
	/* The first offset is that of the names, the last of the functions. */
	const size_t offsets = header + 8 + (is_old ? 2 : 3) * word;
	size_t functions, name = 0;

	append(maker, 4, spec->go_magic);
	append(maker, 2, 0);
	append(maker, 1, 1);
	append(maker, 1, word);
	append_word(maker, 3);
	append_word(maker, 0);
	if (!is_old)
		append_word(maker, spec->has_go_module ? 0 : text);
	maker->end = offsets + 5 * word;
	put(maker, offsets, word, maker->end - header);
	for (size_t i = 0; i < 3; i++)
		append_bytes(maker, names[i], strlen(names[i]) + 1);
	maker->end = (maker->end + 7) & ~7ul;
	functions = maker->end;
	for (size_t i = 1; i < 5; i++)
		put(maker, offsets + i * word, word, functions - header);
	for (size_t i = 0; i < 4; i++) {
		append(maker, field, starts[i] - text);
		append(maker, field, 7 * field + i * (field + 8));
	}
	maker->end -= field;
	for (size_t i = 0; i < 3; i++) {
		append(maker, field, starts[i] - text);
		append(maker, 4, name);
		append(maker, 4, 0);
		name += strlen(names[i]) + 1;
	}
	finish(maker, table);
	if (spec->has_go_module) {
		const size_t module = begin(maker, ".go.module", SHT_PROGBITS);

		for (unsigned i = 0; i < 22; i++)
			append_word(maker, 0);
		append_word(maker, text);
		finish(maker, module);
	}
}

static void put_extras(struct maker *maker)
{
	const struct elf_spec *spec = maker->spec;
	size_t section;

	if (spec->build_id != NULL)
		put_build_id(maker);
	if (spec->debug_link != NULL) {
		section = begin(maker, ".gnu_debuglink", SHT_PROGBITS);
		append_bytes(maker, spec->debug_link,
		             strlen(spec->debug_link) + 1);
		maker->end = (maker->end + 3) & ~3ul;
		append(maker, 4, spec->debug_crc);
		finish(maker, section);
	}
	if (spec->go_magic != 0)
		put_go(maker);
	if (spec->debug_data != NULL) {
		section = begin(maker, ".gnu_debugdata", SHT_PROGBITS);
		append_bytes(maker, spec->debug_data, spec->debug_data_size);
		finish(maker, section);
	}
}

/* Writes the section headers; returns their offset. */
static size_t put_sections(struct maker *maker)
{
	const size_t names = begin(maker, ".shstrtab", SHT_STRTAB);
	uint32_t name_at = 1;
	size_t at;

	append(maker, 1, 0);
	for (size_t i = 1; i < maker->n; i++)
		append_bytes(maker, maker->sections[i].name,
		             strlen(maker->sections[i].name) + 1);
	finish(maker, names);
	maker->end = (maker->end + 7) & ~7ul;
	at = maker->end;
	for (size_t i = 0; i < maker->n; i++) {
		const struct section *section = &maker->sections[i];

		append(maker, 4, i ? name_at : 0);
		append(maker, 4, section->type);
		append_word(maker, section->flags);
		append_word(maker, section->address);
		append_word(maker, section->offset);
		append_word(maker, section->size);
		append(maker, 4, section->link);
		append(maker, 4, 0);
		append_word(maker, 1);
		append_word(maker, section->entry_size);
		if (i)
			name_at += (uint32_t)strlen(section->name) + 1;
	}
	return at;
}

static void put_segment(struct maker *maker)
{
	const bool is_gone = maker->spec->is_debug_only;
	const uint64_t size = is_gone ? ELF_TEXT_SIZE : ELF_ROOM;
	const uint64_t address = is_gone ? ELF_TEXT : 0;

	append(maker, 4, PT_LOAD);
	if (maker->spec->is_64)
		append(maker, 4, PF_R | PF_X);
	append_word(maker, 0);
	append_word(maker, address);
	append_word(maker, address);
	append_word(maker, is_gone ? 0 : size);
	append_word(maker, size);
	if (!maker->spec->is_64)
		append(maker, 4, PF_R | PF_X);
	append_word(maker, 0x1000);
}

static void put_header(struct maker *maker, size_t sections)
{
	const struct elf_spec *spec = maker->spec;

	maker->end = HEADERS;
	append_bytes(maker, ELFMAG, SELFMAG);
	append(maker, 1, spec->is_64 ? ELFCLASS64 : ELFCLASS32);
	append(maker, 1, spec->is_big ? ELFDATA2MSB : ELFDATA2LSB);
	append(maker, 1, EV_CURRENT);
	maker->end = EI_NIDENT;
	append(maker, 2, ET_DYN);
	append(maker, 2, spec->machine);
	append(maker, 4, EV_CURRENT);
	append_word(maker, 0);
	append_word(maker,
	            spec->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	append_word(maker, sections);
	append(maker, 4, 0);
	append(maker, 2, spec->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	append(maker, 2, spec->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
	append(maker, 2, 1);
	append(maker, 2, spec->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	append(maker, 2, maker->n);
	append(maker, 2, maker->n - 1);
	put_segment(maker);
}

size_t make_elf(const struct elf_spec *spec, unsigned char *buffer)
{
	struct maker maker = { .spec = spec, .bytes = buffer, .n = 2 };
	size_t dynsym, sections, size;

	memset(buffer, 0, ELF_ROOM);
	maker.sections[1] = (struct section){
		.name = ".text",
		.type = spec->is_debug_only ? SHT_NOBITS : SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_EXECINSTR,
		.address = ELF_TEXT,
		.offset = ELF_TEXT,
		.size = ELF_TEXT_SIZE - (spec->has_plt ? 0x100 : 0),
	};
	maker.end = FIRST;
	if (spec->n_symtab > 0)
		put_symbols(&maker, ".symtab", SHT_SYMTAB, spec->symtab,
		            spec->n_symtab);
	if (spec->n_dynsym > 0) {
		dynsym = put_symbols(&maker, ".dynsym", SHT_DYNSYM,
		                     spec->dynsym, spec->n_dynsym);
		if (spec->has_plt)
			put_plt(&maker, dynsym);
	}
	if (spec->n_functions > 0 || spec->signal[1] != 0)
		put_frames(&maker);
	put_extras(&maker);
	sections = put_sections(&maker);
	size = maker.end;
	put_header(&maker, sections);
	return size;
}

void make_elf_file(const struct elf_spec *spec, const char *path)
{
	unsigned char *buffer = malloc(ELF_ROOM);
	FILE *file = fopen(path, "wb");
	size_t size;

	if (buffer == NULL || file == NULL)
		abort();
	size = make_elf(spec, buffer);
	if (fwrite(buffer, 1, size, file) != size || fclose(file) != 0)
		abort();
	free(buffer);
}
