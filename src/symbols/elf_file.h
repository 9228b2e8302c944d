/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_file.h - the parts of an ELF file that tell about its code.
 *
 * Both classes and both byte orders.  Parts are read into memory with pread()
 * when they are wanted: a file that is cut meanwhile is a short read here and
 * no SIGBUS.  Nothing in the file is believed.  Context: offline.
 */
#ifndef SC_SYMBOLS_ELF_FILE_H
#define SC_SYMBOLS_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/load.h"

/** Longest build-id in hex, with its NUL: 64 bytes of id. */
#define SC_ELF_BUILD_ID_SIZE 129

/** Larger parts of a file are not read. */
#define SC_ELF_PART_MAX (UINT64_C(1) << 29)

struct sc_elf_section {
	const char *name; /* "" where it has none that can be read */
	uint32_t type, link;
	uint64_t flags, address, offset, size, entry_size;
};

struct sc_elf_segment {
	uint32_t type, flags;
	uint64_t offset, address, file_size, memory_size, align;
};

struct sc_elf {
	int fd; /* -1: in memory */
	unsigned char *memory;
	uint64_t size;
	bool is_64, is_big;
	uint16_t machine;
	struct sc_elf_section *sections;
	size_t n_sections;
	struct sc_elf_segment *segments;
	size_t n_segments;
	unsigned char *names;
	char build_id[SC_ELF_BUILD_ID_SIZE]; /* hex; "": none */
};

static inline uint16_t sc_elf_u16(const struct sc_elf *elf,
                                  const unsigned char *p)
{
	return sc_load_u16(p, elf->is_big);
}

static inline uint32_t sc_elf_u32(const struct sc_elf *elf,
                                  const unsigned char *p)
{
	return sc_load_u32(p, elf->is_big);
}

static inline uint64_t sc_elf_u64(const struct sc_elf *elf,
                                  const unsigned char *p)
{
	return sc_load_u64(p, elf->is_big);
}

/** An address or size of the file's class: 4 or 8 bytes. */
static inline uint64_t sc_elf_word(const struct sc_elf *elf,
                                   const unsigned char *p)
{
	return elf->is_64 ? sc_elf_u64(elf, p) : sc_elf_u32(elf, p);
}

/**
 * Read the headers.  @fd is taken, also when this fails.
 * 0, -ENOEXEC: no ELF file, or its headers make no sense; -ENOMEM; -EISDIR:
 * no regular file; other -errno of reading it.
 */
int sc_elf_open(struct sc_elf *elf, int fd);

/** The same for memory from malloc(), which is taken. */
int sc_elf_open_memory(struct sc_elf *elf, void *memory, size_t size);

void sc_elf_close(struct sc_elf *elf);

/** Nothing is to be read any more; headers stay. */
void sc_elf_release(struct sc_elf *elf);

/**
 * Read @size bytes at @offset into memory from malloc(), a NUL behind them.
 * 0, -ENOEXEC: the file ends before; -EFBIG; -ENOMEM; other -errno.
 */
int sc_elf_read(const struct sc_elf *elf, uint64_t offset, uint64_t size,
                unsigned char **ret_bytes);

/** The same for a section; -ENOENT where it has no bytes in the file. */
int sc_elf_read_section(const struct sc_elf *elf,
                        const struct sc_elf_section *section,
                        unsigned char **ret_bytes);

/** The first section of that name, or NULL. */
const struct sc_elf_section *sc_elf_find(const struct sc_elf *elf,
                                         const char *name);

/** The executable section that has @address, or NULL. */
const struct sc_elf_section *sc_elf_code_at(const struct sc_elf *elf,
                                            uint64_t address);

/** Which address the file's byte @offset is loaded at, as it was linked. */
bool sc_elf_address_of(const struct sc_elf *elf, uint64_t offset,
                       uint64_t *ret_address);

/**
 * The only executable segment, or NULL: there are several, or none.  For
 * files with debug symbols only, whose offsets are not the program's.
 */
const struct sc_elf_segment *sc_elf_only_code(const struct sc_elf *elf);

#endif
