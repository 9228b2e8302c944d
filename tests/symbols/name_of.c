/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * name_of.c - printer of the functions of a file's addresses.
 *
 *	name_of [--debug-dir DIR] FILE <ADDRESSES
 *	name_of --demangle <NAMES
 *
 * Addresses are the file's link-time addresses, in hex, one per line.  Each
 * line of the output is the function's start, a blank and its name; "?" without
 * a function.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/demangle.h"
#include "symbols/module_finder.h"

static void answer(const struct syc_module *module, uint64_t address)
{
	const struct syc_range *range =
		syc_ranges_find(&module->functions, address);
	char *name;

	if (range == NULL) {
		puts("?");
		return;
	}
	name = range->name ? syc_readable_name(range->name, range->is_plt)
	                   : strdup("-");
	printf("%" PRIx64 " %s\n", range->begin, name);
	free(name);
}

static int demangle(void)
{
	static char line[65536];
	char *name;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = 0;
		name = syc_demangle(line);
		puts(name != NULL ? name : line);
		free(name);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct syc_debug_files files = { 0 };
	struct syc_debug_wish wish = { .pid = -1, .build_id = "" };
	struct syc_places *places;
	struct syc_module module;
	struct syc_elf elf;
	char line[64];
	int fd, r;

	if (argc == 2 && strcmp(argv[1], "--demangle") == 0)
		return demangle();
	if (syc_places_new(NULL, false, &places) < 0)
		return 1;
	files.places = places;
	while (argc > 3 && strcmp(argv[1], "--debug-dir") == 0) {
		char *copy = strdup(argv[2]);

		if (copy == NULL ||
		    syc_array_push(&files.directories.array, copy))
			return 1;
		argv += 2;
		argc -= 2;
	}
	if (argc != 2)
		return 2;
	wish.path = wish.found = argv[1];
	fd = syc_debug_files_open(argv[1]);
	r = fd < 0 ? fd : syc_elf_open(&elf, fd);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-r));
		return 1;
	}
	if (syc_module_load(&module, &elf, &files, wish) < 0)
		return 1;
	fprintf(stderr, "debug %s, unpacked %d, %zu ranges\n",
	        module.debug_path ? module.debug_path : "-", module.is_unpacked,
	        module.functions.array.n);
	while (fgets(line, sizeof(line), stdin) != NULL)
		answer(&module, strtoull(line, NULL, 16));
	syc_module_fini(&module);
	syc_places_free(places);
	syc_paths_fini(&files.directories);
	return 0;
}
