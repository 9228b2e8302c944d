/* SPDX-License-Identifier: BSD-2-Clause */
/* loaded.c - the files whose functions were read, each once. */
#include "symbols/loaded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/readable.h"

static void free_loaded(struct syc_loaded *loaded)
{
	if (loaded->names != NULL)
		for (size_t i = 0; i < loaded->module.functions.array.n; i++)
			free(loaded->names[i]);
	free(loaded->names);
	syc_module_fini(&loaded->module);
	free(loaded);
}

int syc_loaded_get(struct syc_loaded_files *files, const char *key,
                   struct syc_elf *elf,
                   const struct syc_debug_files *debug_files,
                   struct syc_debug_wish wish, struct syc_loaded **ret_loaded)
{
	struct syc_loaded *loaded;
	size_t number;
	int r;

	if (syc_map_get(&files->by_key, key, strlen(key), &number)) {
		syc_elf_close(elf);
		*ret_loaded = files->files.items[number];
		return 0;
	}
	loaded = calloc(1, sizeof(*loaded));
	if (loaded == NULL) {
		syc_elf_close(elf);
		return -ENOMEM;
	}
	r = syc_module_load(&loaded->module, elf, debug_files, wish);
	if (r < 0) {
		free(loaded);
		return r;
	}
	if (syc_array_room(&files->files) < 0 ||
	    syc_map_put(&files->by_key, key, strlen(key), &number) < 0) {
		free_loaded(loaded);
		return -ENOMEM;
	}
	files->files.items[files->files.n++] = loaded;
	*ret_loaded = loaded;
	return 0;
}

const char *syc_loaded_name(struct syc_loaded *loaded,
                            const struct syc_range *range, const char *path,
                            uint64_t offset)
{
	const size_t n = loaded->module.functions.array.n;
	const size_t i = (size_t)(range - loaded->module.functions.array.items);

	if (loaded->names == NULL)
		loaded->names = calloc(n, sizeof(*loaded->names));
	if (loaded->names == NULL)
		return NULL;
	if (loaded->names[i] == NULL)
		loaded->names[i] =
			range->name
				? syc_readable_name(range->name, range->is_plt)
				: syc_readable_place(path, offset);
	return loaded->names[i];
}

void syc_loaded_fini(struct syc_loaded_files *files)
{
	for (size_t i = 0; i < files->files.n; i++)
		free_loaded(files->files.items[i]);
	free(files->files.items);
	syc_map_fini(&files->by_key);
}
