/* SPDX-License-Identifier: BSD-2-Clause */
/* demangle.c - what programmers call a function: which way. */
#define _GNU_SOURCE
#include "symbols/demangle.h"

#include <string.h>

#include "symbols/demangle_cxx.h"
#include "symbols/demangle_rust.h"

char *sc_demangle(const char *name)
{
	char text[SC_DEMANGLE_MAX];

	if (name[0] != '_')
		return NULL;
	if (sc_demangle_rust_legacy(name, text, sizeof(text)) ||
	    sc_demangle_rust_v0(name, text, sizeof(text)))
		return strdup(text);
	return name[1] == 'Z' ? sc_demangle_cxx(name) : NULL;
}

bool sc_demangle_lacks_library(void)
{
	return sc_demangle_cxx_is_missing();
}

void sc_demangle_finish(void)
{
	sc_demangle_cxx_stop();
}
