/* SPDX-License-Identifier: BSD-2-Clause */
/* own_build_id.c - the build-id of an object that this process has mapped. */
#define _GNU_SOURCE
#include "self/own_build_id.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Build-ids come among the first notes. */
#define NOTES_MAX 2048u

struct source {
	int fd; /* -1: memory */
	uintptr_t base;
	size_t size;
};

static bool get(const struct source *source, void *to, size_t size,
                uint64_t offset)
{
	if (source->fd >= 0)
		return pread(source->fd, to, size, (off_t)offset) ==
		       (ssize_t)size;
	if (offset > source->size || size > source->size - offset)
		return false;
	const struct iovec local = { .iov_base = to, .iov_len = size };
	const struct iovec remote = { .iov_base =
		                              (void *)(source->base + offset),
		                      .iov_len = size };
	return syscall(SYS_process_vm_readv, getpid(), &local, 1UL, &remote,
	               1UL, 0UL) == (long)size;
}

static void to_hex(const unsigned char *id, size_t n, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*hex++ = digits[id[i] >> 4];
		*hex++ = digits[id[i] & 15];
	}
	*hex = '\0';
}

static bool search_notes(const unsigned char *notes, size_t size, size_t align,
                         char *hex)
{
	size_t at = 0;

	while (at <= size && size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;

		memcpy(&note, notes + at, sizeof(note));
		size_t desc = at + sizeof(note) + note.n_namesz;
		desc = (desc + align - 1) & ~(align - 1);
		const size_t end = desc + note.n_descsz;
		if (note.n_namesz > size || note.n_descsz > size || end > size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    note.n_descsz > 0 &&
		    note.n_descsz <= (SC_OWN_BUILD_ID_SIZE - 1) / 2 &&
		    memcmp(notes + at + sizeof(note), "GNU", 4) == 0) {
			to_hex(notes + desc, note.n_descsz, hex);
			return true;
		}
		at = (end + align - 1) & ~(align - 1);
	}
	return false;
}

static bool search(const struct source *source, char *hex)
{
	unsigned char notes[NOTES_MAX];
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;

	if (!get(source, &ehdr, sizeof(ehdr), 0) ||
	    memcmp(ehdr.e_ident, ELFMAG, SELFMAG) != 0 ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_phentsize != sizeof(phdr))
		return false;
	for (unsigned i = 0; i < ehdr.e_phnum; i++) {
		if (!get(source, &phdr, sizeof(phdr),
		         ehdr.e_phoff + i * sizeof(phdr)))
			return false;
		if (phdr.p_type != PT_NOTE)
			continue;
		const size_t n =
			phdr.p_filesz < NOTES_MAX ? phdr.p_filesz : NOTES_MAX;
		if (get(source, notes, n, phdr.p_offset) &&
		    search_notes(notes, n, phdr.p_align == 8 ? 8 : 4, hex))
			return true;
	}
	return false;
}

bool sc_own_build_id_in_memory(uintptr_t base, size_t size, char *ret_hex)
{
	const struct source source = { .fd = -1, .base = base, .size = size };

	return search(&source, ret_hex);
}

bool sc_own_build_id_in_file(int fd, char *ret_hex)
{
	const struct source source = { .fd = fd };

	return search(&source, ret_hex);
}
