/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf_library.h - elfutils' libdw, if it is here: its functions, loaded when
 * lines are asked for first.
 *
 * What was built where its headers are runs where the library is not.
 * Without the headers there is no SYC_HAVE_LIBDW, and it is never found.
 */
#ifndef SYC_SYMBOLS_DWARF_LIBRARY_H
#define SYC_SYMBOLS_DWARF_LIBRARY_H

#include <stdbool.h>

/** NULL: it is loaded; else why not, in words that follow "no lines: ". */
const char *syc_dwarf_library_load(void);

#ifdef SYC_HAVE_LIBDW
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>

#define SYC_DWARF_FUNCTIONS(use)     \
	use(dwarf_begin);            \
	use(dwarf_get_units);        \
	use(dwarf_child);            \
	use(dwarf_siblingof);        \
	use(dwarf_tag);              \
	use(dwarf_attr);             \
	use(dwarf_attr_integrate);   \
	use(dwarf_formstring);       \
	use(dwarf_formudata);        \
	use(dwarf_diename);          \
	use(dwarf_ranges);           \
	use(dwarf_getsrcfiles);      \
	use(dwarf_filesrc);          \
	use(dwarf_getsrc_die);       \
	use(dwarf_linesrc);          \
	use(dwarf_lineno);           \
	use(dwarf_setalt);           \
	use(dwelf_elf_gnu_build_id); \
	use(dwarf_getelf);           \
	use(dwelf_dwarf_gnu_debugaltlink)

#define SYC_DWARF_POINTER(name) __typeof__(name) *name
struct syc_dwarf_library {
	SYC_DWARF_FUNCTIONS(SYC_DWARF_POINTER);
};

/** Filled by syc_dwarf_library_load(). */
extern struct syc_dwarf_library syc_dwarf;
#endif

#endif
