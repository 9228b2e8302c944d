/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * env.c - values of environment variables, and messages on stderr.
 *
 * A set-user-ID program ignores all of these variables.  The caller of such a
 * program must not be able to watch the program or make the program write into
 * an fd.
 */
#define _GNU_SOURCE
#include "os/env.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/text.h"

const char *syc_env_get(const char *name)
{
	if (getauxval(AT_SECURE) != 0 || environ == NULL)
		return NULL;
	/* getenv() is unsuitable, because shells define their own getenv() */
	for (char **at = environ; *at != NULL; at++) {
		size_t n = 0;

		while (name[n] != '\0' && (*at)[n] == name[n])
			n++;
		if (name[n] == '\0' && (*at)[n] == '=')
			return *at + n + 1;
	}
	return NULL;
}

uint64_t syc_env_number(const char *name)
{
	const char *text = syc_env_get(name);
	uint64_t n = 0;

	if (text == NULL)
		return 0;
	for (; *text >= '0' && *text <= '9' && n < UINT32_MAX; text++)
		n = n * 10 + (uint64_t)(*text - '0');
	return *text == '\0' ? n : 0;
}

int syc_env_parse_fd(const char *text)
{
	int fd = 0;

	if (text == NULL || *text == '\0')
		return -1;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9' || fd > (INT_MAX - 9) / 10)
			return -1;
		fd = fd * 10 + (*text - '0');
	}
	return fd > 2 ? fd : -1;
}

static bool wanted; /* debug messages are on; set before the first event */

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
