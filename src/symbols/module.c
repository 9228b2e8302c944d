/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module.c - functions of one ELF file and its debug file, and a cache of
 * files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/demangle.h"
#include "symbols/elf_symbols.h"
#include "symbols/module_finder.h"

#ifdef SYC_HAVE_LZMA
#include <lzma.h>

#define OUTPUT_MAX (UINT64_C(1) << 28)
#define MEMORY_MAX (UINT64_C(1) << 28) /* memory of the decoder */

/* Double the capacity, up to a limit. */
static int grow(unsigned char **output, size_t *capacity)
{
	const size_t wanted = *capacity == 0 ? 1 << 20 : 2 * *capacity;
	unsigned char *bigger;

	if (wanted > OUTPUT_MAX)
		return -EFBIG;
	bigger = realloc(*output, wanted);
	if (bigger == NULL)
		return -ENOMEM;
	*output = bigger;
	*capacity = wanted;
	return 0;
}

static int xz_decompress(const unsigned char *data, size_t size,
                         unsigned char **ret_data, size_t *ret_size)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	unsigned char *output = NULL;
	size_t capacity = 0, used;
	lzma_ret state;
	int r;

	if (lzma_stream_decoder(&stream, MEMORY_MAX, 0) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = data;
	stream.avail_in = size;
	do {
		used = (size_t)stream.total_out;
		r = used == capacity ? grow(&output, &capacity) : 0;
		if (r < 0)
			goto fail;
		stream.next_out = output + used;
		stream.avail_out = capacity - used;
		state = lzma_code(&stream, LZMA_FINISH);
	} while (state == LZMA_OK);
	r = state == LZMA_MEM_ERROR ? -ENOMEM : -EILSEQ;
	if (state != LZMA_STREAM_END)
		goto fail;
	*ret_data = output;
	*ret_size = (size_t)stream.total_out;
	lzma_end(&stream);
	return 0;
fail:
	lzma_end(&stream);
	free(output);
	return r;
}

#else

static int xz_decompress(const unsigned char *data, size_t size,
                         unsigned char **ret_data, size_t *ret_size)
{
	(void)data;
	(void)size;
	(void)ret_data;
	(void)ret_size;
	return -ENOTSUP;
}

#endif

/*
 * Read .gnu_debugdata, the compressed symbol table that Fedora embeds in
 * stripped files.
 */
static int read_packed(struct syc_module *module)
{
	const struct syc_elf_section *section =
		syc_elf_find(&module->elf, ".gnu_debugdata");
	unsigned char *packed, *plain;
	struct syc_elf inner;
	size_t size;
	int64_t n;
	int r;

	if (section == NULL)
		return 0;
	r = syc_elf_read_section(&module->elf, section, &packed);
	if (r == 0) {
		r = xz_decompress(packed, section->size, &plain, &size);
		free(packed);
	}
	if (r == 0)
		r = syc_elf_open_memory(&inner, plain, size);
	if (r < 0) {
		module->unpack_error = r;
		return r == -ENOMEM ? r : 0;
	}
	n = syc_elf_symbols_read(&module->symbols, &inner, false);
	module->is_unpacked = n > 0;
	syc_elf_close(&inner);
	return n < 0 ? (int)n : 0;
}

static int read_go(struct syc_module *module)
{
	const int64_t n = syc_elf_go_read(&module->symbols, &module->elf);

	return n < 0 ? (int)n : 0;
}

/*
 * Keep the file open if the file has the debug information that @files
 * requests.
 */
static void keep_debug_info(struct syc_module *module,
                            const struct syc_debug_files *files,
                            const struct syc_elf *elf)
{
	if (!files->keeps_open || module->debug_fd >= 0 || elf->fd < 0 ||
	    (syc_elf_find(elf, ".debug_info") == NULL &&
	     syc_elf_find(elf, ".zdebug_info") == NULL))
		return;
	module->debug_fd = fcntl(elf->fd, F_DUPFD_CLOEXEC, 3);
}

/* Find the debug file, only for its debug information. */
static int find_debug_info(struct syc_module *module,
                           const struct syc_debug_files *files,
                           struct syc_debug_wish *wish)
{
	struct syc_elf debug;
	char *path;
	int r;

	keep_debug_info(module, files, &module->elf);
	if (!files->keeps_open || module->debug_fd >= 0 ||
	    module->debug_path != NULL)
		return 0;
	wish->elf = &module->elf;
	if (module->elf.build_id[0] != 0)
		wish->build_id = module->elf.build_id;
	r = syc_debug_files_find(files, wish, &debug, &path);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	keep_debug_info(module, files, &debug);
	syc_elf_close(&debug);
	free(path);
	return 0;
}

static int read_debug_file(struct syc_module *module,
                           const struct syc_debug_files *files,
                           struct syc_debug_wish *wish)
{
	struct syc_elf debug;
	int64_t n;
	int r;

	wish->elf = &module->elf;
	if (module->elf.build_id[0] != 0)
		wish->build_id = module->elf.build_id;
	r = syc_debug_files_find(files, wish, &debug, &module->debug_path);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	n = syc_elf_symbols_read(&module->symbols, &debug, false);
	r = n < 0 ? (int)n : 0;
	if (r == 0)
		keep_debug_info(module, files, &debug);
	syc_elf_close(&debug);
	return r;
}

static bool has_table(const struct syc_elf *elf)
{
	const struct syc_elf_section *section = syc_elf_find(elf, ".symtab");

	return section != NULL && section->size > 0;
}

int syc_module_load(struct syc_module *module, struct syc_elf *elf,
                    const struct syc_debug_files *files,
                    struct syc_debug_wish wish)
{
	struct syc_ranges unnamed = { 0 };
	int64_t n;
	int r;

	memset(module, 0, sizeof(*module));
	module->elf = *elf;
	module->debug_fd = -1;
	n = syc_elf_symbols_read(&module->symbols, &module->elf, true);
	r = n < 0 ? (int)n : 0;
	if (r == 0 && !has_table(&module->elf)) {
		r = read_debug_file(module, files, &wish);
		if (r == 0 && module->debug_path == NULL)
			r = read_packed(module);
		if (r == 0 && module->debug_path == NULL)
			r = read_go(module);
	}
	if (r == 0)
		r = find_debug_info(module, files, &wish);
	if (r == 0)
		r = syc_elf_eh_read(&module->elf, &unnamed, &module->signals);
	syc_ranges_sort(&unnamed);
	syc_ranges_sort(&module->signals);
	if (r == 0)
		r = syc_ranges_flatten(&unnamed);
	if (r == 0)
		r = syc_ranges_flatten(&module->signals);
	if (r == 0)
		r = syc_elf_symbols_arrange(&module->symbols, &module->elf,
		                            &unnamed, &module->functions);
	syc_ranges_fini(&unnamed);
	syc_elf_release(&module->elf);
	if (r < 0)
		syc_module_fini(module);
	return r;
}

bool syc_module_address(const struct syc_module *module, uint64_t offset,
                        uint64_t in_map, uint64_t *ret_address)
{
	const struct syc_elf_segment *code;
	uint64_t align, before;

	if (!module->is_debug_only)
		return syc_elf_address_of(&module->elf, offset, ret_address);
	/*
	 * The debug file's offsets differ from the program's, so the mapping
	 * locates the segment.  The mapping begins less than one alignment
	 * before the segment, at a matching offset.
	 */
	code = syc_elf_only_code(&module->elf);
	if (code == NULL)
		return false;
	align = code->align;
	if (align < 0x1000 || (align & (align - 1)) != 0)
		align = 0x1000;
	before = (code->address - (offset - in_map)) & (align - 1);
	*ret_address = code->address - before + in_map;
	return *ret_address - code->address < code->memory_size;
}

void syc_module_fini(struct syc_module *module)
{
	syc_elf_close(&module->elf);
	syc_elf_symbols_fini(&module->symbols);
	syc_ranges_fini(&module->functions);
	syc_ranges_fini(&module->signals);
	free(module->debug_path);
	if (module->debug_fd >= 0)
		close(module->debug_fd);
	memset(module, 0, sizeof(*module));
	module->elf.fd = -1;
	module->debug_fd = -1;
}

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
