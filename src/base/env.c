/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * env.c - the table of environment variables.
 *
 * A set-user-ID program ignores all of them: whoever starts it must not be
 * able to make it write into a descriptor or tell what it does.
 */
#include "base/env.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>

static const struct {
	const char *name;
	bool in_setuid;
} variables[] = {
	/* descriptor of a recorder's control socket */
	[SC_ENV_CONTROL_FD] = { "SYSPROF_CONTROL_FD", false },
	/* 1: say on stderr why recording is on or off */
	[SC_ENV_DEBUG] = { "SYSCAP_DEBUG", false },
};

const char *sc_env_get(enum sc_env variable)
{
	if (!variables[variable].in_setuid && getauxval(AT_SECURE) != 0)
		return NULL;
	return getenv(variables[variable].name);
}

int sc_env_parse_fd(const char *text)
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
