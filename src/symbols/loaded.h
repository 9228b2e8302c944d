/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loaded.h - the files whose functions were read.  Each is there once, however
 * many processes have it mapped.
 */
#ifndef SYC_SYMBOLS_LOADED_H
#define SYC_SYMBOLS_LOADED_H

#include "data/array.h"
#include "data/map.h"
#include "symbols/module.h"

struct syc_loaded {
	struct syc_module module;
	char **names; /* of its functions, when asked for */
};

struct syc_loaded_files {
	struct syc_map by_key;
	SYC_ARRAY(struct syc_loaded *) files; /* by number of its key */
};

/**
 * The file that is called @key, which has to say what file it is; read from
 * @elf, which is taken, the first time.  0 or -ENOMEM.
 */
int syc_loaded_get(struct syc_loaded_files *files, const char *key,
                   struct syc_elf *elf,
                   const struct syc_debug_files *debug_files,
                   struct syc_debug_wish wish, struct syc_loaded **ret_loaded);

/**
 * What its function @range is called; without a name, by its @offset in @path.
 * NULL: no memory.
 */
const char *syc_loaded_name(struct syc_loaded *loaded,
                            const struct syc_range *range, const char *path,
                            uint64_t offset);

void syc_loaded_fini(struct syc_loaded_files *files);

#endif
