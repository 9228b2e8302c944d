/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload.c - libsyscap-sampler.so, which `syscap record --sample` preloads:
 * the collector with its sampler, and nothing that anybody can call.
 *
 * A program that has a sampler of its own is left to that: frame providers of
 * runtimes are attached there.  It says so by a note (sampler/note.h), which
 * is looked for in all objects that are mapped when we are loaded.
 *
 * sc_sampler_at_load(), which client/process.c calls, is wrapped by the
 * linker (--wrap).
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "client/at_load.h"
#include "sampler/note.h"

void __real_sc_sampler_at_load(void);
void __wrap_sc_sampler_at_load(void);

struct search {
	uintptr_t own; /* an address in this library */
	const char *found;
};

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* @align: notes of 8 bytes exist, ours has 4. */
static bool has_note(const unsigned char *at, size_t size, size_t align)
{
	const size_t name_size = sizeof(SC_SAMPLER_NOTE_NAME);
	ElfW(Nhdr) note;

	while (size >= sizeof(note)) {
		memcpy(&note, at, sizeof(note));
		const size_t name = round_up(note.n_namesz, align);
		const size_t all =
			sizeof(note) + name + round_up(note.n_descsz, align);

		if (note.n_namesz > size || note.n_descsz > size || all > size)
			return false;
		if (note.n_type == SC_SAMPLER_NOTE_TYPE &&
		    note.n_namesz == name_size &&
		    memcmp(at + sizeof(note), SC_SAMPLER_NOTE_NAME,
		           name_size) == 0)
			return true;
		at += all;
		size -= all;
	}
	return false;
}

static bool is_mapped(const struct dl_phdr_info *info, ElfW(Addr) begin,
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

static bool is_own(const struct dl_phdr_info *info, uintptr_t own)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    own - (info->dlpi_addr + segment->p_vaddr) <
		            segment->p_memsz)
			return true;
	}
	return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *const search = data;

	(void)size;
	if (is_own(info, search->own))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_NOTE ||
		    !is_mapped(info, segment->p_vaddr, segment->p_filesz))
			continue;
		if (has_note((const unsigned char *)(info->dlpi_addr +
		                                     segment->p_vaddr),
		             segment->p_filesz,
		             segment->p_align == 8 ? 8 : 4)) {
			search->found = info->dlpi_name[0] != '\0'
			                        ? info->dlpi_name
			                        : "the program";
			return 1;
		}
	}
	return 0;
}

void __wrap_sc_sampler_at_load(void)
{
	struct search search = { .own = (uintptr_t)look };

	dl_iterate_phdr(look, &search);
	if (search.found != NULL)
		sc_diag_say("the preloaded sampler leaves it to", search.found);
	else
		__real_sc_sampler_at_load();
}
