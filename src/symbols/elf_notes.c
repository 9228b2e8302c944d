/* SPDX-License-Identifier: BSD-2-Clause */
/* elf_notes.c - what an ELF image's notes tell. */
#include "symbols/elf_notes.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_MAX  (1u << 20)
#define NOTE_PARTS 256u /* that are searched: any number may be the same */

static bool search_notes(const struct syc_elf *elf, const unsigned char *notes,
                         uint64_t size, uint64_t align, char *hex)
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
		if (syc_elf_note_may_be_build_id(&note) &&
		    memcmp(notes + note.name, "GNU", 4) == 0) {
			syc_elf_note_hex(notes + note.value, note.value_size,
			                 hex);
			return true;
		}
		at = note.next;
	}
	return false;
}

static bool search_part(const struct syc_elf *elf, uint64_t offset,
                        uint64_t size, uint64_t align, char *hex)
{
	unsigned char *notes;
	bool found;

	if (size > NOTES_MAX ||
	    syc_elf_view_read(&elf->view, offset, size, &notes) < 0)
		return false;
	found = search_notes(elf, notes, size, align, hex);
	free(notes);
	return found;
}

bool syc_elf_notes_build_id(const struct syc_elf *elf,
                            char ret_hex[SYC_BUILD_ID_SIZE])
{
	unsigned n = 0;

	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct syc_elf_segment *s = &elf->segments[i];

		if (s->type == PT_NOTE && n++ < NOTE_PARTS &&
		    search_part(elf, s->offset, s->file_size, s->align,
		                ret_hex))
			return true;
	}
	for (size_t i = 0; i < elf->n_sections; i++) {
		const struct syc_elf_section *s = &elf->sections[i];

		if (s->type == SHT_NOTE && n++ < NOTE_PARTS &&
		    search_part(elf, s->offset, s->size, 4, ret_hex))
			return true;
	}
	return false;
}
