/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jitdump.h - follow a jit-PID.dump, which a runtime writes for perf.
 *
 * A header and records, each with a length and a time of CLOCK_MONOTONIC, so
 * that what it tells is good from the right time on however late it is read.
 * The runtime maps a page of it as code, by which it is found.  Either byte
 * order is read.
 */
#ifndef SYC_CODE_JITDUMP_H
#define SYC_CODE_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "code/code_table.h"

struct syc_jitdump;

/**
 * Follow the file @fd, which is closed by syc_jitdump_free().  @pid is the
 * process's own idea of its number, or 0: of records by other processes than
 * it and the header's nothing is taken.
 *
 * Context: offline.
 */
int syc_jitdump_new(int fd, int32_t pid, struct syc_jitdump **ret_dump);
void syc_jitdump_free(struct syc_jitdump *dump);

/**
 * Read the whole records that are new into @table.  Costs one system call
 * where there are none.  One whose end is not there yet is left for later.
 *
 * Returns 0; with @error: -EBADMSG, the file is no jitdump or damaged at the
 * offset, beyond which nothing can be found; -EOPNOTSUPP, times of a clock of
 * its own, or a version that is not known; -ENOSPC, the table is full; or a
 * system call's failure.  After a failure it is not read any more, and every
 * call returns the same.
 *
 * Context: offline.
 */
int syc_jitdump_read(struct syc_jitdump *dump, struct syc_code_table *table,
                     struct syscap_error *error);

/** How much code the records that were read have told of. */
uint64_t syc_jitdump_loads(const struct syc_jitdump *dump);

/** Whether @path is of the form .../jit-PID.dump. */
bool syc_jitdump_is_name(const char *path);

#endif
