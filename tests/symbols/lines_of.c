/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines_of.c - printer of the functions and lines of a file's addresses, like
 * `addr2line -a -i -f`.
 *
 *	lines_of [--debug-dir DIR] FILE <ADDRESSES
 *
 * Addresses are the file's link-time addresses, in hex, one per line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/lines.h"
#include "symbols/module_finder.h"

static int answer(struct syc_lines *lines, uint64_t address)
{
	const struct syc_line_frame *frames;
	size_t n = 0;
	const int r = syc_lines_find(lines, address, &frames, &n);

	printf("0x%016" PRIx64 "\n", address);
	for (size_t i = 0; r > 0 && i < n; i++) {
		puts(frames[i].function[0] ? frames[i].function : "??");
		printf("%s:", frames[i].file[0] ? frames[i].file : "??");
		if (frames[i].line != 0)
			printf("%" PRIu32 "\n", frames[i].line);
		else
			puts(frames[i].file[0] ? "?" : "0");
	}
	if (r <= 0)
		puts("??\n??:0");
	return r;
}

int main(int argc, char **argv)
{
	struct syc_debug_files files = { .keeps_open = true };
	struct syc_debug_wish wish = { .pid = -1, .build_id = "" };
	struct syc_lines_file file;
	struct syc_lines *lines;
	const char *why = NULL;
	struct syc_module module;
	struct syc_elf elf;
	char line[64];
	int fd, r;

	if (syc_places_new(NULL, false, (struct syc_places **)&files.places))
		return 1;
	if (argc > 3 && strcmp(argv[1], "--debug-dir") == 0) {
		if (syc_array_push(&files.directories.array, strdup(argv[2])))
			return 1;
		argv += 2;
		argc -= 2;
	}
	if (argc != 2)
		return 2;
	wish.path = wish.found = argv[1];
	fd = syc_debug_files_open(argv[1]);
	r = fd < 0 ? fd : syc_elf_open(&elf, fd);
	if (r == 0)
		r = syc_module_load(&module, &elf, &files, wish);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-r));
		return 1;
	}
	file.fd = module.debug_fd;
	file.debug_files = &files;
	r = module.debug_fd < 0 ? -ENOENT : syc_lines_open(&file, &lines, &why);
	if (why != NULL)
		fprintf(stderr, "%s: %s\n", argv[1], why);
	if (r < 0) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-r));
		return r == -ENOTSUP ? 77 : 1;
	}
	while (r != -EIO && fgets(line, sizeof(line), stdin) != NULL)
		r = answer(lines, strtoull(line, NULL, 16));
	syc_lines_close(lines);
	syc_module_fini(&module);
	syc_places_free((struct syc_places *)files.places);
	syc_paths_fini(&files.directories);
	return r == -EIO;
}
