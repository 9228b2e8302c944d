/* SPDX-License-Identifier: BSD-2-Clause */
/* own_build_id.c - the build-id of an object that this process has mapped. */
#define _GNU_SOURCE
#include "self/own_build_id.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Linkers make a few.  What claims more is not looked through: each costs a
 * system call. */
#define HEADERS_MAX   256u
#define NOTES_MAX     1024u
#define NOTES_SIZE    (UINT64_C(1) << 20)
#define FILE_SIZE_MAX (UINT64_C(1) << 48)

struct source {
	int fd; /* -1: memory */
	uintptr_t base;
	uint64_t size;
};

static bool get(const struct source *source, void *to, size_t size,
                uint64_t offset)
{
	size_t done = 0;

	if (offset > source->size || size > source->size - offset)
		return false;
	if (source->fd < 0) {
		const struct iovec here = { to, size };
		const struct iovec there = { (void *)(source->base + offset),
			                     size };

		return syscall(SYS_process_vm_readv, getpid(), &here, 1UL,
		               &there, 1UL, 0UL) == (long)size;
	}
	while (done < size) {
		const ssize_t n = pread(source->fd, (char *)to + done,
		                        size - done, (off_t)(offset + done));

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0)
			done += (size_t)n;
	}
	return true;
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

static uint64_t round_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/* Sizes in notes are 32 bits, and the first get() checks the offset: nothing
 * here overflows. */
static bool search_notes(const struct source *source, const Elf64_Phdr *phdr,
                         char *hex)
{
	const uint64_t align = phdr->p_align == 8 ? 8 : 4;
	const uint64_t size = phdr->p_filesz;
	unsigned char id[(SC_OWN_BUILD_ID_SIZE - 1) / 2];
	uint64_t at = 0;

	if (size > NOTES_SIZE)
		return false;
	for (unsigned i = 0; i < NOTES_MAX && at < size; i++) {
		const uint64_t begin = phdr->p_offset + at;
		Elf64_Nhdr note;
		char name[4];

		if (!get(source, &note, sizeof(note), begin))
			return false;
		const uint64_t desc =
			round_up(at + sizeof(note) + note.n_namesz, align);
		if (desc + note.n_descsz > size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    note.n_descsz > 0 && note.n_descsz <= sizeof(id) &&
		    get(source, name, sizeof(name), begin + sizeof(note)) &&
		    memcmp(name, "GNU", sizeof(name)) == 0 &&
		    get(source, id, note.n_descsz, phdr->p_offset + desc)) {
			to_hex(id, note.n_descsz, hex);
			return true;
		}
		at = round_up(desc + note.n_descsz, align);
	}
	return false;
}

static bool search(const struct source *source, char *hex)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;

	if (!get(source, &ehdr, sizeof(ehdr), 0) ||
	    memcmp(ehdr.e_ident, ELFMAG, SELFMAG) != 0 ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	    ehdr.e_phentsize != sizeof(phdr))
		return false;
	for (unsigned i = 0; i < ehdr.e_phnum && i < HEADERS_MAX; i++) {
		if (!get(source, &phdr, sizeof(phdr),
		         ehdr.e_phoff + i * sizeof(phdr)))
			return false;
		if (phdr.p_type == PT_NOTE && search_notes(source, &phdr, hex))
			return true;
	}
	return false;
}

bool sc_own_build_id_in_memory(uintptr_t base, size_t size, char *ret_hex)
{
	const struct source source = { .fd = -1, .base = base, .size = size };

	return search(&source, ret_hex);
}

/*
 * The path may lead to anything by now: opening a device could do something.
 * The inode alone is compared, as some file systems (overlayfs, btrfs) show
 * another device in maps than in stat().
 */
bool sc_own_build_id_in_file(const char *path, uint64_t inode, char *ret_hex)
{
	struct source source = { .size = FILE_SIZE_MAX };
	struct stat st;
	bool found = false;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	source.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (source.fd < 0)
		return false;
	if (fstat(source.fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_ino == inode)
		found = search(&source, ret_hex);
	close(source.fd);
	return found;
}
