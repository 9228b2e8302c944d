/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_image.h - an ELF image that elf_file.h has opened: its headers, and
 * numbers in its byte order. */
#ifndef SYC_SYMBOLS_ELF_IMAGE_H
#define SYC_SYMBOLS_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/elf_note.h"
#include "data/load.h"
#include "symbols/elf_view.h"

struct syc_elf_section {
	const char *name; /* "" where it has none that can be read */
	uint32_t type, link;
	uint64_t flags, address, offset, size, entry_size;
};

struct syc_elf_segment {
	uint32_t type, flags;
	uint64_t offset, address, file_size, memory_size, align;
};

struct syc_elf {
	struct syc_elf_view view;
	int fd;       /* owned; -1: none */
	void *memory; /* owned; NULL: none */
	bool is_64, is_big;
	uint16_t type, machine; /* ET_..., EM_... */
	struct syc_elf_section *sections;
	size_t n_sections;
	struct syc_elf_segment *segments;
	size_t n_segments;
	unsigned char *names;
	char build_id[SYC_BUILD_ID_SIZE]; /* hex; "": none */
};

static inline uint16_t syc_elf_u16(const struct syc_elf *elf,
                                   const unsigned char *p)
{
	return syc_load_u16(p, elf->is_big);
}

static inline uint32_t syc_elf_u32(const struct syc_elf *elf,
                                   const unsigned char *p)
{
	return syc_load_u32(p, elf->is_big);
}

static inline uint64_t syc_elf_u64(const struct syc_elf *elf,
                                   const unsigned char *p)
{
	return syc_load_u64(p, elf->is_big);
}

/** An address or size of the file's class: 4 or 8 bytes. */
static inline uint64_t syc_elf_word(const struct syc_elf *elf,
                                    const unsigned char *p)
{
	return elf->is_64 ? syc_elf_u64(elf, p) : syc_elf_u32(elf, p);
}

#endif
