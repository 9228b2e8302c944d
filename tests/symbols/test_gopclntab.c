/* SPDX-License-Identifier: BSD-2-Clause */
/* test_gopclntab.c - functions in the runtime table of Go programs. */
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "make_elf.h"
#include "symbols/elf_symbols.h"

static const struct {
	uint32_t magic;
	bool has_go_module;
} versions[] = {
	{ 0xfffffffau, false }, /* Go 1.16 */
	{ 0xfffffff0u, false }, /* Go 1.18 */
	{ 0xfffffff1u, false }, /* Go 1.20 */
	{ 0xfffffff1u, true },  /* Go 1.26 */
};

static const uint32_t starts[] = ELF_GO_STARTS;

/* Read the table of an ELF file, whose bytes are copied to exactly their size,
 * so that ASan sees a read beyond. */
static int64_t read_functions(const unsigned char *file, size_t size,
                              struct syc_elf *elf,
                              struct syc_elf_symbols *symbols)
{
	void *const copy = malloc(size);

	CHECK(copy != NULL);
	memcpy(copy, file, size);
	memset(symbols, 0, sizeof(*symbols));
	CHECK_EQ(syc_elf_open_memory(elf, copy, size), 0);
	return syc_elf_go_read(symbols, elf);
}

static void check_functions(const struct elf_spec *spec)
{
	static const char *const names[] = { "main.main", "main.(*T).Work",
		                             "runtime.goexit" };
	unsigned char *const file = malloc(ELF_ROOM);
	struct syc_elf_symbols symbols;
	struct syc_elf elf;

	CHECK(file != NULL);
	CHECK_EQ(read_functions(file, make_elf(spec, file), &elf, &symbols), 3);
	for (size_t i = 0; i < 3; i++) {
		CHECK_STR(symbols.array.items[i].name, names[i]);
		CHECK_EQ(symbols.array.items[i].address, starts[i]);
		CHECK_EQ(symbols.array.items[i].size,
		         starts[i + 1] - starts[i]);
	}
	syc_elf_symbols_fini(&symbols);
	syc_elf_close(&elf);
	free(file);
}

TEST(go_tables_of_every_version_class_and_order_are_read)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++)
		for (unsigned kind = 0; kind < 4; kind++)
			check_functions(&(struct elf_spec){
				.is_64 = kind & 1,
				.is_big = kind & 2,
				.go_magic = versions[i].magic,
				.has_go_module = versions[i].has_go_module,
			});
}

/* Read the file, and every byte of every name. */
static void read_changed(const unsigned char *file, size_t size)
{
	struct syc_elf_symbols symbols;
	struct syc_elf elf;
	const int64_t n = read_functions(file, size, &elf, &symbols);

	CHECK(n >= 0 && (uint64_t)n == symbols.array.n);
	for (size_t i = 0; i < symbols.array.n; i++) {
		const struct syc_elf_function *f = &symbols.array.items[i];

		CHECK(f->size > 0 && f->size <= UINT64_MAX - f->address);
		CHECK(strlen(f->name) > 0);
	}
	syc_elf_symbols_fini(&symbols);
	syc_elf_close(&elf);
}

TEST(any_changed_word_of_a_go_table_is_harmless)
{
	static const unsigned char values[][8] = {
		{ 0 },
		{ 1 },
		{ 0, 2 },
		{ 0xff, 0xff, 0xff, 0x7f },
		{ 0, 0, 0, 0x80 },
		{ 0xff, 0xff, 0xff, 0xff },
		{ 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		{ 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
	};
	unsigned char *const file = malloc(ELF_ROOM);

	CHECK(file != NULL);
	for (unsigned i = 0; i < 8; i++) {
		const struct elf_spec spec = {
			.is_64 = i & 1,
			.go_magic = versions[i / 2].magic,
			.has_go_module = versions[i / 2].has_go_module,
		};
		const size_t size = make_elf(&spec, file);
		const size_t first = ELF_TEXT + ELF_TEXT_SIZE;

		/* The table, and the section headers behind it. */
		for (size_t at = first; at + 8 <= size && at < first + 512;
		     at += 4)
			for (size_t v = 0; v < 8; v++)
				for (size_t n = 4; n <= 8; n += 4) {
					unsigned char kept[8];

					memcpy(kept, file + at, 8);
					memcpy(file + at, values[v], n);
					read_changed(file, size);
					memcpy(file + at, kept, 8);
				}
	}
	free(file);
}
