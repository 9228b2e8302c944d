/* SPDX-License-Identifier: BSD-2-Clause */
/* env.h - every environment variable that the library reads. */
#ifndef SC_ENV_H
#define SC_ENV_H

#include <stdint.h>

enum sc_env {
	SC_ENV_CONTROL_FD,
	SC_ENV_CONTROL_INODE,
	SC_ENV_TRACE_FD,
	SC_ENV_OUTPUT,
	SC_ENV_THREAD,
	SC_ENV_RING_KIB,
	SC_ENV_RUNTIME_DIR,
	SC_ENV_SAMPLE,
	SC_ENV_TOGGLE_SIGNAL,
	SC_ENV_DEBUG,
};

/**
 * The value of @variable, or NULL: not set, or the process is set-user-ID
 * (AT_SECURE) and the table says that it is not honoured there.
 *
 * Context: setup (getenv() races with setenv()).
 */
const char *sc_env_get(enum sc_env variable);

/** A decimal number; 0 where it is not set or not one.  Context: setup. */
uint64_t sc_env_number(enum sc_env variable);

/**
 * Parse a descriptor number: decimal digits and nothing else, above 2.
 * Returns it, or -1.
 */
int sc_env_parse_fd(const char *text);

#endif
