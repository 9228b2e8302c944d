/* SPDX-License-Identifier: BSD-2-Clause */
/* everywhere.h - threads that emit through all copies, for a capture. */
#ifndef SYSCAP_EVERYWHERE_H
#define SYSCAP_EVERYWHERE_H

#include "share/census.h"
#include "share/parts.h"

#define EVERYWHERE_THREADS 4
#define EVERYWHERE_EVENTS  200

/** Load all; @first: a digit, through which one each thread begins to emit,
 * or "". */
void everywhere_load(const struct part *ret_parts[PARTS_ALL],
                     const char *first);

/** Marks, logs, counters and samples through each copy. */
void everywhere_emit(unsigned emitter);
/** The same in threads: emitters from @first on. */
void everywhere_run_threads(unsigned first);

/**
 * The capture at @path has all that everywhere_run_threads(@first) emitted,
 * nothing of emitter 9, and @n_names more names.
 */
void everywhere_check(struct census *ret_census, const char *path,
                      unsigned first, unsigned n_names);

#endif
