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
	bool is_sure; /* what is listed is there */
	struct syc_peek peek;
};

static bool is_at_load;

void syc_notes_at_load(bool is)
{
	is_at_load = is;
}

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

/* By way of the kernel; its buffer is not on the stack of who needs none. */
static __attribute__((noinline)) bool
look_at_copy(const struct note_search *search,
             const struct dl_phdr_info *object, uintptr_t at, size_t size,
             size_t align)
{
	unsigned char notes[SYC_PEEK_MAX]; /* objects have some hundred bytes */

	return size <= sizeof(notes) &&
	       syc_peek_copy(&search->peek, notes, at, size) == 0 &&
	       look_at_notes(search, object, notes, at, size, align);
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *data)
{
	const struct note_search *const search = data;

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &object->dlpi_phdr[i];
		const uintptr_t at = object->dlpi_addr + segment->p_vaddr;
		const size_t n = segment->p_filesz;

		if (segment->p_type != PT_NOTE ||
		    !syc_notes_is_in(object, at, n))
			continue;
		if (search->is_sure ? look_at_notes(search, object,
		                                    (const unsigned char *)at,
		                                    at, n, segment->p_align)
		                    : look_at_copy(search, object, at, n,
		                                   segment->p_align))
			return 1;
	}
	return 0;
}

bool syc_notes_each(uint32_t type, syc_note_fn *found, void *data)
{
	struct note_search search = { .type = type,
		                      .found = found,
		                      .data = data,
		                      .is_sure = is_at_load };

	if (dl_iterate_phdr == NULL)
		return false;
	/* Else the loader may have unmapped what is still on its list */
	if (!search.is_sure && syc_peek_open(&search.peek) != 0) {
		syc_diag_say("libraries with copies of their own are not found",
		             "no pipe could be made");
		return false;
	}
	const bool is_enough = dl_iterate_phdr(look_at_object, &search) != 0;
	if (!search.is_sure)
		syc_peek_close(&search.peek);
	return is_enough;
}
