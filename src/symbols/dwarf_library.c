/* SPDX-License-Identifier: BSD-2-Clause */
/* dwarf_library.c - elfutils' libdw, if it is here. */
#include "symbols/dwarf_library.h"

#ifdef SYC_HAVE_LIBDW

#include <dlfcn.h>
#include <string.h>

struct syc_dwarf_library syc_dwarf;

static bool load_function(void *library, const char *name, void *to)
{
	void *const symbol = dlsym(library, name);

	memcpy(to, &symbol, sizeof(symbol));
	return symbol != NULL;
}

const char *syc_dwarf_library_load(void)
{
	static bool is_tried, is_there;
	void *library;

	if (!is_tried) {
		is_tried = true;
		library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
		is_there = library != NULL;
#define LOAD(name) \
	is_there = is_there && load_function(library, #name, &syc_dwarf.name)
		SYC_DWARF_FUNCTIONS(LOAD);
#undef LOAD
	}
	return is_there ? NULL : "libdw.so.1 of elfutils is not here";
}

#else

const char *syc_dwarf_library_load(void)
{
	return "this syscap was built without libdw (Debian: libdw-dev)";
}

#endif
