/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_file.h - reader of an ELF image's bytes, headers, sections, segments and
 * notes.
 *
 * The only reader of ELF images: files, images that a runtime registers with
 * debuggers, and other images with a view.  The reader supports both classes
 * and both byte orders.  elf_symbols.h reads the symbols, the procedure linkage
 * table and .eh_frame.  debug_files.c reads .gnu_debuglink, and module.c
 * combines all data for naming.
 *
 * Parts are read into memory on demand.  Every field is checked before use.
 * Context: offline.
 */
#ifndef SYC_SYMBOLS_ELF_FILE_H
#define SYC_SYMBOLS_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/elf_note.h"
#include "common/load.h"

struct syc_elf_view {
	/* Read all of @size bytes from @offset, which are within the image.
	 * Returns 0, -ENOEXEC if the image is shorter now, or another
	 * -errno. */
	int (*read)(void *context, uint64_t offset, void *to, size_t size);
	void *context;
	uint64_t size;     /* size of the image */
	uint64_t part_max; /* larger parts are not read */
};

/**
 * View the regular file @fd through pread(), so that a truncated file causes a
 * short read and no SIGBUS.  A view owns no resources, and can be copied.
 * Returns 0, -EISDIR for another type of file, or another -errno.
 */
int syc_elf_view_file(int fd, struct syc_elf_view *ret_view);

void syc_elf_view_memory(const void *bytes, size_t size,
                         struct syc_elf_view *ret_view);

/**
 * Read into memory from malloc(), with a NUL after the bytes.  Returns 0,
 * -ENOEXEC if the image is too short, -EFBIG, -ENOMEM, or another -errno.
 */
int syc_elf_view_read(const struct syc_elf_view *view, uint64_t offset,
                      uint64_t size, unsigned char **ret_bytes);

struct syc_elf_section {
	const char *name; /* "" without a readable build-id */
	uint32_t type, link;
	uint64_t flags, address, offset, size, entry_size;
};

struct syc_elf_segment {
	uint32_t type, flags;
	uint64_t offset, address, file_size, memory_size, align;
};

struct syc_elf {
	struct syc_elf_view view;
	int fd;       /* owned fd, or -1 */
	void *memory; /* owned bytes, or NULL */
	bool is_64, is_big;
	uint16_t type, machine; /* ET_..., EM_... */
	struct syc_elf_section *sections;
	size_t n_sections;
	struct syc_elf_segment *segments;
	size_t n_segments;
	unsigned char *names;
	char build_id[SYC_BUILD_ID_SIZE]; /* build-id in hex, or "" */
};

static inline uint16_t syc_elf_u16(const struct syc_elf *elf,
                                   const unsigned char *p)
{
	return syc_load_u16(p, elf->is_big);
}

static inline uint32_t syc_elf_u32(const struct syc_elf *elf,
                                   const unsigned char *p)
{
	return syc_load_u32(p, elf->is_big);
}

static inline uint64_t syc_elf_u64(const struct syc_elf *elf,
                                   const unsigned char *p)
{
	return syc_load_u64(p, elf->is_big);
}

/**
 * Read the headers of a file, and take ownership of @fd, even on failure.
 * Returns 0, -ENOEXEC for no ELF file or inconsistent headers, -EISDIR for no
 * regular file, -ENOMEM, or another -errno of the read.
 */
int syc_elf_open(struct syc_elf *elf, int fd);

/**
 * Like syc_elf_open(), for memory from malloc(), whose ownership is taken.
 */
int syc_elf_open_memory(struct syc_elf *elf, void *memory, size_t size);

/** Like syc_elf_open(), for a view, whose bytes the caller keeps. */
int syc_elf_open_view(struct syc_elf *elf, const struct syc_elf_view *view);

/**
 * Read only the build-id, from the notes in segments, as hex.  The function
 * does not read section headers, which are at the end of the file.  Returns 0,
 * -ENOENT without a build-id, -ENOEXEC if the file is not an ELF file of this
 * machine's byte order, -ENOMEM, or another -errno.
 */
int syc_elf_read_build_id(const struct syc_elf_view *view,
                          char ret_hex[SYC_BUILD_ID_SIZE]);

/** Return whether the image has a note of @name and @type in its segments. */
bool syc_elf_has_note(const struct syc_elf_view *view, const char *name,
                      uint32_t type);

void syc_elf_close(struct syc_elf *elf);

/** Release the file or the memory, and keep the headers. */
void syc_elf_release(struct syc_elf *elf);

/**
 * Read a section into memory from malloc(), followed by a NUL.  Returns 0,
 * -ENOENT if the section has no bytes in the file, or an error of
 * syc_elf_view_read().
 */
int syc_elf_read_section(const struct syc_elf *elf,
                         const struct syc_elf_section *section,
                         unsigned char **ret_bytes);

/** Return the first section with @name, or NULL. */
const struct syc_elf_section *syc_elf_find(const struct syc_elf *elf,
                                           const char *name);

/** Return the executable section that contains @address, or NULL. */
const struct syc_elf_section *syc_elf_code_at(const struct syc_elf *elf,
                                              uint64_t address);

/** Find the link-time address of the byte at @offset. */
bool syc_elf_address_of(const struct syc_elf *elf, uint64_t offset,
                        uint64_t *ret_address);

/**
 * Return the only executable segment, or NULL if the file has none or several.
 * The function is only for debug files, whose offsets differ from the
 * program's.
 */
const struct syc_elf_segment *syc_elf_only_code(const struct syc_elf *elf);

#endif
