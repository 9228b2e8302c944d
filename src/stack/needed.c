/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * needed.c - reads the dynamic sections of loaded modules.  Only while they
 * can't be unloaded: in a callback of dl_iterate_phdr().
 */
#define _GNU_SOURCE
#include "stack/needed.h"

#include <stddef.h>

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info *info)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const void *)(info->dlpi_addr +
			                      info->dlpi_phdr[i].p_vaddr);
	return NULL;
}

/* Some loaders leave the address as it is in the file. */
static const char *strings_of(const struct dl_phdr_info *info,
                              const ElfW(Dyn) * dynamic)
{
	for (; dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_STRTAB)
			return (const char *)(dynamic->d_un.d_ptr +
			                      (dynamic->d_un.d_ptr <
			                                       info->dlpi_addr
			                               ? info->dlpi_addr
			                               : 0));
	return NULL;
}

static uint64_t hash_name(const char *name)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		value = (value ^ (unsigned char)*name) *
		        UINT64_C(0x100000001b3);
	return value;
}

static bool lists_name(const struct syc_needed *needed, uint64_t name)
{
	for (unsigned i = 0; i < needed->n; i++)
		if (needed->names[i] == name)
			return true;
	return false;
}

void syc_needed_add(struct syc_needed *needed, const struct dl_phdr_info *info)
{
	const ElfW(Dyn) *dynamic = dynamic_of(info);
	const char *const strings =
		dynamic != NULL ? strings_of(info, dynamic) : NULL;

	if (strings == NULL)
		return;
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag != DT_NEEDED || needed->n == SYC_NEEDED_MOST)
			continue;
		const uint64_t name = hash_name(strings + dynamic->d_un.d_val);

		if (!lists_name(needed, name))
			needed->names[needed->n++] = name;
	}
}

bool syc_needed_has(const struct syc_needed *needed,
                    const struct dl_phdr_info *info)
{
	const ElfW(Dyn) *dynamic = dynamic_of(info);
	const char *const strings =
		dynamic != NULL ? strings_of(info, dynamic) : NULL;

	if (strings == NULL)
		return false;
	for (; dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_SONAME)
			return lists_name(
				needed,
				hash_name(strings + dynamic->d_un.d_val));
	return false;
}
