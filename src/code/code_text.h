/* SPDX-License-Identifier: BSD-2-Clause */
/* code_text.h - a name out of a file that nobody vouches for, fit to keep. */
#ifndef SYC_CODE_CODE_TEXT_H
#define SYC_CODE_CODE_TEXT_H

#include <stddef.h>

/** Longest name that is kept, as in stacks of runtimes. */
#define SYC_CODE_NAME_MAX 4095u

/**
 * Store what @from says in its @len bytes, up to a NUL, at @to, which has
 * room for SYC_CODE_NAME_MAX + 1 bytes: cut between characters, what is not
 * UTF-8 as U+FFFD, control characters as spaces, none of these at the ends.
 * Returns its length; a NUL follows.
 *
 * Context: offline.
 */
size_t syc_code_text_clean(char *to, const char *from, size_t len);

#endif
