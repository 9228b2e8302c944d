/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle.h - what programmers call a function that compilers call otherwise.
 *
 * Rust, both manglings, is done here.  C++ is done by the C++ runtime, which
 * is loaded when the first such name is met, in a child process, since it has no
 * limits of its own: so nothing of C++ is needed to
 * build or to start, and where there is no such library C++ names stay what
 * the symbol table has.
 */
#ifndef SC_SYMBOLS_DEMANGLE_H
#define SC_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/** Longest text that Rust's names are made into, its NUL included. */
#define SC_DEMANGLE_MAX 4096u

/**
 * The name in memory from malloc(), or NULL: @name is not mangled, not in a
 * way that is known, or there is no memory.  Context: offline.
 */
char *sc_demangle(const char *name);

/** No more names for now: what they needed is given back. */
void sc_demangle_finish(void);

/** A C++ name was met, and no library to demangle it was found. */
bool sc_demangle_lacks_library(void);

/**
 * Rust's: "_ZN3std2io5Write9write_all17h0123456789abcdefE", and "_RNvC3abc3def"
 * (v0).  Stores a text of at most @size bytes, its NUL included.  False: it is
 * none of these, or too long.  Pure.
 */
bool sc_demangle_rust_legacy(const char *name, char *text, size_t size);
bool sc_demangle_rust_v0(const char *name, char *text, size_t size);

#endif
