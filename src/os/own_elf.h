/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_elf.h - reader of the ELF objects of this process, in memory or in their
 * files: the build-id, and the position of a section.
 *
 * The reader supports objects of the machine's own class and byte order,
 * allocates nothing, and reads a few bytes at a time.  The reader checks all
 * contents before use.  Tools read all contents of objects of any kind by
 * symbols/elf_file.h.
 */
#ifndef SYC_OS_OWN_ELF_H
#define SYC_OS_OWN_ELF_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/elf_note.h"
#include "os/fd.h"

struct syc_own_elf {
	int fd; /* -1: the object is in memory */
	uintptr_t base;
	uint64_t size;
};

/**
 * Describe the object whose first byte is mapped at @base, with @size
 * contiguous bytes.  The kernel copies the bytes, so an outdated address does
 * no harm.
 *
 * Context: any-thread, signal-safe.
 */
void syc_own_elf_in_memory(uintptr_t base, size_t size,
                           struct syc_own_elf *ret_elf);

/**
 * Open the regular file at @path, for objects that are not mapped and for
 * memory that the kernel may not copy.  Returns false if the file can't be
 * read, or has an inode other than @inode (0: any inode).  The caller closes
 * the object.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_own_elf_open(const char *path, uint64_t inode,
                      struct syc_own_elf *ret_elf);
static inline void syc_own_elf_close(const struct syc_own_elf *elf)
{
	syc_fd_close(elf->fd);
}

/** Read @size bytes at @offset of the object, or the object's header.  Returns
 * false also for a header of an object that this library does not read.
 * Context: any-thread, signal-safe. */
bool syc_own_elf_get(const struct syc_own_elf *elf, void *to, size_t size,
                     uint64_t offset);
bool syc_own_elf_get_header(const struct syc_own_elf *elf, ElfW(Ehdr) * header);

/** Write the build-id as lower-case hex.  Returns false if the object has no
 * build-id.  Context: any-thread, signal-safe. */
bool syc_own_elf_build_id(const struct syc_own_elf *elf,
                          char ret_hex[SYC_BUILD_ID_SIZE]);

/** Find the first section called @name, of at most 15 bytes.  Returns false if
 * no section has this name.  Context: any-thread, signal-safe. */
bool syc_own_elf_section(const struct syc_own_elf *elf, const char *name,
                         ElfW(Shdr) * ret_section);

#endif
