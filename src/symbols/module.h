/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.h - the functions of one ELF file and its debug file; a cache of
 * files.
 */
#ifndef SYC_SYMBOLS_MODULE_H
#define SYC_SYMBOLS_MODULE_H

#include <stddef.h>

#include "common/array.h"
#include "common/map.h"
#include "symbols/debug_files.h"
#include "symbols/elf_symbols.h"

struct syc_module {
	struct syc_elf elf;
	/* Only the debug file was found.  Offsets in the missing file are
	 * converted with the debug file's segments. */
	bool is_debug_only;
	struct syc_elf_symbols symbols;
	struct syc_ranges functions; /* disjoint */
	struct syc_ranges signals;   /* disjoint */
	char *debug_path;            /* owned; NULL: no other file */
	bool is_unpacked;            /* includes symbols of .gnu_debugdata */
	int unpack_error;            /* 0, or the reason as -errno */
	/* The file with debug information, if it is wanted; -1: none. */
	int debug_fd;
};

/**
 * Read all functions of @elf, of which it takes ownership, also on failure.
 * @wish describes the debug file; this sets its elf.  0 or -ENOMEM.
 */
int syc_module_load(struct syc_module *module, struct syc_elf *elf,
                    const struct syc_debug_files *files,
                    struct syc_debug_wish wish);

/**
 * Find the link-time address of the byte at @offset of the file, which is
 * @in_map bytes behind the beginning of a mapping.
 */
bool syc_module_address(const struct syc_module *module, uint64_t offset,
                        uint64_t in_map, uint64_t *ret_address);

void syc_module_fini(struct syc_module *module);

struct syc_loaded {
	struct syc_module module;
	char **names; /* of its functions, filled on demand */
};

struct syc_loaded_files {
	struct syc_map by_key;
	SYC_ARRAY(struct syc_loaded *) files; /* by the number of its key */
};

/**
 * Find the file with the identity @key.  The first call reads it from @elf, of
 * which every call takes ownership.  0 or -ENOMEM.
 */
int syc_loaded_get(struct syc_loaded_files *files, const char *key,
                   struct syc_elf *elf,
                   const struct syc_debug_files *debug_files,
                   struct syc_debug_wish wish, struct syc_loaded **ret_loaded);

/**
 * The name of the function @range.  Without a name, its position @offset in
 * @path.  NULL: no memory.
 */
const char *syc_loaded_name(struct syc_loaded *loaded,
                            const struct syc_range *range, const char *path,
                            uint64_t offset);

void syc_loaded_fini(struct syc_loaded_files *files);

#endif
