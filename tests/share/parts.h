/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.h - load copies of the library, and look at the process they share. */
#ifndef SYSCAP_PARTS_H
#define SYSCAP_PARTS_H

#include <stddef.h>
#include <sys/types.h>

#include "harness/tsan.h"
#include "share/number.h"
#include "share/part.h"

/** The copy in copies_@name.so beside this program. */
const struct part *parts_load(const char *name);
/** The same, to be closed. */
const struct part *parts_open(const char *name, void **ret_handle);
/** Any file. */
const struct part *parts_open_path(const char *path, void **ret_handle);
/** The name of copies_@name.so, in a buffer of 4096 bytes. */
const char *parts_path(char *buffer, const char *name);

/** The copy of the program itself; NULL where it has none. */
const struct part *parts_program(void);

/** "program", "a", "b" and "c", which act as one. */
#define PARTS_ALL 4
const char *parts_name(unsigned i);

/** All four, as their names. */
void parts_load_all(const struct part *ret_parts[PARTS_ALL]);

/** Emit through @part, from @first on: marks, logs and counters. */
void parts_emit(const struct part *part, unsigned emitter, unsigned first,
                unsigned n);

/** Each of these acts as one with @n_copies, and says so. */
void parts_check_together(const struct part *const *parts, unsigned n,
                          unsigned n_copies);

/** @part works alone and says a reason that has @words in it. */
void parts_check_alone(const struct part *part, const char *words);

/** Lines of /proc/self/maps that have @text in them, and how many different
 * files they are of. */
unsigned parts_count_maps(const char *text, unsigned *ret_files);

/** Threads of this process that are named @name. */
unsigned parts_count_threads(const char *name);

/** Wait for @pid, which ends with 0. */
void parts_wait(pid_t pid);

#endif
