/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * readable.h - the texts that the table of symbols has for functions.
 *
 * Valid UTF-8, no control characters, at most SYC_READABLE_MAX bytes with the
 * NUL; readers show them as they are.  All are from malloc(); NULL: no memory.
 */
#ifndef SYC_SYMBOLS_READABLE_H
#define SYC_SYMBOLS_READABLE_H

#include <stdbool.h>
#include <stdint.h>

#define SYC_READABLE_MAX 4096u

/**
 * The symbol @name without its version, demangled; with "@plt" behind it for
 * an entry of a procedure linkage table that calls it.
 */
char *syc_readable_name(const char *name, bool is_plt);

/** Any other text, as it is otherwise. */
char *syc_readable_text(const char *text);

/** What Sysprof shows for code without a name: "In File PATH+0xOFFSET". */
char *syc_readable_place(const char *path, uint64_t offset);

#endif
