/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_file.h - writer to a file or memfd that SYSPROF_TRACE_FD names. */
#ifndef SYC_SESSION_TRACE_FILE_H
#define SYC_SESSION_TRACE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/batch.h"
#include "session/trace.h"

/** Whether the header has the mark of this library's writers. */
bool syc_trace_file_has_mark(const struct syscap_wire_file *header);

/**
 * Like syc_trace_write(), but for a file: writes all or nothing.  @reader: a
 * readable fd of the file, or -1.
 *
 * Context: signal-safe, inside the record lock.
 */
int syc_trace_file_write(struct syc_trace *trace, int reader,
                         struct syc_batch *batch);

#endif
