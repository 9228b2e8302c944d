/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jitdump.h - reading of a growing jit-PID.dump, which a runtime writes for
 * perf.
 *
 * It has a header, and records with a length and a time of CLOCK_MONOTONIC.  So
 * a record can be read at any later time.  The runtime maps a page of the file
 * as code, and that mapping gives its path.  Both byte orders are supported.
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
 * Read the file @fd, which syc_jitdump_free() closes.  @pid is the process's
 * number in its own namespace, or 0.  Records with another pid than this and
 * that in the header are skipped.
 *
 * Context: offline.
 */
int syc_jitdump_new(int fd, int32_t pid, struct syc_jitdump **ret_dump);

void syc_jitdump_free(struct syc_jitdump *dump);

/**
 * Read the new complete records into @table.  Costs one system call if there
 * are none.  An incomplete record is left for the next call.
 *
 * Returns 0, or with @error: -EBADMSG: the file is no jitdump, or it is
 * damaged at the offset, and nothing behind that can be found; -EOPNOTSUPP: an
 * unknown clock or version; -ENOSPC: the table is full; or the errno of a
 * system call.  After a failure, every call returns the same.
 *
 * Context: offline.
 */
int syc_jitdump_read(struct syc_jitdump *dump, struct syc_code_table *table,
                     struct syscap_error *error);

/** The number of functions in the records so far. */
uint64_t syc_jitdump_loads(const struct syc_jitdump *dump);

/** Whether @path has the form .../jit-PID.dump. */
bool syc_jitdump_is_name(const char *path);

#endif
