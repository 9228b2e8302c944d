/* SPDX-License-Identifier: BSD-2-Clause */
/* build_id.c - the GNU build-id of an ELF file, without libelf. */
#define _GNU_SOURCE
#include "record/build_id.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTES_MAX  (1024u * 1024u)
#define NOTE_PARTS 256u /* that are searched: any number may be the same */

/* Where the bytes come from: a descriptor, or memory. */
struct source {
	int fd;
	const unsigned char *data;
	size_t size;
};

static bool get(const struct source *source, void *to, size_t size,
                uint64_t offset)
{
	size_t done = 0;

	if (source->data != NULL) {
		if (offset > source->size || size > source->size - offset)
			return false;
		memcpy(to, source->data + offset, size);
		return true;
	}
	if (offset > INT64_MAX - size)
		return false;
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

static void to_hex(const unsigned char *id, size_t size, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		*hex++ = digits[id[i] >> 4];
		*hex++ = digits[id[i] & 15];
	}
	*hex = 0;
}

/* Both classes share the layout of a note: Elf32_Nhdr is Elf64_Nhdr. */
static bool search_notes(const unsigned char *notes, uint64_t size,
                         uint64_t align, char *hex)
{
	uint64_t at = 0;

	if (align != 8)
		align = 4;
	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		uint64_t desc, end;

		memcpy(&note, notes + at, sizeof(note));
		desc = at + sizeof(note) + note.n_namesz;
		desc = (desc + align - 1) & ~(align - 1);
		end = desc + note.n_descsz;
		if (end > size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    note.n_descsz > 0 &&
		    note.n_descsz <= (SC_BUILD_ID_SIZE - 1) / 2 &&
		    memcmp(notes + at + sizeof(note), "GNU", 4) == 0) {
			to_hex(notes + desc, note.n_descsz, hex);
			return true;
		}
		at = (end + align - 1) & ~(align - 1);
		if (at > size)
			return false;
	}
	return false;
}

static int search_segment(const struct source *source, uint64_t offset,
                          uint64_t size, uint64_t align, char *hex)
{
	unsigned char *notes;
	int r = -ENOENT;

	if (size > NOTES_MAX || size < sizeof(Elf64_Nhdr))
		return -ENOENT;
	notes = malloc(size);
	if (notes == NULL)
		return -ENOMEM;
	if (get(source, notes, size, offset) &&
	    search_notes(notes, size, align, hex))
		r = 0;
	free(notes);
	return r;
}

static int search64(const struct source *source, char *hex)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	unsigned n = 0;

	if (!get(source, &ehdr, sizeof(ehdr), 0))
		return -ENOEXEC;
	for (unsigned i = 0; i < ehdr.e_phnum && ehdr.e_phentsize != 0; i++) {
		if (!get(source, &phdr, sizeof(phdr),
		         ehdr.e_phoff + (uint64_t)i * ehdr.e_phentsize))
			return -ENOENT;
		if (phdr.p_type == PT_NOTE && n++ < NOTE_PARTS &&
		    search_segment(source, phdr.p_offset, phdr.p_filesz,
		                   phdr.p_align, hex) == 0)
			return 0;
	}
	return -ENOENT;
}

static int search32(const struct source *source, char *hex)
{
	Elf32_Ehdr ehdr;
	Elf32_Phdr phdr;
	unsigned n = 0;

	if (!get(source, &ehdr, sizeof(ehdr), 0))
		return -ENOEXEC;
	for (unsigned i = 0; i < ehdr.e_phnum && ehdr.e_phentsize != 0; i++) {
		if (!get(source, &phdr, sizeof(phdr),
		         ehdr.e_phoff + (uint64_t)i * ehdr.e_phentsize))
			return -ENOENT;
		if (phdr.p_type == PT_NOTE && n++ < NOTE_PARTS &&
		    search_segment(source, phdr.p_offset, phdr.p_filesz,
		                   phdr.p_align, hex) == 0)
			return 0;
	}
	return -ENOENT;
}

static int search(const struct source *source, char *hex)
{
	unsigned char ident[EI_NIDENT];

	if (!get(source, ident, sizeof(ident), 0) ||
	    memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	if (ident[EI_CLASS] == ELFCLASS64)
		return search64(source, hex);
	if (ident[EI_CLASS] == ELFCLASS32)
		return search32(source, hex);
	return -ENOEXEC;
}

int sc_build_id_read(int fd, char ret_hex[SC_BUILD_ID_SIZE])
{
	const struct source source = { .fd = fd };

	return search(&source, ret_hex);
}

int sc_build_id_parse(const void *data, size_t size,
                      char ret_hex[SC_BUILD_ID_SIZE])
{
	const struct source source = { .fd = -1, .data = data, .size = size };

	return search(&source, ret_hex);
}
