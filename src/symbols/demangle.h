/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle.h - demangled names of C++, Rust, D and OCaml, and displayable texts.
 *
 * This library demangles both schemes of Rust, D and OCaml.  The C++ runtime demangles C++
 * names, in a limited child, because the runtime has no limits on memory or
 * time.  The first C++ name loads the runtime.  Without a C++ runtime, C++
 * names stay mangled.  Build and start need no C++ library.
 */
#ifndef SYC_SYMBOLS_DEMANGLE_H
#define SYC_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * Return the demangled name in memory from malloc().  Returns NULL if @name is
 * not mangled, has an unknown scheme, or no memory is left.  Context: offline.
 */
char *syc_demangle(const char *name);

/** Release the resources of the demangler until the next name. */
void syc_demangle_finish(void);

/** Return whether a C++ name stayed mangled because no library was found. */
bool syc_demangle_lacks_library(void);

/** The longest demangled name that is not C++, NUL included. */
#define SYC_DEMANGLE_MAX 4096u

/**
 * Demangle Rust's legacy scheme,
 * "_ZN3std2io5Write9write_all17h0123456789abcdefE", and its scheme v0,
 * "_RNvC3abc3def".  Stores a text of at most @size bytes, NUL included.
 * Returns false if @name has another scheme, or the text is too long.  The
 * function has no side effects.
 */
bool syc_demangle_rust_legacy(const char *name, char *text, size_t size);

/**
 * Demangle a name of D, "_D3abc3defFiZv", likewise.  Only names of functions and
 * variables are demangled.
 */
bool syc_demangle_d(const char *name, char *text, size_t size);

bool syc_demangle_rust_v0(const char *name, char *text, size_t size);

struct syc_demangle_text {
	char *bytes;
	size_t size, len; /* len < size */
	bool is_full;     /* the text did not fit and is unusable */
};

static inline void syc_demangle_add(struct syc_demangle_text *text,
                                    const char *bytes, size_t len)
{
	if (text->is_full || len >= text->size - text->len) {
		text->is_full = true;
		return;
	}
	memcpy(text->bytes + text->len, bytes, len);
	text->len += len;
	text->bytes[text->len] = 0;
}

/**
 * Add the character @point in UTF-8.  An invalid character makes the text
 * unusable.
 */
static inline void syc_demangle_add_point(struct syc_demangle_text *text,
                                          uint32_t point)
{
	char bytes[4];
	size_t len = 1;

	if (point == 0 || point > 0x10ffff ||
	    (point >= 0xd800 && point < 0xe000)) {
		text->is_full = true;
		return;
	}
	if (point < 0x80) {
		bytes[0] = (char)point;
	} else if (point < 0x800) {
		bytes[0] = (char)(0xc0 | point >> 6);
		len = 2;
	} else if (point < 0x10000) {
		bytes[0] = (char)(0xe0 | point >> 12);
		len = 3;
	} else {
		bytes[0] = (char)(0xf0 | point >> 18);
		len = 4;
	}
	for (size_t i = 1; i < len; i++)
		bytes[i] = (char)(0x80 | (point >> 6 * (len - 1 - i) & 0x3f));
	syc_demangle_add(text, bytes, len);
}

/*
 * Displayable texts: valid UTF-8 without control characters, at most
 * SYC_READABLE_MAX bytes with the NUL.  The functions return a text from
 * malloc(), or NULL if no memory is left.
 */

#define SYC_READABLE_MAX 4096u

/**
 * Return the symbol @name, demangled and without its version.  If @is_plt,
 * append "@plt": the symbol is the function that an entry of a procedure
 * linkage table calls.
 */
char *syc_readable_name(const char *name, bool is_plt);

/** Return any other text as a displayable text. */
char *syc_readable_text(const char *text);

/**
 * Return the text that Sysprof displays for code without a name, "In File
 * PATH+0xOFFSET".
 */
char *syc_readable_place(const char *path, uint64_t offset);

#endif
