/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_view.h - where the bytes of an ELF image come from: a file, memory, or
 * whatever else can hand over @size bytes from an offset on.
 *
 * A view owns nothing and is copied as it is.  Files are read with pread(): one
 * that is cut meanwhile is a short read here and no SIGBUS.  Context: offline.
 */
#ifndef SYC_SYMBOLS_ELF_VIEW_H
#define SYC_SYMBOLS_ELF_VIEW_H

#include <stddef.h>
#include <stdint.h>

/** Larger parts of an image are not read, if the view says nothing else. */
#define SYC_ELF_PART_MAX (UINT64_C(1) << 29)

struct syc_elf_view {
	/* All of @size bytes from @offset, which are within the image.  0;
	 * -ENOEXEC: it ends before; other -errno. */
	int (*read)(void *context, uint64_t offset, void *to, size_t size);
	void *context;
	uint64_t size;     /* of the image */
	uint64_t part_max; /* larger parts of it are not read */
};

/** The regular file @fd.  0; -EISDIR: it is none; other -errno. */
int syc_elf_view_file(int fd, struct syc_elf_view *ret_view);

void syc_elf_view_memory(const void *bytes, size_t size,
                         struct syc_elf_view *ret_view);

/** Read into memory that is there.  0; -ENOEXEC: the image ends before. */
int syc_elf_view_get(const struct syc_elf_view *view, uint64_t offset, void *to,
                     uint64_t size);

/**
 * Read into memory from malloc(), a NUL behind the bytes.  0; -ENOEXEC: the
 * image ends before; -EFBIG; -ENOMEM; other -errno.
 */
int syc_elf_view_read(const struct syc_elf_view *view, uint64_t offset,
                      uint64_t size, unsigned char **ret_bytes);

#endif
