/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle_cxx.h - C++ names, demangled by the C++ runtime in a child.
 *
 * A mangled name of some hundred bytes can stand for more text than there is
 * memory, and the runtime's demangler has no limits.  So a child process that
 * has limits does it, and names that it ends at stay mangled.
 */
#ifndef SYC_SYMBOLS_DEMANGLE_CXX_H
#define SYC_SYMBOLS_DEMANGLE_CXX_H

#include <stdbool.h>

/** As syc_demangle(), for names that begin with "_Z". */
char *syc_demangle_cxx(const char *name);

/** There is no C++ runtime; false before a name was met. */
bool syc_demangle_cxx_is_missing(void);

/** End the child, if there is one. */
void syc_demangle_cxx_stop(void);

#endif
