/* SPDX-License-Identifier: BSD-2-Clause */
/* notes.c - our ELF notes in the objects that are loaded. */
#define _GNU_SOURCE
#include "share/notes.h"

#include <string.h>

#include "base/elf_note.h"
#include "os/diag.h"
#include "os/peek.h"

/* A static program may have none. */
#pragma weak dl_iterate_phdr

#define NAME "syscap"

struct note_search {
	uint32_t type;
	syc_note_fn *found;
	void *data;
	struct syc_peek peek;
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

/* The notes at @notes, a copy of what is at @at. */
static bool look_at_notes(const struct note_search *search,
                          const struct dl_phdr_info *object,
                          const unsigned char *notes, uintptr_t at, size_t size,
                          size_t align)
{
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
	unsigned char notes[SYC_PEEK_MAX]; /* objects have some hundred bytes */

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &object->dlpi_phdr[i];
		const uintptr_t at = object->dlpi_addr + segment->p_vaddr;

		/* The loader may have unmapped what is still on its list */
		if (segment->p_type == PT_NOTE &&
		    segment->p_filesz <= sizeof(notes) &&
		    syc_notes_is_in(object, at, segment->p_filesz) &&
		    syc_peek_copy(&search->peek, notes, at,
		                  segment->p_filesz) == 0 &&
		    look_at_notes(search, object, notes, at, segment->p_filesz,
		                  segment->p_align))
			return 1;
	}
	return 0;
}

bool syc_notes_each(uint32_t type, syc_note_fn *found, void *data)
{
	struct note_search search = { .type = type,
		                      .found = found,
		                      .data = data };

	if (dl_iterate_phdr == NULL)
		return false;
	if (syc_peek_open(&search.peek) != 0) {
		syc_diag_say("libraries with copies of their own are not found",
		             "no pipe could be made");
		return false;
	}
	const bool is_enough = dl_iterate_phdr(look_at_object, &search) != 0;
	syc_peek_close(&search.peek);
	return is_enough;
}
