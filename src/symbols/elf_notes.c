/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_notes.c - what an ELF image's notes tell. */
#include "symbols/elf_notes.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_MAX  (1u << 20)
#define NOTE_PARTS 256u /* that are searched: any number may be the same */

static void to_hex(const unsigned char *id, size_t size, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		*hex++ = digits[id[i] >> 4];
		*hex++ = digits[id[i] & 15];
	}
	*hex = 0;
}

/* Both classes share the layout of a note. */
static bool search_notes(const struct sc_elf *elf, const unsigned char *notes,
                         uint64_t size, uint64_t align, char *hex)
{
	uint64_t at = 0;

	if (align != 8)
		align = 4;
	while (size - at >= sizeof(Elf64_Nhdr)) {
		const uint64_t name_size = sc_elf_u32(elf, notes + at);
		const uint64_t id_size = sc_elf_u32(elf, notes + at + 4);
		const uint64_t name = at + sizeof(Elf64_Nhdr);
		const uint64_t id =
			(name + name_size + align - 1) & ~(align - 1);

		if (id > size || id_size > size - id)
			return false;
		if (sc_elf_u32(elf, notes + at + 8) == NT_GNU_BUILD_ID &&
		    name_size == 4 && id_size > 0 &&
		    id_size <= (SC_ELF_BUILD_ID_SIZE - 1) / 2 &&
		    memcmp(notes + name, "GNU", 4) == 0) {
			to_hex(notes + id, id_size, hex);
			return true;
		}
		at = (id + id_size + align - 1) & ~(align - 1);
		if (at > size)
			return false;
	}
	return false;
}

static bool search_part(const struct sc_elf *elf, uint64_t offset,
                        uint64_t size, uint64_t align, char *hex)
{
	unsigned char *notes;
	bool found;

	if (size > NOTES_MAX ||
	    sc_elf_view_read(&elf->view, offset, size, &notes) < 0)
		return false;
	found = search_notes(elf, notes, size, align, hex);
	free(notes);
	return found;
}

bool sc_elf_notes_build_id(const struct sc_elf *elf,
                           char ret_hex[SC_ELF_BUILD_ID_SIZE])
{
	unsigned n = 0;

	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct sc_elf_segment *s = &elf->segments[i];

		if (s->type == PT_NOTE && n++ < NOTE_PARTS &&
		    search_part(elf, s->offset, s->file_size, s->align,
		                ret_hex))
			return true;
	}
	for (size_t i = 0; i < elf->n_sections; i++) {
		const struct sc_elf_section *s = &elf->sections[i];

		if (s->type == SHT_NOTE && n++ < NOTE_PARTS &&
		    search_part(elf, s->offset, s->size, 4, ret_hex))
			return true;
	}
	return false;
}
