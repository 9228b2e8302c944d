/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload.h - the library that samples programs which know nothing of us,
 * and why there are programs that it cannot be loaded into.
 */
#ifndef SYC_RECORD_PRELOAD_H
#define SYC_RECORD_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

#define SYC_PRELOAD_SAMPLER "libsyscap-sampler.so"
#define SYC_PRELOAD_IO      "libsyscap-io.so"     /* and samples */
#define SYC_PRELOAD_MEMORY  "libsyscap-memory.so" /* and all that those do */

/**
 * Find the library @name: in $SYSCAP_PRELOAD_DIR, if that is set, and else from
 * where this program lies, or where it was to be installed.  The value of
 * LD_PRELOAD that loads it, in front of what is there already.
 *
 * Returns 0 and a text to be freed; or -errno, and says in @why, of @size
 * bytes, what is wrong.
 */
int syc_preload_find(const char *name, char **ret_value, char *why,
                     size_t size);

/**
 * Why nothing can be preloaded into @command, looked up as execvp() does:
 * "/usr/bin/x is statically linked".  False: there is no reason.
 */
bool syc_preload_refused(const char *command, char *why, size_t size);

#endif
