/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_view.c - where the bytes of an ELF image come from. */
#define _GNU_SOURCE
#include "symbols/elf_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_file(void *context, uint64_t offset, void *to, size_t size)
{
	const int fd = (int)(intptr_t)context;
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(fd, (char *)to + done, size - done,
		                        (off_t)(offset + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -ENOEXEC;
		if (n > 0)
			done += (size_t)n;
	}
	return 0;
}

int syc_elf_view_file(int fd, struct syc_elf_view *ret_view)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EISDIR;
	*ret_view = (struct syc_elf_view){
		.read = read_file,
		.context = (void *)(intptr_t)fd,
		.size = (uint64_t)st.st_size,
		.part_max = SYC_ELF_PART_MAX,
	};
	return 0;
}

static int read_memory(void *context, uint64_t offset, void *to, size_t size)
{
	memcpy(to, (const unsigned char *)context + offset, size);
	return 0;
}

void syc_elf_view_memory(const void *bytes, size_t size,
                         struct syc_elf_view *ret_view)
{
	*ret_view = (struct syc_elf_view){
		.read = read_memory,
		.context = (void *)(uintptr_t)bytes,
		.size = size,
		.part_max = SYC_ELF_PART_MAX,
	};
}

int syc_elf_view_get(const struct syc_elf_view *view, uint64_t offset, void *to,
                     uint64_t size)
{
	if (offset > view->size || size > view->size - offset)
		return -ENOEXEC;
	return view->read(view->context, offset, to, size);
}

int syc_elf_view_read(const struct syc_elf_view *view, uint64_t offset,
                      uint64_t size, unsigned char **ret_bytes)
{
	unsigned char *bytes;
	int r;

	if (offset > view->size || size > view->size - offset)
		return -ENOEXEC;
	if (size > view->part_max)
		return -EFBIG;
	bytes = malloc(size + 1);
	if (bytes == NULL)
		return -ENOMEM;
	r = view->read(view->context, offset, bytes, size);
	if (r < 0) {
		free(bytes);
		return r;
	}
	bytes[size] = 0;
	*ret_bytes = bytes;
	return 0;
}
