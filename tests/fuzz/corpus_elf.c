/* SPDX-License-Identifier: BSD-2-Clause */
/* corpus_elf.c - ELF files of both classes and both byte orders. */
#include <elf.h>
#include <stdlib.h>

#include "corpus.h"
#include "symbols/make_elf.h"

static const struct elf_symbol symtab[] = {
	{ "first", 0x400, 0x40, STT_FUNC, STB_GLOBAL, false },
	{ "__first", 0x400, 0x40, STT_FUNC, STB_LOCAL, false },
	{ "outer", 0x440, 0x80, STT_FUNC, STB_GLOBAL, false },
	{ "inner", 0x460, 0x20, STT_FUNC, STB_LOCAL, false },
	{ "open", 0x500, 0, STT_NOTYPE, STB_GLOBAL, false },
	{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", 0x580, 0x10,
	  STT_FUNC, STB_GLOBAL, false },
	{ "_RINvMNtCs1_1a1bDNtB2_1TEL_E", 0x590, 0x10, STT_FUNC, STB_GLOBAL,
	  false },
	{ "_RNvC7mycrateu8gdel_5qa", 0x5a0, 0x10, STT_FUNC, STB_GLOBAL, false },
	{ "versioned@@V_1", 0x5b0, 0x10, STT_GNU_IFUNC, STB_WEAK, false },
};

static const struct elf_symbol dynsym[] = {
	{ "malloc", 0, 0, STT_FUNC, STB_GLOBAL, true },
	{ "puts", 0, 0, STT_FUNC, STB_GLOBAL, true },
	{ "exported", 0x400, 0x40, STT_FUNC, STB_GLOBAL, false },
};

static const uint32_t functions[][2] = {
	{ 0x400, 0x40 }, { 0x440, 0x80 }, { 0x500, 0x40 }, { 0x5c0, 0x10 }
};

/* "xz" of no bytes, and of bytes that are no ELF file. */
static const unsigned char packed[] = {
	0xfd, '7',  'z',  'X',  'Z',  0x00, 0x00, 0x00, 0xff, 0x12, 0xd9,
	0x41, 0x00, 0x00, 0x00, 0x00, 0x1c, 0xdf, 0x44, 0x21, 0x90, 0x42,
	0x99, 0x0d, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 'Y',  'Z',
};

static const struct elf_spec whole = {
	.is_64 = true,
	.machine = EM_X86_64,
	.symtab = symtab,
	.n_symtab = sizeof(symtab) / sizeof(*symtab),
	.dynsym = dynsym,
	.n_dynsym = sizeof(dynsym) / sizeof(*dynsym),
	.has_plt = true,
	.functions = functions,
	.n_functions = sizeof(functions) / sizeof(*functions),
	.signal = { 0x5df, 0x11 },
	.build_id = (const unsigned char *)"\x01\x23\x45\x67\x89",
	.build_id_size = 5,
	.debug_link = "corpus.debug",
};

static void put(struct make_capture *bytes, const struct elf_spec *spec)
{
	unsigned char *buffer = malloc(ELF_ROOM);

	if (buffer == NULL)
		abort();
	make_bytes(bytes, buffer, make_elf(spec, buffer));
	free(buffer);
}

static void full(struct make_capture *bytes)
{
	put(bytes, &whole);
}

static void other_order(struct make_capture *bytes, bool is_64, bool is_big,
                        uint16_t machine)
{
	struct elf_spec spec = whole;

	spec.has_plt = false;
	spec.is_64 = is_64;
	spec.is_big = is_big;
	spec.machine = machine;
	put(bytes, &spec);
}

static void big(struct make_capture *bytes)
{
	other_order(bytes, true, true, EM_PPC64);
}

static void big32(struct make_capture *bytes)
{
	other_order(bytes, false, true, EM_PPC);
}

static void little32(struct make_capture *bytes)
{
	other_order(bytes, false, false, EM_386);
}

static void stripped(struct make_capture *bytes)
{
	struct elf_spec spec = whole;

	spec.n_symtab = 0;
	spec.debug_data = packed;
	spec.debug_data_size = sizeof(packed);
	put(bytes, &spec);
}

static void debug(struct make_capture *bytes)
{
	struct elf_spec spec = whole;

	spec.is_debug_only = true;
	spec.has_plt = false;
	put(bytes, &spec);
}

static void put_go(struct make_capture *bytes, uint32_t magic, bool is_64,
                   bool is_big)
{
	const struct elf_spec spec = {
		.is_64 = is_64,
		.is_big = is_big,
		.go_magic = magic,
		.has_go_module = magic == 0xfffffff1u,
	};

	put(bytes, &spec);
}

static void go16(struct make_capture *bytes)
{
	put_go(bytes, 0xfffffffau, true, false);
}

static void go18(struct make_capture *bytes)
{
	put_go(bytes, 0xfffffff0u, false, true);
}

static void go26(struct make_capture *bytes)
{
	put_go(bytes, 0xfffffff1u, true, false);
}

const struct corpus_case corpus_elf[] = {
	{ "full", full, false },         { "big", big, false },
	{ "big32", big32, false },       { "little32", little32, false },
	{ "stripped", stripped, false }, { "debug", debug, false },
	{ "go16", go16, false },         { "go18", go18, false },
	{ "go26", go26, false },         { 0 },
};
