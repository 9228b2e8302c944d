/* SPDX-License-Identifier: BSD-2-Clause */
/* copies.c - words and discovery of the copies that act as one. */
#define _GNU_SOURCE
#include "copies/copies.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/elf_note.h"

/* A static program may lack this function. */
#pragma weak dl_iterate_phdr

#define NOTE_NAME "syscap"

struct syc_block *syc_block;
int syc_active = SYC_NOT_LOOKED;
uint32_t syc_look_due;

struct syc_copy_words syc_own_words = {
	.magic = SYC_COPY_WORDS_MAGIC,
	.number = SYC_COPIES_NUMBER,
	.active = &syc_active,
	.look_due = &syc_look_due,
};
SYC_COPY_NOTE(syc_own_words);

/* ----------------------------------------------------------------- words */

static uint32_t count_entered(const struct syc_block *block)
{
	const uint32_t n = __atomic_load_n(&block->n_copies, __ATOMIC_SEQ_CST);

	return n < SYC_COPIES_MAX ? n : SYC_COPIES_MAX;
}

/*
 * The value of a copy may be undecided while one of the copy's threads decides
 * the value.  If no recording has begun yet, a 0 would make the copy's other
 * threads drop their events.
 */
static bool is_open_still(const struct syc_block *block, const int32_t *active)
{
	return __atomic_load_n(active, __ATOMIC_RELAXED) == SYC_INIT_DEFERRED &&
	       __atomic_load_n(&block->last_epoch, __ATOMIC_ACQUIRE) == 0;
}

static void update_copy(const struct syc_block *block, int32_t *active)
{
	int32_t value;

	if (is_open_still(block, active))
		return;

	do {
		value = __atomic_load_n(&block->active, __ATOMIC_SEQ_CST);
		__atomic_store_n(active, value, __ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&block->active, __ATOMIC_SEQ_CST) != value);
}

static int32_t *get_active(struct syc_block *block, uint32_t i)
{
	return __atomic_load_n(&block->copies[i].active, __ATOMIC_SEQ_CST);
}

static void update_copies(void)
{
	const uint32_t n = count_entered(syc_block);

	for (uint32_t i = 0; i < n; i++) {
		int32_t *const active = get_active(syc_block, i);

		if (active != NULL)
			update_copy(syc_block, active);
	}
}

static bool has_copy(struct syc_block *block, const int32_t *active)
{
	const uint32_t n = count_entered(block);

	for (uint32_t i = 0; i < n; i++)
		if (get_active(block, i) == active)
			return true;
	return false;
}

bool syc_copies_enter(struct syc_block *block, int32_t *active,
                      uint32_t *look_due)
{
	uint32_t n;

	if (has_copy(block, active)) {
		update_copy(block, active);
		return true;
	}
	n = __atomic_load_n(&block->n_copies, __ATOMIC_RELAXED);
	do {
		if (n >= SYC_COPIES_MAX)
			return false;
	} while (!__atomic_compare_exchange_n(&block->n_copies, &n, n + 1, true,
	                                      __ATOMIC_SEQ_CST,
	                                      __ATOMIC_RELAXED));
	struct syc_copy *const copy = &block->copies[n];
	copy->look_due = look_due;
	/* The first event calls the ring source, which may wait for an event */
	__atomic_store_n(look_due, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&copy->active, active, __ATOMIC_SEQ_CST);
	update_copy(block, active);
	return true;
}

void syc_copies_set_active(int32_t active)
{
	__atomic_store_n(&syc_block->active, active, __ATOMIC_SEQ_CST);
	update_copies();
}

bool syc_copies_change_active(int32_t from, int32_t to)
{
	if (!__atomic_compare_exchange_n(&syc_block->active, &from, to, false,
	                                 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	update_copies();
	return true;
}

void syc_copies_set_look_due(uint32_t look_due)
{
	const uint32_t n = count_entered(syc_block);

	for (uint32_t i = 0; i < n; i++)
		if (get_active(syc_block, i) != NULL)
			__atomic_store_n(syc_block->copies[i].look_due,
			                 look_due, __ATOMIC_SEQ_CST);
}

bool syc_copies_end(void)
{
	const uint32_t n = count_entered(syc_block);
	bool is_last = true;

	for (uint32_t i = 0; i < n; i++) {
		struct syc_copy *const copy = &syc_block->copies[i];

		if (get_active(syc_block, i) == &syc_active)
			__atomic_store_n(&copy->has_ended, 1, __ATOMIC_RELAXED);
		else if (__atomic_load_n(&copy->has_ended, __ATOMIC_RELAXED) ==
		         0)
			is_last = false;
	}
	return is_last;
}

/* A copy has two entries if the copy enters itself during its entry by the copy
 * that starts a recording.  Only this count has to skip the second entry. */
uint32_t syc_copies_count(void)
{
	const uint32_t n = syc_block_is_there() ? count_entered(syc_block) : 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		const int32_t *const active = get_active(syc_block, i);
		uint32_t k = 0;

		while (k < i && get_active(syc_block, k) != active)
			k++;
		count += active != NULL && k == i;
	}
	return count != 0 ? count : 1;
}

/* ----------------------------------------------------------------- notes */

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

/* Search the notes in the @size bytes at @at. */
static bool search_notes(const struct note_search *search,
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
		    note.name_size == sizeof(NOTE_NAME) &&
		    memcmp(notes + note.name, NOTE_NAME, sizeof(NOTE_NAME)) ==
		            0) {
			memcpy(&value, notes + note.value, sizeof(value));
			if (search->found(object, (uintptr_t)(at + note.value),
			                  value, search->data))
				return true;
		}
		next = note.next;
	}
	return false;
}

static int search_object(struct dl_phdr_info *object, size_t size, void *data)
{
	const struct note_search *const search = data;

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &object->dlpi_phdr[i];
		const uintptr_t at = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_NOTE &&
		    syc_notes_is_in(object, at, segment->p_filesz) &&
		    search_notes(search, object, at, segment->p_filesz,
		                 segment->p_align))
			return 1;
	}
	return 0;
}

bool syc_notes_each(uint32_t type, syc_note_fn *found, void *data)
{
	struct note_search search = { type, found, data };

	return dl_iterate_phdr != NULL &&
	       dl_iterate_phdr(search_object, &search) != 0;
}

/* ------------------------------------------------------------- discovery */

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
	/* Each namespace of dlmopen() has its own list of objects */
	if (dl_iterate_phdr != NULL &&
	    dl_iterate_phdr(is_program, (void *)getauxval(AT_PHDR)) == 0)
		return -EXDEV;
	return syc_notes_each(SYC_COPY_NOTE_TYPE, take_others_block, ret_block)
	               ? 0
	               : -ENOENT;
}

/* Publish @block while the loader holds the lock of its list of objects. */
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
