/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loaded.h - the files whose functions were read.  Each is there once, however
 * many processes have it mapped.
 */
#ifndef SC_SYMBOLS_LOADED_H
#define SC_SYMBOLS_LOADED_H

#include "data/array.h"
#include "data/map.h"
#include "symbols/module.h"

struct sc_loaded {
	struct sc_module module;
	char **names; /* of its functions, when asked for */
};

struct sc_loaded_files {
	struct sc_map by_key;
	SC_ARRAY(struct sc_loaded *) files; /* by number of its key */
};

/**
 * The file that is called @key, which has to say what file it is; read from
 * @elf, which is taken, the first time.  0 or -ENOMEM.
 */
int sc_loaded_get(struct sc_loaded_files *files, const char *key,
                  struct sc_elf *elf, const struct sc_debug_files *debug_files,
                  struct sc_debug_wish wish, struct sc_loaded **ret_loaded);

/**
 * What its function @range is called; without a name, by its @offset in @path.
 * NULL: no memory.
 */
const char *sc_loaded_name(struct sc_loaded *loaded,
                           const struct sc_range *range, const char *path,
                           uint64_t offset);

void sc_loaded_fini(struct sc_loaded_files *files);

#endif
