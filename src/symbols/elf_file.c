/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_file.c - reader of an ELF image's bytes, notes and headers. */
#define _GNU_SOURCE
#include "symbols/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit for a part of an image, unless the view has another limit. */
#define ELF_PART_MAX (UINT64_C(1) << 29)

/* Read an address or size of the file's class, 4 or 8 bytes. */
static inline uint64_t elf_word(const struct syc_elf *elf,
                                const unsigned char *p)
{
	return elf->is_64 ? syc_elf_u64(elf, p) : syc_elf_u32(elf, p);
}

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
		.part_max = ELF_PART_MAX,
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
		.part_max = ELF_PART_MAX,
	};
}

/*
 * Read into the caller's memory.  Returns 0, or -ENOEXEC if the image is too
 * short.
 */
static int elf_view_get(const struct syc_elf_view *view, uint64_t offset,
                        void *to, uint64_t size)
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

#define NOTES_MAX (1u << 20)
/* Greatest number of parts to search, because a file may list one part many
 * times. */
#define NOTE_PARTS 256u

/*
 * A search for the build-id, which is stored in @hex, or, if @hex is NULL, for
 * any note of @name and @type.
 */
struct wanted {
	const char *name;
	uint32_t type;
	char *hex;
};

static bool is_wanted(const struct wanted *wanted,
                      const struct syc_elf_note *note,
                      const unsigned char *notes)
{
	const bool may_be =
		wanted->hex != NULL
			? syc_elf_note_may_be_build_id(note)
			: note->type == wanted->type &&
				  note->name_size == strlen(wanted->name) + 1;

	return may_be &&
	       memcmp(notes + note->name, wanted->name, note->name_size) == 0;
}

static bool search_notes(const struct syc_elf *elf, const unsigned char *notes,
                         uint64_t size, uint64_t align,
                         const struct wanted *wanted)
{
	uint64_t at = 0;

	while (size - at >= SYC_ELF_NOTE_HEADER) {
		const uint32_t words[3] = {
			syc_elf_u32(elf, notes + at),
			syc_elf_u32(elf, notes + at + 4),
			syc_elf_u32(elf, notes + at + 8),
		};
		struct syc_elf_note note;

		if (!syc_elf_note_at(size, align, at, words, &note))
			return false;
		if (is_wanted(wanted, &note, notes)) {
			if (wanted->hex != NULL)
				syc_elf_note_hex(notes + note.value,
				                 note.value_size, wanted->hex);
			return true;
		}
		at = note.next;
	}
	return false;
}

static bool search_part(const struct syc_elf *elf, uint64_t offset,
                        uint64_t size, uint64_t align,
                        const struct wanted *wanted)
{
	unsigned char *notes;
	bool found;

	if (size > NOTES_MAX ||
	    syc_elf_view_read(&elf->view, offset, size, &notes) < 0)
		return false;
	found = search_notes(elf, notes, size, align, wanted);
	free(notes);
	return found;
}

static bool search_image(const struct syc_elf *elf, const struct wanted *wanted)
{
	unsigned n = 0;

	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct syc_elf_segment *s = &elf->segments[i];

		if (s->type == PT_NOTE && n++ < NOTE_PARTS &&
		    search_part(elf, s->offset, s->file_size, s->align, wanted))
			return true;
	}
	for (size_t i = 0; i < elf->n_sections; i++) {
		const struct syc_elf_section *s = &elf->sections[i];

		if (s->type == SHT_NOTE && n++ < NOTE_PARTS &&
		    search_part(elf, s->offset, s->size, 4, wanted))
			return true;
	}
	return false;
}

/*
 * Search the segments for the GNU build-id, and then the sections, because
 * debug files have notes only in sections.
 */
static bool elf_notes_build_id(const struct syc_elf *elf,
                               char ret_hex[SYC_BUILD_ID_SIZE])
{
	return search_image(elf,
	                    &(struct wanted){ .name = "GNU", .hex = ret_hex });
}

/* Return whether @elf has a note of @name and @type. */
static bool elf_notes_has(const struct syc_elf *elf, const char *name,
                          uint32_t type)
{
	return search_image(elf,
	                    &(struct wanted){ .name = name, .type = type });
}

#define SEGMENTS_MAX 4096u /* limit for one file */
#define SECTIONS_MAX (1u << 20)

/* Offset of a field in a header of either class. */
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
	const uint64_t offset = elf_word(elf, header + AT(elf, Ehdr, e_phoff));
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
			.offset = elf_word(elf, p + AT(elf, Phdr, p_offset)),
			.address = elf_word(elf, p + AT(elf, Phdr, p_vaddr)),
			.file_size = elf_word(elf, p + AT(elf, Phdr, p_filesz)),
			.memory_size =
				elf_word(elf, p + AT(elf, Phdr, p_memsz)),
			.align = elf_word(elf, p + AT(elf, Phdr, p_align)),
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
		.flags = elf_word(elf, p + AT(elf, Shdr, sh_flags)),
		.address = elf_word(elf, p + AT(elf, Shdr, sh_addr)),
		.offset = elf_word(elf, p + AT(elf, Shdr, sh_offset)),
		.size = elf_word(elf, p + AT(elf, Shdr, sh_size)),
		.entry_size = elf_word(elf, p + AT(elf, Shdr, sh_entsize)),
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

/* Read the counts, from the first section if the header has no space for the
 * counts. */
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
			elf_word(elf, first + AT(elf, Shdr, sh_size));

		*n = count > SECTIONS_MAX ? SECTIONS_MAX + 1 : (size_t)count;
	}
	if (*names == SHN_XINDEX)
		*names = syc_elf_u32(elf, first + AT(elf, Shdr, sh_link));
	free(first);
	return 0;
}

static int read_sections(struct syc_elf *elf, const unsigned char *header)
{
	const uint64_t offset = elf_word(elf, header + AT(elf, Ehdr, e_shoff));
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

/* Read the header and the segments. */
static int begin_image(struct syc_elf *elf, const struct syc_elf_view *view,
                       unsigned char header[sizeof(Elf64_Ehdr)])
{
	int r;

	memset(elf, 0, sizeof(*elf));
	elf->fd = -1;
	elf->view = *view;
	if (view->size < sizeof(Elf32_Ehdr))
		return -ENOEXEC;
	r = elf_view_get(view, 0, header, EI_NIDENT);
	if (r < 0)
		return r;
	if (memcmp(header, ELFMAG, SELFMAG) != 0 ||
	    (header[EI_CLASS] != ELFCLASS64 &&
	     header[EI_CLASS] != ELFCLASS32) ||
	    (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	elf->is_64 = header[EI_CLASS] == ELFCLASS64;
	elf->is_big = header[EI_DATA] == ELFDATA2MSB;
	r = elf_view_get(view, 0, header, SIZE_OF(elf, Ehdr));
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
		/*
		 * The segments of a truncated file suffice for locations
		 * without names.
		 */
		if (r != -ENOMEM && elf->n_segments > 0)
			r = 0;
	}
	if (r < 0) {
		syc_elf_close(elf);
		return r;
	}
	elf_notes_build_id(elf, elf->build_id);
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
	if (r == 0 && !elf_notes_build_id(&elf, ret_hex))
		r = -ENOENT;
	syc_elf_close(&elf);
	return r;
}

bool syc_elf_has_note(const struct syc_elf_view *view, const char *name,
                      uint32_t type)
{
	unsigned char header[sizeof(Elf64_Ehdr)];
	struct syc_elf elf;
	const bool has_it = begin_image(&elf, view, header) == 0 &&
	                    elf_notes_has(&elf, name, type);

	syc_elf_close(&elf);
	return has_it;
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
