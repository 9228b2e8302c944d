/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload.h - the preloaded library that samples any program; programs that
 * cannot load it, and processes without it.
 */
#ifndef SYC_RECORDER_PRELOAD_H
#define SYC_RECORDER_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array.h"

#define SYC_PRELOAD_SAMPLER "libsyscap-sampler.so"
#define SYC_PRELOAD_IO      "libsyscap-io.so" /* this library also samples */
#define SYC_PRELOAD_MEMORY \
	"libsyscap-memory.so" /* and all of the other two
	                       * libraries */

/** Whether @name is one of these libraries. */
bool syc_preload_is_library(const char *name);

/**
 * Find the library @name: in $SYSCAP_PRELOAD_DIR if set, otherwise relative to
 * this program or in the installation directory.  *@ret_value is the value of
 * LD_PRELOAD that loads the library before the present libraries.
 *
 * Returns 0 and a text to be freed; or -errno, with the reason in @why, of
 * @size bytes.
 */
int syc_preload_find(const char *name, char **ret_value, char *why,
                     size_t size);

/**
 * The reason why no library can be preloaded into @command, which is looked up
 * as by execvp(): "/usr/bin/x is statically linked".  False: there is no such
 * reason.
 */
bool syc_preload_refused(const char *command, char *why, size_t size);

/* Name of the sanitizer with a shared runtime. */
#define SYC_PRELOAD_ASAN "AddressSanitizer"

/**
 * The sanitizer with its own allocator that @command is built with:
 * SYC_PRELOAD_ASAN or another name; NULL: none.
 */
const char *syc_preload_sanitizer(const char *command);

/**
 * Whether @command has its own malloc(), which takes precedence over a
 * preloaded malloc().
 */
bool syc_preload_has_malloc(const char *command);

/* Processes of the command without the preloaded library. */

/** All zero: the processes were not examined yet. */
struct syc_unloaded {
	SYC_ARRAY(struct syc_unloaded_process) found;
	int64_t next, pause; /* ns: time of the next look, and pause after that
	                      * look */
};

/**
 * If a look is due, look for such processes among the command and its
 * descendants: often at first, then once a second.  A process that ends between
 * two looks is missed.  A process that is about to load its libraries is not
 * counted.
 */
void syc_unloaded_look(struct syc_unloaded *unloaded, int32_t command,
                       int64_t now);

unsigned syc_unloaded_count(const struct syc_unloaded *unloaded);

void syc_unloaded_free(struct syc_unloaded *unloaded);

#endif
