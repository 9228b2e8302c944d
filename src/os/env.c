/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * env.c - the table of environment variables.
 *
 * A set-user-ID program ignores all of them.  Its caller must not be able to
 * make it write into a descriptor, or to watch it.
 */
#define _GNU_SOURCE
#include "os/env.h"

#include <limits.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char names[][24] = {
	/* descriptor of a recorder's control socket */
	[SYC_ENV_CONTROL_FD] = "SYSPROF_CONTROL_FD",
	/* NUMBER:INODE, which socket that descriptor is */
	[SYC_ENV_CONTROL_INODE] = "SYSCAP_CONTROL_INODE",
	/* path of the socket that the recorder listens on */
	[SYC_ENV_RECORDER] = "SYSCAP_RECORDER",
	/* bytes of each ring that it would like to be handed over */
	[SYC_ENV_ARENA] = "SYSCAP_ARENA",
	/* descriptor to write a capture to */
	[SYC_ENV_TRACE_FD] = "SYSPROF_TRACE_FD",
	/* name of a capture to write */
	[SYC_ENV_OUTPUT] = "SYSCAP_OUTPUT",
	/* 0: no thread of ours, the program calls syscap_drain() */
	[SYC_ENV_THREAD] = "SYSCAP_THREAD",
	/* what is read of the kernel's counters, where that was linked */
	[SYC_ENV_COUNTERS] = "SYSCAP_COUNTERS",
	/* size of each thread's ring */
	[SYC_ENV_RING_KIB] = "SYSCAP_RING_KIB",
	/* where ring files go */
	[SYC_ENV_RUNTIME_DIR] = "XDG_RUNTIME_DIR",
	/* samples a second, and by which clock and signal */
	[SYC_ENV_SAMPLE] = "SYSCAP_SAMPLE",
	/* number of the signal that begins and ends sampling */
	[SYC_ENV_TOGGLE_SIGNAL] = "SYSCAP_TOGGLE_SIGNAL",
	/* all allocations, or one of so many bytes: where we are preloaded */
	[SYC_ENV_MEMORY] = "SYSCAP_MEMORY",
	/* calls that block for longer than so many ns: where we are preloaded */
	[SYC_ENV_IO] = "SYSCAP_IO",
	/* iterations of a loop that take longer than so many ms: there, too */
	[SYC_ENV_STALLS] = "SYSCAP_STALLS",
	/* 1: what is said through GLib, syslog() and to the journal: there,
	 * too */
	[SYC_ENV_LOGS] = "SYSCAP_LOGS",
	/* 1: say on stderr why recording and sampling are on or off */
	[SYC_ENV_DEBUG] = "SYSCAP_DEBUG",
};

const char *syc_env_get(enum syc_env variable)
{
	const char *const name = names[variable];

	if (getauxval(AT_SECURE) != 0 || environ == NULL)
		return NULL;
	/* Not getenv(): shells have one of their own */
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
