/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.h - a text, line by line. */
#ifndef SYC_IMPORT_LINES_H
#define SYC_IMPORT_LINES_H

#include "data/array.h"
#include "import/import.h"

/** All zero is empty; free(items). */
struct syc_line {
	SYC_ARRAY(char) text;
};

/**
 * The next line without its end, with a NUL behind it; a NUL in it becomes
 * 0xFF, which no text has.  1; 0 at the end; -EBADMSG: it is too long; -ENOMEM;
 * what reading said.
 */
int syc_line_next(struct syc_line *line, struct syc_import *import,
                  struct syscap_error *error);

#endif
