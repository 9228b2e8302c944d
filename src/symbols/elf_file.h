/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_file.h - the headers of an ELF image, and the way to all that is in it.
 *
 * The one reader of files, of what a runtime hands to debuggers, of anything
 * that can be viewed (elf_view.h), of both classes and both byte orders:
 *
 *	sections, segments	here
 *	build-id		here
 *	symbols			elf_table.h as they are, elf_symbols.h as
 *				functions, elf_plt.h for stubs
 *	.eh_frame		elf_eh.h
 *	.gnu_debuglink		debug_files.h
 *	all for naming		module.h
 *
 * Parts are read into memory when they are wanted.  Nothing in the image is
 * believed.  Context: offline.
 */
#ifndef SYC_SYMBOLS_ELF_FILE_H
#define SYC_SYMBOLS_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf_image.h"

/**
 * Read the headers of a file.  @fd is taken, also when this fails.
 * 0, -ENOEXEC: no ELF file, or its headers make no sense; -ENOMEM; -EISDIR:
 * no regular file; other -errno of reading it.
 */
int syc_elf_open(struct syc_elf *elf, int fd);

/** The same for memory from malloc(), which is taken. */
int syc_elf_open_memory(struct syc_elf *elf, void *memory, size_t size);

/** The same for what stays the caller's. */
int syc_elf_open_view(struct syc_elf *elf, const struct syc_elf_view *view);

/**
 * The build-id alone, of the notes that are mapped, as hex: headers of
 * sections are not read, since they lie at the end of the file.  0; -ENOENT:
 * it has none; -ENOEXEC: no ELF file of the machine's byte order; -ENOMEM;
 * other -errno.
 */
int syc_elf_read_build_id(const struct syc_elf_view *view,
                          char ret_hex[SYC_BUILD_ID_SIZE]);

void syc_elf_close(struct syc_elf *elf);

/** Nothing is to be read any more; headers stay. */
void syc_elf_release(struct syc_elf *elf);

/**
 * Read a section into memory from malloc(), a NUL behind it.  0; -ENOENT: it
 * has no bytes in the file; others as syc_elf_view_read().
 */
int syc_elf_read_section(const struct syc_elf *elf,
                         const struct syc_elf_section *section,
                         unsigned char **ret_bytes);

/** The first section of that name, or NULL. */
const struct syc_elf_section *syc_elf_find(const struct syc_elf *elf,
                                           const char *name);

/** The executable section that has @address, or NULL. */
const struct syc_elf_section *syc_elf_code_at(const struct syc_elf *elf,
                                              uint64_t address);

/** Which address the file's byte @offset is loaded at, as it was linked. */
bool syc_elf_address_of(const struct syc_elf *elf, uint64_t offset,
                        uint64_t *ret_address);

/**
 * The only executable segment, or NULL: there are several, or none.  For
 * files with debug symbols only, whose offsets are not the program's.
 */
const struct syc_elf_segment *syc_elf_only_code(const struct syc_elf *elf);

#endif
