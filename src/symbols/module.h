/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.h - one ELF file with all its functions: its own symbols and those
 * of the files that belong to it.
 */
#ifndef SYC_SYMBOLS_MODULE_H
#define SYC_SYMBOLS_MODULE_H

#include "symbols/debug_files.h"
#include "symbols/elf_symbols.h"

struct syc_module {
	struct syc_elf elf;
	/* Only the file with the debug symbols was found: places in the file
	 * that is missing are found by its segments. */
	bool is_debug_only;
	struct syc_elf_symbols symbols;
	struct syc_ranges functions; /* disjoint */
	struct syc_ranges signals;   /* disjoint */
	char *debug_path;            /* owned; NULL: no other file */
	bool is_unpacked;            /* symbols of .gnu_debugdata too */
	int unpack_error;            /* 0 or why not */
	/* What has debug information, where that is wanted; -1: none has. */
	int debug_fd;
	char *debug_fd_path; /* owned; NULL: not known */
};

/**
 * Read all functions of @elf, which is taken, also when this fails.  @wish is
 * what its debug file must be like; its elf is set here.  0 or -ENOMEM.
 */
int syc_module_load(struct syc_module *module, struct syc_elf *elf,
                    const struct syc_debug_files *files,
                    struct syc_debug_wish wish);

/**
 * Where the byte @offset of the file is, as it was linked, @in_map bytes
 * behind the beginning of a mapping.
 */
bool syc_module_address(const struct syc_module *module, uint64_t offset,
                        uint64_t in_map, uint64_t *ret_address);

void syc_module_fini(struct syc_module *module);

#endif
