/* SPDX-License-Identifier: BSD-2-Clause */
/* loaded_copies.c - entry of the copies that were loaded before a recording. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "base/elf_note.h"
#include "copies/copies.h"
#include "os/process.h"

/* A static program may lack this function. */
#pragma weak dladdr

/* Addresses of the copies' words.  The program may unload a library that is not
 * pinned, so this file reads the words under the loader's lock.  A pin takes
 * other locks of the loader.  So the order is: search, pin, search again. */
struct found {
	unsigned n;
	uintptr_t at[SYC_COPIES_MAX];
	struct syc_block *block;
};

static bool note_copy(const struct dl_phdr_info *object, uintptr_t note_at,
                      int32_t distance, void *data)
{
	struct found *const found = data;
	const struct syc_copy_words *const words =
		syc_copy_words_at(object, note_at, distance);

	if (words != NULL)
		found->at[found->n++] = (uintptr_t)words;
	return found->n == SYC_COPIES_MAX;
}

static bool enter_copy(const struct dl_phdr_info *object, uintptr_t note_at,
                       int32_t distance, void *data)
{
	const struct found *const found = data;
	struct syc_copy_words *const words =
		syc_copy_words_at(object, note_at, distance);
	unsigned i = 0;

	while (i < found->n && found->at[i] != (uintptr_t)words)
		i++;
	if (i == found->n)
		return false; /* loaded between the two searches: not pinned */
	struct syc_block *none = NULL;
	/* Store the block before the copy is active, because the copy's first
	 * event reads this pointer */
	if (__atomic_compare_exchange_n(&words->block, &none, found->block,
	                                false, __ATOMIC_RELEASE,
	                                __ATOMIC_RELAXED) ||
	    none == found->block)
		syc_copies_enter(found->block, words->active, words->look_due);
	return false;
}

/* Return whether the copy is in the program, which dlopen() can't open by
 * name. */
static bool is_in_program(uintptr_t at)
{
	Dl_info of_copy, of_program;
	const void *const entry = (const void *)getauxval(AT_ENTRY);

	return dladdr != NULL && dladdr((const void *)at, &of_copy) != 0 &&
	       dladdr(entry, &of_program) != 0 &&
	       of_copy.dli_fbase == of_program.dli_fbase;
}

void syc_discovery_enter_loaded(struct syc_block *block)
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
