/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * printable.h - texts of a capture on their way to a terminal.
 *
 * They are somebody else's: control characters are escaped, so that a text
 * cannot move the cursor, end a line or turn its direction, and what is not
 * UTF-8 is shown as U+FFFD.
 */
#ifndef SYC_CLI_PRINTABLE_H
#define SYC_CLI_PRINTABLE_H

#include <stdbool.h>
#include <stdio.h>

/** Write @text; with @quoted in double quotes, '"' and '\' escaped. */
void syc_printable_write(FILE *out, const char *text, bool quoted);

/** A malloc'ed copy of @text as syc_printable_write() writes it, or NULL. */
char *syc_printable_copy(const char *text);

#endif
