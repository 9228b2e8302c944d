/* SPDX-License-Identifier: BSD-2-Clause */
/* demangle.c - what programmers call a function: which way. */
#define _GNU_SOURCE
#include "symbols/demangle.h"

#include <string.h>

#include "symbols/demangle_cxx.h"
#include "symbols/demangle_rust.h"

char *syc_demangle(const char *name)
{
	char text[SYC_DEMANGLE_MAX];

	if (name[0] != '_')
		return NULL;
	if (syc_demangle_rust_legacy(name, text, sizeof(text)) ||
	    syc_demangle_rust_v0(name, text, sizeof(text)))
		return strdup(text);
	return name[1] == 'Z' ? syc_demangle_cxx(name) : NULL;
}

bool syc_demangle_lacks_library(void)
{
	return syc_demangle_cxx_is_missing();
}

void syc_demangle_finish(void)
{
	syc_demangle_cxx_stop();
}
