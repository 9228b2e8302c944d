/* SPDX-License-Identifier: BSD-2-Clause */
/* module.c - one ELF file with all its functions. */
#include "symbols/module.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elf_eh.h"
#include "symbols/xz.h"

/* The symbol table that Fedora leaves in stripped files, in a file within. */
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
		r = syc_xz_decompress(packed, section->size, &plain, &size);
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

/* Keep it open, if it has what @files is to keep.  0 or -ENOMEM. */
static int keep_debug_info(struct syc_module *module,
                           const struct syc_debug_files *files,
                           const struct syc_elf *elf, const char *path)
{
	if (!files->keeps_open || module->debug_fd >= 0 || elf->fd < 0 ||
	    (syc_elf_find(elf, ".debug_info") == NULL &&
	     syc_elf_find(elf, ".zdebug_info") == NULL))
		return 0;
	module->debug_fd_path = path[0] != 0 ? strdup(path) : NULL;
	if (path[0] != 0 && module->debug_fd_path == NULL)
		return -ENOMEM;
	module->debug_fd = fcntl(elf->fd, F_DUPFD_CLOEXEC, 3);
	return 0;
}

/* The debug file, for its debug information alone. */
static int find_debug_info(struct syc_module *module,
                           const struct syc_debug_files *files,
                           struct syc_debug_wish *wish)
{
	struct syc_elf debug;
	char *path;
	int r = keep_debug_info(module, files, &module->elf, wish->found);

	if (r < 0 || !files->keeps_open || module->debug_fd >= 0 ||
	    module->debug_path != NULL)
		return r;
	wish->elf = &module->elf;
	if (module->elf.build_id[0] != 0)
		wish->build_id = module->elf.build_id;
	r = syc_debug_files_find(files, wish, &debug, &path);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = keep_debug_info(module, files, &debug, path);
	syc_elf_close(&debug);
	free(path);
	return r;
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
		r = keep_debug_info(module, files, &debug, module->debug_path);
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
	/* Its offsets are its own, so take the mapping for the segment: it
	 * begins at most an alignment before, where the offset fits. */
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
	free(module->debug_fd_path);
	if (module->debug_fd >= 0)
		close(module->debug_fd);
	memset(module, 0, sizeof(*module));
	module->elf.fd = -1;
	module->debug_fd = -1;
}
