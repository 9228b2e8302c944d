/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle.h - what programmers call a function that compilers call otherwise.
 *
 * Rust, both manglings, is done by us.  C++ is done by the C++ runtime, which
 * is loaded when the first such name is met, in a child process, since it has
 * no limits of its own: so nothing of C++ is needed to build or to start, and
 * where there is no such library C++ names stay what the symbol table has.
 */
#ifndef SYC_SYMBOLS_DEMANGLE_H
#define SYC_SYMBOLS_DEMANGLE_H

#include <stdbool.h>

/**
 * The name in memory from malloc(), or NULL: @name is not mangled, not in a
 * way that is known, or there is no memory.  Context: offline.
 */
char *syc_demangle(const char *name);

/** No more names for now: what they needed is given back. */
void syc_demangle_finish(void);

/** A C++ name was met, and no library to demangle it was found. */
bool syc_demangle_lacks_library(void);

#endif
