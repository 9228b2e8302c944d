/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_kinds.h - what trace_fd.c does differently by kind; not for others. */
#ifndef SC_TRACE_KINDS_H
#define SC_TRACE_KINDS_H

#include "sink/trace_fd.h"

/* Both inside the record lock; parameters and results of sc_trace_write(). */
int sc_trace_file_write(struct sc_trace *trace, const struct iovec *pieces,
                        unsigned n, int64_t time, int64_t now);
int sc_trace_stream_write(struct sc_trace *trace, const struct iovec *pieces,
                          unsigned n, int64_t time, int64_t deadline,
                          uint64_t *ret_done);

/** Whether a socket was given to another process; else it is ours now. */
bool sc_trace_stream_is_taken(struct sc_trace *trace);

#endif
