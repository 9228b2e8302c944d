/* SPDX-License-Identifier: BSD-2-Clause */
/* cards.c - the copies in the objects that are loaded. */
#define _GNU_SOURCE
#include "copies/cards.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "copies/block.h"
#include "copies/note.h"
#include "copies/roll.h"

/* Static dlopen() needs libraries at run time, and a static program can't
 * be unloaded: take it only where it is there. */
#pragma weak dlopen
#pragma weak dladdr
#pragma weak dl_iterate_phdr

struct found {
	unsigned n;
	const struct sc_card *cards[SC_COPIES_MAX];
};

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* The card that the note at @descriptor leads to, if it lies in the object. */
static const struct sc_card *card_at(const struct dl_phdr_info *info,
                                     const unsigned char *descriptor)
{
	int32_t distance;

	memcpy(&distance, descriptor, sizeof(distance));
	const uintptr_t at =
		(uintptr_t)descriptor + (uintptr_t)(intptr_t)distance;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &info->dlpi_phdr[i];
		const uintptr_t offset =
			at - (info->dlpi_addr + segment->p_vaddr);

		if (segment->p_type == PT_LOAD &&
		    (segment->p_flags & PF_R) != 0 &&
		    segment->p_filesz >= sizeof(struct sc_card) &&
		    offset <= segment->p_filesz - sizeof(struct sc_card) &&
		    at % 8 == 0)
			return (const struct sc_card *)at;
	}
	return NULL;
}

/* @align: notes of 8 bytes exist, ours has 4. */
static void look_at_notes(struct found *found, const struct dl_phdr_info *info,
                          const unsigned char *at, size_t size, size_t align)
{
	ElfW(Nhdr) note;

	while (size >= sizeof(note)) {
		memcpy(&note, at, sizeof(note));
		const size_t name = round_up(note.n_namesz, align);
		const size_t all =
			sizeof(note) + name + round_up(note.n_descsz, align);

		if (note.n_namesz > size || note.n_descsz > size || all > size)
			return;
		if (note.n_type == SC_NOTE_CARD_TYPE && note.n_descsz == 4 &&
		    note.n_namesz == sizeof(SC_NOTE_NAME) &&
		    memcmp(at + sizeof(note), SC_NOTE_NAME,
		           sizeof(SC_NOTE_NAME)) == 0) {
			const struct sc_card *const card =
				card_at(info, at + sizeof(note) + name);

			if (card != NULL && card->magic == SC_CARD_MAGIC &&
			    found->n < SC_COPIES_MAX)
				found->cards[found->n++] = card;
		}
		at += all;
		size -= all;
	}
}

static bool is_loaded(const struct dl_phdr_info *info, ElfW(Addr) begin,
                      size_t size)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    (segment->p_flags & PF_R) != 0 &&
		    begin >= segment->p_vaddr && size <= segment->p_filesz &&
		    begin - segment->p_vaddr <= segment->p_filesz - size)
			return true;
	}
	return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_NOTE &&
		    is_loaded(info, segment->p_vaddr, segment->p_filesz))
			look_at_notes(data, info,
			              (const unsigned char *)(info->dlpi_addr +
			                                      segment->p_vaddr),
			              segment->p_filesz,
			              segment->p_align == 8 ? 8 : 4);
	}
	return 0;
}

void sc_cards_pin(const void *address)
{
	Dl_info info;

	if (dlopen == NULL || dladdr == NULL || dladdr(address, &info) == 0 ||
	    info.dli_fname == NULL)
		return;
	void *const handle =
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	if (handle != NULL)
		dlclose(handle);
}

void sc_cards_enter(struct sc_block *block)
{
	struct found found = { .n = 0 };

	if (dl_iterate_phdr == NULL)
		return;
	dl_iterate_phdr(look, &found);
	for (unsigned i = 0; i < found.n; i++) {
		const struct sc_card *const card = found.cards[i];

		if (card->abi != block->abi ||
		    (block->needs & ~card->knows) != 0)
			continue;
		sc_cards_pin(card->active);
		sc_roll_enter(block, card->active, card->sleeping,
		              card->private_abi);
	}
}
