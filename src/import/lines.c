/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.c - a text, line by line. */
#include "import/lines.h"

#include "capture/error.h"

/* Deep stacks of long names are long; what has no line's end is no text. */
#define LONGEST (UINT32_C(16) << 20)

static int fail(struct syc_import *import, int code, const char *what,
                struct syscap_error *error)
{
	if (code != EBADMSG)
		import->line = 0;
	return syc_error_set(error, code, 0, "%s", what);
}

int syc_line_next(struct syc_line *line, struct syc_import *import,
                  struct syscap_error *error)
{
	int c;

	line->text.n = 0;
	import->line++;
	errno = 0;
	while ((c = getc_unlocked(import->in)) != EOF && c != '\n') {
		if (line->text.n == LONGEST)
			return fail(import, EBADMSG, "the line is too long",
			            error);
		if (syc_array_push(&line->text, (char)(c == 0 ? 0xFF : c)) < 0)
			return fail(import, ENOMEM, "out of memory", error);
	}
	if (c == EOF && ferror(import->in) != 0)
		return fail(import, errno != 0 ? errno : EIO,
		            strerror(errno != 0 ? errno : EIO), error);
	if (c == EOF && line->text.n == 0)
		return 0;
	if (line->text.n > 0 && line->text.items[line->text.n - 1] == '\r')
		line->text.n--;
	if (syc_array_push(&line->text, '\0') < 0)
		return fail(import, ENOMEM, "out of memory", error);
	return 1;
}
