/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.h - loader of copies of the library, and checks of their process. */
#ifndef SYSCAP_PARTS_H
#define SYSCAP_PARTS_H

#include <stddef.h>
#include <sys/types.h>

#include "copies/copies.h"
#include "copies/part.h"
#include "harness/tsan.h"

/** The copy in copies_@name.so beside this program. */
const struct part *parts_load(const char *name);
/** The copy in copies_@name.so, with a handle for dlclose(). */
const struct part *parts_open(const char *name, void **ret_handle);
/** The copy in the file @path. */
const struct part *parts_open_path(const char *path, void **ret_handle);
/** The name of copies_@name.so, in a buffer of 4096 bytes. */
const char *parts_path(char *buffer, const char *name);

/** The copy of the program itself; NULL: the program has no copy. */
const struct part *parts_program(void);

/** "program", "a", "b" and "c", which act as one. */
#define PARTS_ALL 4
const char *parts_name(unsigned i);

/** Load all four copies, in the order of parts_name(). */
void parts_load_all(const struct part *ret_parts[PARTS_ALL]);

/** Emit @n marks, logs and counters through @part, from number @first on. */
void parts_emit(const struct part *part, unsigned emitter, unsigned first,
                unsigned n);

/** Checks that each of @parts acts as one of @n_copies, and reports this
 * number. */
void parts_check_together(const struct part *const *parts, unsigned n,
                          unsigned n_copies);

/** Checks that @part works alone, with a reason that contains @words. */
void parts_check_alone(const struct part *part, const char *words);

/** Number of lines of /proc/self/maps that contain @text; *@ret_files: number
 * of files in these lines. */
unsigned parts_count_maps(const char *text, unsigned *ret_files);

/** Number of this process's threads named @name. */
unsigned parts_count_threads(const char *name);

/** Wait for @pid, which must exit with 0. */
void parts_wait(pid_t pid);

#endif
