/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_walk.h - the symbols of a small or a foreign ELF image.
 *
 * For what JIT compilers hand to debuggers, in memory of another process, and
 * to find one symbol in the files it maps.  Little-endian, 64-bit, as the
 * machine.  Nothing in the image is believed: every offset is compared with
 * its size.  Not for naming addresses in files, which is more than this.
 */
#ifndef SC_CODE_ELF_WALK_H
#define SC_CODE_ELF_WALK_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where the bytes come from. */
struct sc_elf_source {
	/* All of @size bytes from @offset; 0 or -errno. */
	int (*read)(void *context, uint64_t offset, void *to, size_t size);
	void *context;
	uint64_t size; /* of the image */
};

struct sc_elf_symbol {
	const char *name; /* lives until the callback returns */
	size_t name_len;
	uint64_t value; /* in relocatable images, the section's is added */
	uint64_t size;  /* 0: as far as its section goes, or not known */
	uint8_t type;   /* STT_... */
};

/**
 * Call @each for every symbol that is defined, has a name and is of a type
 * in the set @types (1 << STT_...), until it returns something else than 0.
 * Tables of symbols for the linker and, @dynamic, for the loader.
 *
 * Returns what @each did; -EBADMSG, no such image; -E2BIG, a table of more
 * than 64 MiB, or 256 MiB of all; -ENOMEM; or what read() did.
 *
 * Context: offline.
 */
int sc_elf_walk_symbols(const struct sc_elf_source *source, bool dynamic,
                        unsigned types,
                        int (*each)(void *context,
                                    const struct sc_elf_symbol *symbol),
                        void *context);

/**
 * What to add to an address in the image, where @file_offset of it is mapped
 * as code at @mapped.  0; -ENOENT, none of its segments is; others as above.
 *
 * Context: offline.
 */
int sc_elf_walk_bias(const struct sc_elf_source *source, uint64_t mapped,
                     uint64_t file_offset, uint64_t *ret_bias);

#endif
