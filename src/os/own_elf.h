/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_elf.h - reads the ELF objects of this process, in memory or in their
 * files: the build-id, and where a section is.
 *
 * Of the machine's own class and byte order, without an allocation, a few
 * bytes at a time.  Nothing in them is believed.  Tools, which look at objects
 * of any kind and at all that is in them, have symbols/elf_file.h.
 */
#ifndef SYC_OS_OWN_ELF_H
#define SYC_OS_OWN_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/elf_note.h"
#include "os/fd.h"

struct syc_own_elf {
	int fd; /* -1: in memory */
	uintptr_t base;
	uint64_t size;
};

/**
 * The object whose first byte is mapped at @base, @size bytes of it in a row.
 * The kernel copies them, so an address that is wrong by now does no harm.
 *
 * Context: any-thread, signal-safe.
 */
void syc_own_elf_in_memory(uintptr_t base, size_t size,
                           struct syc_own_elf *ret_elf);

/**
 * The regular file that @path leads to, for objects that are not mapped and
 * for memory that may not be read so.  False: it can't be read, or its
 * number is another than @inode (0: any is good).  To be closed.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_own_elf_open(const char *path, uint64_t inode,
                      struct syc_own_elf *ret_elf);
static inline void syc_own_elf_close(const struct syc_own_elf *elf)
{
	syc_fd_close(elf->fd);
}

/** @size bytes at @offset of it, and its header, if it is one that we read.
 * Context: any-thread, signal-safe. */
bool syc_own_elf_get(const struct syc_own_elf *elf, void *to, size_t size,
                     uint64_t offset);
bool syc_own_elf_get_header(const struct syc_own_elf *elf, Elf64_Ehdr *header);

/** The build-id, as lower-case hex.  False: there is none.  Context:
 * any-thread, signal-safe. */
bool syc_own_elf_build_id(const struct syc_own_elf *elf,
                          char ret_hex[SYC_BUILD_ID_SIZE]);

/** The first section called @name, of at most 15 bytes.  False: none is.
 * Context: any-thread, signal-safe. */
bool syc_own_elf_section(const struct syc_own_elf *elf, const char *name,
                         Elf64_Shdr *ret_section);

#endif
