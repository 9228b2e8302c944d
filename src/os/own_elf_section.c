/* SPDX-License-Identifier: BSD-2-Clause */
/* own_elf_section.c - search for a section of an ELF object of this process. */
#include <string.h>

#include "os/own_elf.h"

/* The search ignores further sections, because each section costs two system
 * calls. */
#define SECTIONS_MAX 65536u

bool syc_own_elf_section(const struct syc_own_elf *elf, const char *name,
                         ElfW(Shdr) * ret_section)
{
	const size_t len = strlen(name) + 1;
	ElfW(Shdr) section, names;
	ElfW(Ehdr) header;
	char text[16];

	if (len > sizeof(text) || !syc_own_elf_get_header(elf, &header) ||
	    header.e_shentsize != sizeof(section) ||
	    !syc_own_elf_get(elf, &names, sizeof(names),
	                     header.e_shoff +
	                             header.e_shstrndx * sizeof(names)))
		return false;
	for (unsigned i = 0; i < header.e_shnum && i < SECTIONS_MAX; i++)
		if (syc_own_elf_get(elf, &section, sizeof(section),
		                    header.e_shoff + i * sizeof(section)) &&
		    syc_own_elf_get(elf, text, len,
		                    names.sh_offset + section.sh_name) &&
		    memcmp(text, name, len) == 0) {
			*ret_section = section;
			return true;
		}
	return false;
}
