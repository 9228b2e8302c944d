/* SPDX-License-Identifier: BSD-2-Clause */
/* notes.c - our ELF notes in the objects that are loaded. */
#define _GNU_SOURCE
#include "copies/notes.h"

#include <string.h>

#include "base/elf_note.h"

/* A static program may have none. */
#pragma weak dl_iterate_phdr

#define NAME "syscap"

struct note_search {
	uint32_t type;
	syc_note_fn *found;
	void *data;
};

bool syc_notes_is_in(const struct dl_phdr_info *object, uintptr_t at, size_t n)
{
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &object->dlpi_phdr[i];
		const uintptr_t offset =
			at - (object->dlpi_addr + segment->p_vaddr);

		if (segment->p_type == PT_LOAD &&
		    (segment->p_flags & PF_R) != 0 && segment->p_filesz >= n &&
		    offset <= segment->p_filesz - n)
			return true;
	}
	return false;
}

/* The notes of @size bytes at @at. */
static bool look_at_notes(const struct note_search *search,
                          const struct dl_phdr_info *object, uintptr_t at,
                          size_t size, size_t align)
{
	const unsigned char *const notes = (const unsigned char *)at;
	uint64_t next = 0;

	while (size - next >= SYC_ELF_NOTE_HEADER) {
		struct syc_elf_note note;
		uint32_t words[3];
		int32_t value;

		memcpy(words, notes + next, sizeof(words));
		if (!syc_elf_note_at(size, align, next, words, &note))
			return false;
		if (note.type == search->type &&
		    note.value_size == sizeof(value) &&
		    note.name_size == sizeof(NAME) &&
		    memcmp(notes + note.name, NAME, sizeof(NAME)) == 0) {
			memcpy(&value, notes + note.value, sizeof(value));
			if (search->found(object, at + note.value, value,
			                  search->data))
				return true;
		}
		next = note.next;
	}
	return false;
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *data)
{
	const struct note_search *const search = data;

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &object->dlpi_phdr[i];
		const uintptr_t at = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_NOTE &&
		    syc_notes_is_in(object, at, segment->p_filesz) &&
		    look_at_notes(search, object, at, segment->p_filesz,
		                  segment->p_align))
			return 1;
	}
	return 0;
}

bool syc_notes_each(uint32_t type, syc_note_fn *found, void *data)
{
	struct note_search search = { type, found, data };

	return dl_iterate_phdr != NULL &&
	       dl_iterate_phdr(look_at_object, &search) != 0;
}
