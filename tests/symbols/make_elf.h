/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_elf.h - small ELF files for tests, of either class and byte order.
 *
 * The only segment of these files maps the whole file at addresses equal to the
 * offsets.
 */
#ifndef SYSCAP_TEST_MAKE_ELF_H
#define SYSCAP_TEST_MAKE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_TEXT      0x400u /* address and size of the code */
#define ELF_TEXT_SIZE 0x400u
#define ELF_ROOM      (64u * 1024u)

struct elf_symbol {
	const char *name;
	uint64_t value, size;
	unsigned char type, bind; /* STT_..., STB_... */
	bool is_undefined;
};

/** All zero is a file of ELF32, little-endian, without symbols. */
struct elf_spec {
	bool is_64, is_big;
	uint16_t machine;
	const struct elf_symbol *symtab, *dynsym;
	size_t n_symtab, n_dynsym;
	/* .eh_frame has entries for these functions, and for a return from
	 * signal handlers. */
	const uint32_t (*functions)[2]; /* begin, size */
	size_t n_functions;
	uint32_t signal[2];
	const unsigned char *build_id;
	size_t build_id_size;
	const char *debug_link;
	uint32_t debug_crc;
	const unsigned char *debug_data;
	size_t debug_data_size;
	/* x86-64: .plt.sec with an entry for each undefined symbol of
	 * dynsym. */
	bool has_plt;
	/* Magic number of a .gopclntab with three functions, or 0. */
	uint32_t go_magic;
	/* The start of Go's code is only in .go.module, as in Go 1.26. */
	bool has_go_module;
	/* Like a file of objcopy --only-keep-debug: no code, no offsets. */
	bool is_debug_only;
};

/* The functions of .gopclntab: main.main, main.(*T).Work and runtime.goexit
 * begin at these addresses, and the last one ends at the fourth. */
#define ELF_GO_STARTS                          \
	{                                      \
		0x420u, 0x440u, 0x4c0u, 0x500u \
	}

/** Returns the size; @buffer has room for ELF_ROOM bytes. */
size_t make_elf(const struct elf_spec *spec, unsigned char *buffer);

/** Make the ELF file as a new file at @path. */
void make_elf_file(const struct elf_spec *spec, const char *path);

#endif
