/* SPDX-License-Identifier: BSD-2-Clause */
/* everywhere.h - threads that emit through all copies, for a capture. */
#ifndef SYSCAP_EVERYWHERE_H
#define SYSCAP_EVERYWHERE_H

#include "copies/census.h"
#include "copies/parts.h"

#define EVERYWHERE_THREADS 4
#define EVERYWHERE_EVENTS  200

/** Load all copies; @first: a digit, the copy of each thread's first event, or
 * "". */
void everywhere_load(const struct part *ret_parts[PARTS_ALL],
                     const char *first);

/** Marks, logs, counters and samples through each copy. */
void everywhere_emit(unsigned emitter);
/** Emit like everywhere_emit() in several threads, with emitters from @first
 * on. */
void everywhere_run_threads(unsigned first);

/**
 * Checks that the capture at @path has all events of
 * everywhere_run_threads(@first), none of emitter 9, and @n_names more names.
 */
void everywhere_check(struct census *ret_census, const char *path,
                      unsigned first, unsigned n_names);

#endif
