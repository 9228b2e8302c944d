/* SPDX-License-Identifier: BSD-2-Clause */
/* loaded_copies.c - the copies in the objects that are loaded. */
#define _GNU_SOURCE
#include "share/loaded_copies.h"

#include <dlfcn.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "os/pin.h"
#include "share/block.h"
#include "share/copies.h"
#include "share/copy_note.h"
#include "share/notes.h"
#include "share/number.h"

/* A static program may have none. */
#pragma weak dladdr

/* Where their words lie.  A library may go until it is pinned, so they are read
 * while the loader's lock keeps it, and pinning takes other locks of the
 * loader: look, pin, look again. */
struct found {
	unsigned n;
	uintptr_t at[SYC_COPIES_MAX];
	struct syc_block *block;
};

static uintptr_t words_address(const struct dl_phdr_info *object,
                               uintptr_t note, int32_t distance)
{
	const uintptr_t at = note + (uintptr_t)(intptr_t)distance;

	return at % 8 == 0 && syc_notes_is_in(object, at,
	                                      sizeof(struct syc_copy_words))
	               ? at
	               : 0;
}

static bool note_copy(const struct dl_phdr_info *object, uintptr_t note_at,
                      int32_t distance, void *data)
{
	struct found *const found = data;
	const uintptr_t at = words_address(object, note_at, distance);

	if (at != 0)
		found->at[found->n++] = at;
	return found->n == SYC_COPIES_MAX;
}

static bool enter_copy(const struct dl_phdr_info *object, uintptr_t note_at,
                       int32_t distance, void *data)
{
	const struct found *const found = data;
	const uintptr_t at = words_address(object, note_at, distance);
	unsigned i = 0;

	while (i < found->n && found->at[i] != at)
		i++;
	if (i == found->n)
		return false; /* not pinned: it came between the two looks */
	const struct syc_copy_words *const words =
		(const struct syc_copy_words *)at;
	if (words->magic == SYC_COPY_WORDS_MAGIC &&
	    words->number == SYC_COPIES_NUMBER)
		syc_copies_enter(found->block, words->active, words->sleeping);
	return false;
}

/* The program itself: dlopen() does not know it by its name. */
static bool is_in_program(uintptr_t at)
{
	Dl_info of_copy, of_program;
	const void *const entry = (const void *)getauxval(AT_ENTRY);

	return dladdr != NULL && dladdr((const void *)at, &of_copy) != 0 &&
	       dladdr(entry, &of_program) != 0 &&
	       of_copy.dli_fbase == of_program.dli_fbase;
}

void syc_loaded_copies_enter(struct syc_block *block)
{
	struct found found = { .n = 0, .block = block };
	unsigned n = 0;

	syc_notes_each(SYC_COPY_NOTE_TYPE, note_copy, &found);
	for (unsigned i = 0; i < found.n; i++)
		if (syc_pin_object((const void *)found.at[i]) ||
		    is_in_program(found.at[i]))
			found.at[n++] = found.at[i];
	found.n = n;
	syc_notes_each(SYC_COPY_NOTE_TYPE, enter_copy, &found);
}
