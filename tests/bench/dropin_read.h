/* SPDX-License-Identifier: BSD-2-Clause */
/* dropin_read.h - reads of a large capture with two libraries, in turns. */
#ifndef BENCH_DROPIN_READ_H
#define BENCH_DROPIN_READ_H

#include "bench/dropin_ops.h"

/**
 * Print the rows; @theirs may be NULL.  Returns 0, or 1 if a reader did not see
 * all frames, or the file could not be made.
 *
 * BENCH_READ_MB is the size of the file (1024; 0: skip the benchmark),
 * BENCH_SCRATCH its directory (TMPDIR, /tmp).
 */
int dropin_read(const struct dropin_ops *ours, const struct dropin_ops *theirs);

#endif
