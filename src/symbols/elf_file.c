/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_file.c - the headers of an ELF image. */
#define _GNU_SOURCE
#include "symbols/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elf_notes.h"

#define SEGMENTS_MAX 4096u /* more are read from no file */
#define SECTIONS_MAX (1u << 20)

/* Where a field is in a header of either class. */
#define AT(elf, type, field)                          \
	((elf)->is_64 ? offsetof(Elf64_##type, field) \
	              : offsetof(Elf32_##type, field))
#define SIZE_OF(elf, type) \
	((elf)->is_64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

int syc_elf_read_section(const struct syc_elf *elf,
                         const struct syc_elf_section *section,
                         unsigned char **ret_bytes)
{
	if (section->type == SHT_NOBITS || section->size == 0 ||
	    (section->flags & SHF_COMPRESSED) != 0)
		return -ENOENT;
	return syc_elf_view_read(&elf->view, section->offset, section->size,
	                         ret_bytes);
}

static int read_segments(struct syc_elf *elf, const unsigned char *header)
{
	const uint64_t offset =
		syc_elf_word(elf, header + AT(elf, Ehdr, e_phoff));
	const size_t n = syc_elf_u16(elf, header + AT(elf, Ehdr, e_phnum));
	const size_t step = SIZE_OF(elf, Phdr);
	unsigned char *bytes;
	int r;

	if (n == 0)
		return 0;
	if (n > SEGMENTS_MAX ||
	    syc_elf_u16(elf, header + AT(elf, Ehdr, e_phentsize)) != step)
		return -ENOEXEC;
	r = syc_elf_view_read(&elf->view, offset, n * step, &bytes);
	if (r < 0)
		return r;
	elf->segments = calloc(n, sizeof(*elf->segments));
	if (elf->segments == NULL) {
		free(bytes);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		const unsigned char *p = bytes + i * step;

		elf->segments[i] = (struct syc_elf_segment){
			.type = syc_elf_u32(elf, p + AT(elf, Phdr, p_type)),
			.flags = syc_elf_u32(elf, p + AT(elf, Phdr, p_flags)),
			.offset =
				syc_elf_word(elf, p + AT(elf, Phdr, p_offset)),
			.address =
				syc_elf_word(elf, p + AT(elf, Phdr, p_vaddr)),
			.file_size =
				syc_elf_word(elf, p + AT(elf, Phdr, p_filesz)),
			.memory_size =
				syc_elf_word(elf, p + AT(elf, Phdr, p_memsz)),
			.align = syc_elf_word(elf, p + AT(elf, Phdr, p_align)),
		};
	}
	elf->n_segments = n;
	free(bytes);
	return 0;
}

static void fill_section(const struct syc_elf *elf, const unsigned char *p,
                         struct syc_elf_section *section)
{
	*section = (struct syc_elf_section){
		.name = "",
		.type = syc_elf_u32(elf, p + AT(elf, Shdr, sh_type)),
		.link = syc_elf_u32(elf, p + AT(elf, Shdr, sh_link)),
		.flags = syc_elf_word(elf, p + AT(elf, Shdr, sh_flags)),
		.address = syc_elf_word(elf, p + AT(elf, Shdr, sh_addr)),
		.offset = syc_elf_word(elf, p + AT(elf, Shdr, sh_offset)),
		.size = syc_elf_word(elf, p + AT(elf, Shdr, sh_size)),
		.entry_size = syc_elf_word(elf, p + AT(elf, Shdr, sh_entsize)),
	};
}

static void name_sections(struct syc_elf *elf, const unsigned char *headers,
                          uint32_t names)
{
	const size_t step = SIZE_OF(elf, Shdr);

	if (names >= elf->n_sections ||
	    elf->sections[names].type != SHT_STRTAB ||
	    syc_elf_read_section(elf, &elf->sections[names], &elf->names) < 0)
		return;
	for (size_t i = 0; i < elf->n_sections; i++) {
		const uint32_t at = syc_elf_u32(
			elf, headers + i * step + AT(elf, Shdr, sh_name));

		if (at < elf->sections[names].size)
			elf->sections[i].name = (const char *)elf->names + at;
	}
}

/* Where there are too many for the header, the first section has the counts. */
static int read_counts(const struct syc_elf *elf, uint64_t offset, size_t *n,
                       uint32_t *names)
{
	unsigned char *first;
	int r;

	if (*n != 0 && *names != SHN_XINDEX)
		return 0;
	r = syc_elf_view_read(&elf->view, offset, SIZE_OF(elf, Shdr), &first);
	if (r < 0)
		return r;
	if (*n == 0) {
		const uint64_t count =
			syc_elf_word(elf, first + AT(elf, Shdr, sh_size));

		*n = count > SECTIONS_MAX ? SECTIONS_MAX + 1 : (size_t)count;
	}
	if (*names == SHN_XINDEX)
		*names = syc_elf_u32(elf, first + AT(elf, Shdr, sh_link));
	free(first);
	return 0;
}

static int read_sections(struct syc_elf *elf, const unsigned char *header)
{
	const uint64_t offset =
		syc_elf_word(elf, header + AT(elf, Ehdr, e_shoff));
	size_t n = syc_elf_u16(elf, header + AT(elf, Ehdr, e_shnum));
	uint32_t names = syc_elf_u16(elf, header + AT(elf, Ehdr, e_shstrndx));
	const size_t step = SIZE_OF(elf, Shdr);
	unsigned char *bytes;
	int r;

	if (offset == 0)
		return 0;
	if (syc_elf_u16(elf, header + AT(elf, Ehdr, e_shentsize)) != step)
		return -ENOEXEC;
	r = read_counts(elf, offset, &n, &names);
	if (r < 0 || n > SECTIONS_MAX)
		return r < 0 ? r : -ENOEXEC;
	r = syc_elf_view_read(&elf->view, offset, n * step, &bytes);
	if (r < 0)
		return r;
	elf->sections = calloc(n + 1, sizeof(*elf->sections));
	if (elf->sections == NULL) {
		free(bytes);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		fill_section(elf, bytes + i * step, &elf->sections[i]);
	elf->n_sections = n;
	name_sections(elf, bytes, names);
	free(bytes);
	return 0;
}

/* The header and the segments. */
static int begin_image(struct syc_elf *elf, const struct syc_elf_view *view,
                       unsigned char header[sizeof(Elf64_Ehdr)])
{
	int r;

	memset(elf, 0, sizeof(*elf));
	elf->fd = -1;
	elf->view = *view;
	if (view->size < sizeof(Elf32_Ehdr))
		return -ENOEXEC;
	r = syc_elf_view_get(view, 0, header, EI_NIDENT);
	if (r < 0)
		return r;
	if (memcmp(header, ELFMAG, SELFMAG) != 0 ||
	    (header[EI_CLASS] != ELFCLASS64 &&
	     header[EI_CLASS] != ELFCLASS32) ||
	    (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	elf->is_64 = header[EI_CLASS] == ELFCLASS64;
	elf->is_big = header[EI_DATA] == ELFDATA2MSB;
	r = syc_elf_view_get(view, 0, header, SIZE_OF(elf, Ehdr));
	if (r < 0)
		return r;
	elf->type = syc_elf_u16(elf, header + AT(elf, Ehdr, e_type));
	elf->machine = syc_elf_u16(elf, header + AT(elf, Ehdr, e_machine));
	return read_segments(elf, header);
}

void syc_elf_release(struct syc_elf *elf)
{
	if (elf->fd >= 0)
		close(elf->fd);
	elf->fd = -1;
	free(elf->memory);
	elf->memory = NULL;
	elf->view.size = 0;
}

void syc_elf_close(struct syc_elf *elf)
{
	syc_elf_release(elf);
	free(elf->sections);
	free(elf->segments);
	free(elf->names);
	memset(elf, 0, sizeof(*elf));
	elf->fd = -1;
}

int syc_elf_open_view(struct syc_elf *elf, const struct syc_elf_view *view)
{
	unsigned char header[sizeof(Elf64_Ehdr)];
	int r = begin_image(elf, view, header);

	if (r == 0) {
		r = read_sections(elf, header);
		/* A file that was cut may still have its segments, and they do
		 * for what is known by its place only. */
		if (r != -ENOMEM && elf->n_segments > 0)
			r = 0;
	}
	if (r < 0) {
		syc_elf_close(elf);
		return r;
	}
	syc_elf_notes_build_id(elf, elf->build_id);
	return 0;
}

int syc_elf_open(struct syc_elf *elf, int fd)
{
	struct syc_elf_view view;
	int r = syc_elf_view_file(fd, &view);

	if (r == 0)
		r = syc_elf_open_view(elf, &view);
	if (r < 0)
		close(fd);
	else
		elf->fd = fd;
	return r;
}

int syc_elf_open_memory(struct syc_elf *elf, void *memory, size_t size)
{
	struct syc_elf_view view;
	int r;

	syc_elf_view_memory(memory, size, &view);
	r = syc_elf_open_view(elf, &view);
	if (r < 0)
		free(memory);
	else
		elf->memory = memory;
	return r;
}

int syc_elf_read_build_id(const struct syc_elf_view *view,
                          char ret_hex[SYC_BUILD_ID_SIZE])
{
	unsigned char header[sizeof(Elf64_Ehdr)];
	struct syc_elf elf;
	int r = begin_image(&elf, view, header);

	if (r == 0 && elf.is_big)
		r = -ENOEXEC;
	if (r == 0 && !syc_elf_notes_build_id(&elf, ret_hex))
		r = -ENOENT;
	syc_elf_close(&elf);
	return r;
}

const struct syc_elf_section *syc_elf_find(const struct syc_elf *elf,
                                           const char *name)
{
	for (size_t i = 0; i < elf->n_sections; i++)
		if (strcmp(elf->sections[i].name, name) == 0)
			return &elf->sections[i];
	return NULL;
}

const struct syc_elf_section *syc_elf_code_at(const struct syc_elf *elf,
                                              uint64_t address)
{
	for (size_t i = 0; i < elf->n_sections; i++) {
		const struct syc_elf_section *s = &elf->sections[i];

		if ((s->flags & SHF_EXECINSTR) != 0 && address >= s->address &&
		    address - s->address < s->size)
			return s;
	}
	return NULL;
}

bool syc_elf_address_of(const struct syc_elf *elf, uint64_t offset,
                        uint64_t *ret_address)
{
	const struct syc_elf_segment *best = NULL;

	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct syc_elf_segment *s = &elf->segments[i];

		if (s->type != PT_LOAD || offset < s->offset ||
		    offset - s->offset >= s->file_size)
			continue;
		if (best == NULL || (s->flags & PF_X) != 0)
			best = s;
	}
	if (best == NULL)
		return false;
	*ret_address = offset - best->offset + best->address;
	return true;
}

const struct syc_elf_segment *syc_elf_only_code(const struct syc_elf *elf)
{
	const struct syc_elf_segment *found = NULL;

	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct syc_elf_segment *s = &elf->segments[i];

		if (s->type != PT_LOAD || (s->flags & PF_X) == 0)
			continue;
		if (found != NULL)
			return NULL;
		found = s;
	}
	return found;
}
