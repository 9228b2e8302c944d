/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb_jit_find.c - where the head of GDB's JIT list is, by a file's symbols. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code/gdb_jit.h"

#define SYMBOL "__jit_debug_descriptor"

static int read_file(void *context, uint64_t offset, void *to, size_t size)
{
	const int fd = *(const int *)context;
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(fd, (char *)to + done, size - done,
		                        (off_t)(offset + done));

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			return -EBADMSG; /* it has become shorter */
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static int match(void *context, const struct sc_elf_symbol *symbol)
{
	if (symbol->name_len != sizeof(SYMBOL) - 1 ||
	    memcmp(symbol->name, SYMBOL, sizeof(SYMBOL) - 1) != 0)
		return 0;
	*(uint64_t *)context = symbol->value;
	return 1;
}

int sc_gdb_jit_find(int fd, uint64_t mapped, uint64_t file_offset,
                    uint64_t *ret_descriptor)
{
	struct sc_elf_source source = { .read = read_file, .context = &fd };
	uint64_t value, bias;
	struct stat st;
	int r;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOENT;
	source.size = (uint64_t)st.st_size;
	r = sc_elf_walk_symbols(&source, true, 1u << STT_OBJECT, match, &value);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	r = sc_elf_walk_bias(&source, mapped, file_offset, &bias);
	if (r == 0)
		*ret_descriptor = bias + value;
	return r;
}
