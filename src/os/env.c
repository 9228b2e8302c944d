/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * env.c - the table of environment variables, and messages on stderr.
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

static const char names[][21] = {
	/* fd of a recorder's control socket */
	[SYC_ENV_CONTROL_FD] = "SYSPROF_CONTROL_FD",
	/* NUMBER:INODE of the control socket's fd */
	[SYC_ENV_CONTROL_INODE] = "SYSCAP_CONTROL_INODE",
	/* path of the recorder's listening socket */
	[SYC_ENV_RECORDER] = "SYSCAP_RECORDER",
	/* bytes of each ring that the process passes to the recorder */
	[SYC_ENV_ARENA] = "SYSCAP_ARENA",
	/* fd to write a capture to */
	[SYC_ENV_TRACE_FD] = "SYSPROF_TRACE_FD",
	/* name of a capture to write */
	[SYC_ENV_OUTPUT] = "SYSCAP_OUTPUT",
	/* 1: a recorder may begin a recording later */
	[SYC_ENV_ATTACH] = "SYSCAP_ATTACH",
	/* 0: the library starts no thread, and the program calls
	 * syscap_drain() */
	[SYC_ENV_THREAD] = "SYSCAP_THREAD",
	/* performance counters of the kernel to read, if their reader is
	 * linked */
	[SYC_ENV_COUNTERS] = "SYSCAP_COUNTERS",
	/* size of each thread's ring */
	[SYC_ENV_RING_KIB] = "SYSCAP_RING_KIB",
	/* directory of ring files */
	[SYC_ENV_RUNTIME_DIR] = "XDG_RUNTIME_DIR",
	/* number of samples per second, and the clock and signal of ticks */
	[SYC_ENV_SAMPLE] = "SYSCAP_SAMPLE",
	/* number of the signal that begins and ends sampling */
	[SYC_ENV_TOGGLE_SIGNAL] = "SYSCAP_TOGGLE_SIGNAL",
	/* record all allocations, or one per this many bytes; preloaded library
	 * only */
	[SYC_ENV_MEMORY] = "SYSCAP_MEMORY",
	/* record calls that block for longer than this many ns; preloaded
	 * library only */
	[SYC_ENV_IO] = "SYSCAP_IO",
	/* record iterations of a loop that take longer than this many ms;
	 * preloaded library only */
	[SYC_ENV_STALLS] = "SYSCAP_STALLS",
	/* 1: record messages to GLib, syslog() and the journal; preloaded
	 * library only */
	[SYC_ENV_LOGS] = "SYSCAP_LOGS",
	/* 1: report on stderr the reasons why recording and sampling are on or
	 * off */
	[SYC_ENV_DEBUG] = "SYSCAP_DEBUG",
};

const char *syc_env_get(enum syc_env variable)
{
	const char *const name = names[variable];

	if (getauxval(AT_SECURE) != 0 || environ == NULL)
		return NULL;
	/* getenv() is unsuitable, because shells define a getenv() of their
	 * own */
	for (char **at = environ; *at != NULL; at++) {
		size_t n = 0;

		while (name[n] != '\0' && (*at)[n] == name[n])
			n++;
		if (name[n] == '\0' && (*at)[n] == '=')
			return *at + n + 1;
	}
	return NULL;
}

uint64_t syc_env_number(enum syc_env variable)
{
	const char *text = syc_env_get(variable);
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
