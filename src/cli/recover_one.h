/* SPDX-License-Identifier: BSD-2-Clause */
/* recover_one.h - `syscap recover FILE`: one file, and what is told of it. */
#ifndef SYC_CLI_RECOVER_ONE_H
#define SYC_CLI_RECOVER_ONE_H

#include <stdbool.h>

struct syc_recover_how {
	const char *command; /* argv[0]: "syscap recover" */
	bool dry;            /* change nothing, only tell */
	bool quiet;          /* tell only what is wrong */
	bool discard;        /* remove rings whose capture is gone */
};

/** Recover @file, and tell.  Returns the exit status. */
int syc_recover_one(const struct syc_recover_how *how, const char *file);

#endif
