/* SPDX-License-Identifier: BSD-2-Clause */
/* demangle_rust.h - names of Rust, which has two manglings. */
#ifndef SYC_SYMBOLS_DEMANGLE_RUST_H
#define SYC_SYMBOLS_DEMANGLE_RUST_H

#include <stdbool.h>
#include <stddef.h>

/** Longest text that Rust's names are made into, its NUL included. */
#define SYC_DEMANGLE_MAX 4096u

/**
 * Rust's: "_ZN3std2io5Write9write_all17h0123456789abcdefE", and "_RNvC3abc3def"
 * (v0).  Stores a text of at most @size bytes, its NUL included.  False: it is
 * none of these, or too long.  Pure.
 */
bool syc_demangle_rust_legacy(const char *name, char *text, size_t size);
bool syc_demangle_rust_v0(const char *name, char *text, size_t size);

#endif
