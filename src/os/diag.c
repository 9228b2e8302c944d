/* SPDX-License-Identifier: BSD-2-Clause */
/* diag.c - one-line messages on stderr. */
#include "os/diag.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "os/env.h"

static bool wanted; /* set once, before there are events */

void syc_diag_init(void)
{
	const char *value = syc_env_get(SYC_ENV_DEBUG);

	wanted = value != NULL && strcmp(value, "1") == 0;
}

void syc_diag_say(const char *what, const char *why)
{
	const int saved = errno;
	char line[256];

	if (!wanted)
		return;
	struct syc_text text = syc_text_begin(line, sizeof(line) - 1);
	syc_text_add(&text, "syscap[");
	syc_text_add_i64(&text, getpid());
	syc_text_add(&text, "]: ");
	syc_text_add(&text, what);
	if (why != NULL) {
		syc_text_add(&text, ": ");
		syc_text_add(&text, why);
	}
	*text.at++ = '\n';
	if (write(STDERR_FILENO, line, (size_t)(text.at - line)) < 0)
		errno = saved; /* stderr is closed */
	errno = saved;
}
