/* SPDX-License-Identifier: BSD-2-Clause */
/* notes.c - our ELF notes in the objects that are loaded. */
#define _GNU_SOURCE
#include "copies/notes.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "base/diag.h"
#include "base/peek.h"

/* A static program may have none. */
#pragma weak dl_iterate_phdr

#define NAME "syscap"

struct search {
	uint32_t type;
	sc_note_fn *found;
	void *data;
	struct sc_peek peek;
};

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

bool sc_notes_is_in(const struct dl_phdr_info *object, uintptr_t at, size_t n)
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

/* The notes at @notes, a copy of what is at @at.  @align: notes of 8 bytes
 * exist, ours has 4. */
static bool look_at_notes(const struct search *search,
                          const struct dl_phdr_info *object,
                          const unsigned char *notes, uintptr_t at, size_t size,
                          size_t align)
{
	ElfW(Nhdr) note;
	int32_t value;

	while (size >= sizeof(note)) {
		memcpy(&note, notes, sizeof(note));
		const size_t name = round_up(note.n_namesz, align);
		const size_t all =
			sizeof(note) + name + round_up(note.n_descsz, align);

		if (note.n_namesz > size || note.n_descsz > size || all > size)
			return false;
		if (note.n_type == search->type &&
		    note.n_descsz == sizeof(value) &&
		    note.n_namesz == sizeof(NAME) &&
		    memcmp(notes + sizeof(note), NAME, sizeof(NAME)) == 0) {
			memcpy(&value, notes + sizeof(note) + name,
			       sizeof(value));
			if (search->found(object, at + sizeof(note) + name,
			                  value, search->data))
				return true;
		}
		notes += all;
		at += all;
		size -= all;
	}
	return false;
}

static int look(struct dl_phdr_info *object, size_t size, void *data)
{
	const struct search *const search = data;
	unsigned char notes[SC_PEEK_MAX]; /* objects have some hundred bytes */

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &object->dlpi_phdr[i];
		const uintptr_t at = object->dlpi_addr + segment->p_vaddr;

		/* The loader may have unmapped what is still on its list */
		if (segment->p_type == PT_NOTE &&
		    segment->p_filesz <= sizeof(notes) &&
		    sc_notes_is_in(object, at, segment->p_filesz) &&
		    sc_peek_copy(&search->peek, notes, at, segment->p_filesz) ==
		            0 &&
		    look_at_notes(search, object, notes, at, segment->p_filesz,
		                  segment->p_align == 8 ? 8 : 4))
			return 1;
	}
	return 0;
}

bool sc_notes_each(uint32_t type, sc_note_fn *found, void *data)
{
	struct search search = { .type = type, .found = found, .data = data };

	if (dl_iterate_phdr == NULL)
		return false;
	if (sc_peek_open(&search.peek) != 0) {
		sc_diag_say("libraries with copies of their own are not found",
		            "there is no pipe to be had");
		return false;
	}
	const bool is_enough = dl_iterate_phdr(look, &search) != 0;
	sc_peek_close(&search.peek);
	return is_enough;
}
