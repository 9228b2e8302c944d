/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * env.h - every environment variable that the library reads, and the messages
 * that SYSCAP_DEBUG=1 switches on.
 */
#ifndef SYC_OS_ENV_H
#define SYC_OS_ENV_H

#include <stdint.h>

enum syc_env {
	SYC_ENV_CONTROL_FD,
	SYC_ENV_CONTROL_INODE,
	SYC_ENV_RECORDER,
	SYC_ENV_ARENA,
	SYC_ENV_TRACE_FD,
	SYC_ENV_OUTPUT,
	SYC_ENV_ATTACH,
	SYC_ENV_THREAD,
	SYC_ENV_COUNTERS,
	SYC_ENV_RING_KIB,
	SYC_ENV_RUNTIME_DIR,
	SYC_ENV_SAMPLE,
	SYC_ENV_TOGGLE_SIGNAL,
	SYC_ENV_MEMORY,
	SYC_ENV_IO,
	SYC_ENV_STALLS,
	SYC_ENV_LOGS,
	SYC_ENV_DEBUG,
};

/**
 * Get the value of @variable.  Returns NULL if @variable is not set, or the
 * process is set-user-ID (AT_SECURE).
 *
 * Context: setup (getenv() races with setenv()).
 */
const char *syc_env_get(enum syc_env variable);

/** Get the variable's decimal number.  Returns 0 if the variable is unset or
 * not a number.  Context: setup. */
uint64_t syc_env_number(enum syc_env variable);

/**
 * Parse the decimal number of an fd above 2.  Returns the fd, or -1 if @text is
 * anything else.
 */
int syc_env_parse_fd(const char *text);

/** Read SYSCAP_DEBUG.  Context: setup. */
void syc_diag_init(void);

/**
 * If SYSCAP_DEBUG is 1, write @what, and @why unless NULL, to stderr, as one
 * line by one write().
 *
 * Context: any-thread, signal-safe.
 */
void syc_diag_say(const char *what, const char *why);

#endif
