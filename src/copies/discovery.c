/* SPDX-License-Identifier: BSD-2-Clause */
/* discovery.c - how copies of the library find each other; see discovery.h. */
#define _GNU_SOURCE
#include "copies/discovery.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "copies/copies.h"
#include "copies/copy_note.h"
#include "copies/notes.h"
#include "copies/number.h"

/* A static program may have none. */
#pragma weak dl_iterate_phdr

struct syc_copy_words syc_own_words = {
	.magic = SYC_COPY_WORDS_MAGIC,
	.number = SYC_COPIES_NUMBER,
	.active = &syc_active,
	.sleeping = &syc_drain_sleeping,
};
SYC_COPY_NOTE(syc_own_words);

struct syc_copy_words *syc_copy_words_at(const struct dl_phdr_info *object,
                                         uintptr_t note, int32_t distance)
{
	const uintptr_t at = note + (uintptr_t)(intptr_t)distance;
	struct syc_copy_words *const words = (struct syc_copy_words *)at;

	return at % 8 == 0 && syc_notes_is_in(object, at, sizeof(*words)) &&
	                       words->magic == SYC_COPY_WORDS_MAGIC &&
	                       words->number == SYC_COPIES_NUMBER
	               ? words
	               : NULL;
}

static bool take_others_block(const struct dl_phdr_info *object, uintptr_t note,
                              int32_t distance, void *data)
{
	const struct syc_copy_words *const words =
		syc_copy_words_at(object, note, distance);
	struct syc_block **const ret_block = data;

	if (words != NULL)
		*ret_block = __atomic_load_n(&words->block, __ATOMIC_ACQUIRE);
	return *ret_block != NULL;
}

static int is_program(struct dl_phdr_info *object, size_t size, void *phdr)
{
	(void)size;
	return object->dlpi_phdr == phdr;
}

int syc_discovery_find(struct syc_block **ret_block)
{
	*ret_block = NULL;
	/* Each namespace of dlmopen() has a list of its own */
	if (dl_iterate_phdr != NULL &&
	    dl_iterate_phdr(is_program, (void *)getauxval(AT_PHDR)) == 0)
		return -EXDEV;
	return syc_notes_each(SYC_COPY_NOTE_TYPE, take_others_block, ret_block)
	               ? 0
	               : -ENOENT;
}

/* The loader has locked its list. */
static int publish_locked(struct dl_phdr_info *object, size_t size, void *block)
{
	struct syc_block *others;

	(void)object;
	(void)size;
	if (syc_discovery_find(&others) == 0)
		return -EEXIST;
	__atomic_store_n(&syc_own_words.block, block, __ATOMIC_RELEASE);
	return 1;
}

int syc_discovery_publish(struct syc_block *block)
{
	const int r = dl_iterate_phdr != NULL
	                      ? dl_iterate_phdr(publish_locked, block)
	                      : publish_locked(NULL, 0, block);

	return r < 0 ? r : 0;
}
