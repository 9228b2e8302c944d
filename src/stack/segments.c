/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * segments.c - code ranges of a module.  Seldom asked, so nothing is kept:
 * the module may be gone, or another, at the next question.  Signal-safe.
 */
#define _GNU_SOURCE
#include "stack/segments.h"

#include <link.h>
#include <string.h>

#include "stack/memory.h"

#define HEADERS_MOST 64u /* libraries have a dozen */

static bool segment_holds(const ElfW(Phdr) * segment, uintptr_t bias,
                          uintptr_t pc)
{
	return pc - (bias + segment->p_vaddr) < segment->p_filesz;
}

bool syc_segments_has_code(const struct syc_loaded_module *module, uintptr_t pc)
{
	const uintptr_t mask = ~(uintptr_t)(SYC_MEMORY_PAGE - 1);
	const uintptr_t low = module->low & mask;
	bool first = true;
	uintptr_t bias = 0;
	ElfW(Ehdr) file;

	if (syc_memory_copy(&file, low, sizeof(file)) != sizeof(file) ||
	    memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
	    file.e_phentsize != sizeof(ElfW(Phdr)))
		return false;
	for (unsigned i = 0; i < file.e_phnum && i < HEADERS_MOST; i++) {
		const uintptr_t at =
			low + file.e_phoff + i * sizeof(ElfW(Phdr));
		ElfW(Phdr) segment;

		if (syc_memory_copy(&segment, at, sizeof(segment)) !=
		    sizeof(segment))
			return false;
		if (segment.p_type != PT_LOAD)
			continue;
		if (first)
			bias = low - (segment.p_vaddr & mask);
		first = false;
		if ((segment.p_flags & PF_X) != 0 &&
		    segment_holds(&segment, bias, pc))
			return syc_memory_readable(pc, 1);
	}
	return false;
}
