/* SPDX-License-Identifier: BSD-2-Clause */
/* own_elf.c - reader of the ELF objects of this process. */
#define _GNU_SOURCE
#include "os/own_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "os/fd.h"

/* Linkers make a few segments.  The search ignores further segments, because
 * each segment costs a system call. */
#define SEGMENTS_MAX  256u
#define NOTES_MAX     1024u
#define NOTES_SIZE    (UINT64_C(1) << 20)
#define FILE_SIZE_MAX (UINT64_C(1) << 48)

#define OWN_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_DATA ELFDATA2LSB
#else
#define OWN_DATA ELFDATA2MSB
#endif

bool syc_own_elf_get(const struct syc_own_elf *elf, void *to, size_t size,
                     uint64_t offset)
{
	size_t done = 0;

	if (offset > elf->size || size > elf->size - offset)
		return false;
	if (elf->fd < 0) {
		const struct iovec here = { to, size };
		const struct iovec there = {
			(void *)(uintptr_t)(elf->base + offset), size
		};

		return syscall(SYS_process_vm_readv, getpid(), &here, 1UL,
		               &there, 1UL, 0UL) == (long)size;
	}
	while (done < size) {
		const ssize_t n =
			syc_fd_pread(elf->fd, (char *)to + done, size - done,
		                     (off_t)(offset + done));

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0)
			done += (size_t)n;
	}
	return true;
}

bool syc_own_elf_get_header(const struct syc_own_elf *elf, ElfW(Ehdr) * header)
{
	return syc_own_elf_get(elf, header, sizeof(*header), 0) &&
	       memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == OWN_CLASS &&
	       header->e_ident[EI_DATA] == OWN_DATA;
}

/* The first get() of each note checks the offset, so no sum below overflows. */
static bool search_notes(const struct syc_own_elf *elf,
                         const ElfW(Phdr) * segment, char *hex)
{
	const uint64_t size = segment->p_filesz;
	unsigned char id[(SYC_BUILD_ID_SIZE - 1) / 2];
	uint64_t at = 0;

	if (size > NOTES_SIZE)
		return false;
	for (unsigned i = 0; i < NOTES_MAX && size - at >= SYC_ELF_NOTE_HEADER;
	     i++) {
		struct syc_elf_note note;
		uint32_t words[3];
		char name[4];

		if (!syc_own_elf_get(elf, words, sizeof(words),
		                     segment->p_offset + at) ||
		    !syc_elf_note_at(size, segment->p_align, at, words, &note))
			return false;
		if (syc_elf_note_may_be_build_id(&note) &&
		    syc_own_elf_get(elf, name, sizeof(name),
		                    segment->p_offset + note.name) &&
		    memcmp(name, "GNU", sizeof(name)) == 0 &&
		    syc_own_elf_get(elf, id, note.value_size,
		                    segment->p_offset + note.value)) {
			syc_elf_note_hex(id, note.value_size, hex);
			return true;
		}
		at = note.next;
	}
	return false;
}

void syc_own_elf_in_memory(uintptr_t base, size_t size,
                           struct syc_own_elf *ret_elf)
{
	*ret_elf = (struct syc_own_elf){ .fd = -1, .base = base, .size = size };
}

/*
 * The path may already lead to another file, and opening a device could have
 * effects.  The check compares only the inode, because some file systems
 * (overlayfs, btrfs) show another device in maps than in stat().
 */
bool syc_own_elf_open(const char *path, uint64_t inode,
                      struct syc_own_elf *ret_elf)
{
	struct syc_own_elf elf = { .size = FILE_SIZE_MAX };
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	elf.fd = syc_fd_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (elf.fd < 0)
		return false;
	if (fstat(elf.fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (inode != 0 && st.st_ino != inode)) {
		syc_fd_close(elf.fd);
		return false;
	}
	*ret_elf = elf;
	return true;
}

bool syc_own_elf_build_id(const struct syc_own_elf *elf,
                          char ret_hex[SYC_BUILD_ID_SIZE])
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;

	if (!syc_own_elf_get_header(elf, &header) ||
	    header.e_phentsize != sizeof(segment))
		return false;
	for (unsigned i = 0; i < header.e_phnum && i < SEGMENTS_MAX; i++) {
		if (!syc_own_elf_get(elf, &segment, sizeof(segment),
		                     header.e_phoff + i * sizeof(segment)))
			return false;
		if (segment.p_type == PT_NOTE &&
		    search_notes(elf, &segment, ret_hex))
			return true;
	}
	return false;
}
