/* SPDX-License-Identifier: BSD-2-Clause */
/* recover_all.h - `syscap recover --all`: whatever processes left. */
#ifndef SYC_CLI_RECOVER_ALL_H
#define SYC_CLI_RECOVER_ALL_H

#include "cli/recover_one.h"

/**
 * All ring files in @n folders @dirs, or with 0 in those where the library
 * puts them.  Returns the exit status.
 */
int syc_recover_all(const struct syc_recover_how *how, char *const *dirs,
                    int n);

#endif
