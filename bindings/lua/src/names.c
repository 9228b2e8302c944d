/* SPDX-License-Identifier: BSD-2-Clause */
/* names.c - the name of a function in stacks: "draw (app.lua:12)", with the
 * line of its definition, or the running line. */
#include "names.h"

#include <stdio.h>
#include <string.h>

struct text {
	char bytes[256];
	size_t n;
};

static void add(struct text *text, const char *from)
{
	size_t n = strlen(from);

	if (n > sizeof(text->bytes) - text->n)
		n = sizeof(text->bytes) - text->n;
	memcpy(text->bytes + text->n, from, n);
	text->n += n;
}

int sl_names_push(struct syscap_stack_sink *sink, const char *name,
                  const char *source, int line)
{
	struct text text = { .n = 0 };
	char digits[16] = "";

	if (name == NULL)
		name = line == 0 ? "main chunk" : "function";
	add(&text, name);
	if (line == -1) {
		add(&text, " [C]");
	} else {
		add(&text, " (");
		add(&text, source);
		if (line > 0)
			snprintf(digits, sizeof(digits), ":%d", line);
		add(&text, digits);
		add(&text, ")");
	}
	const struct syscap_stack_frame frame = {
		.kind = SYSCAP_CALL_NAME,
		.value = syscap_jit_intern(text.bytes, text.n),
	};
	return syscap_stack_push(sink, &frame);
}
