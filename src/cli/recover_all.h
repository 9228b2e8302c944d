/* SPDX-License-Identifier: BSD-2-Clause */
/* recover_all.h - `syscap recover --all`: whatever processes left. */
#ifndef SC_CLI_RECOVER_ALL_H
#define SC_CLI_RECOVER_ALL_H

#include <stdbool.h>

struct sc_recover_how {
	const char *command; /* argv[0]: "syscap recover" */
	bool dry;            /* change nothing, only tell */
	bool quiet;          /* tell only what is wrong */
	bool discard;        /* remove rings whose capture is gone */
};

/** Recover @file, and tell.  Returns the exit status. */
int sc_recover_one(const struct sc_recover_how *how, const char *file);

/**
 * All ring files in @n folders @dirs, or with 0 in those where the library
 * puts them.  Returns the exit status.
 */
int sc_recover_all(const struct sc_recover_how *how, char *const *dirs, int n);

#endif
