/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_stream.h - send through a pipe or socket that SYSPROF_TRACE_FD names.
 *
 * Context of everything here: signal-safe, inside the record lock of a pipe.
 */
#ifndef SYC_SELFREC_TRACE_STREAM_H
#define SYC_SELFREC_TRACE_STREAM_H

#include <stdint.h>

#include "selfrec/batch.h"
#include "selfrec/trace.h"

/** As syc_trace_write().  For sockets nobody has a lock. */
int syc_trace_stream_write(struct syc_trace *trace, struct syc_batch *batch);

/**
 * Make a socket ours.  0; -EBUSY, another process had it, or this one's
 * predecessor; -EPIPE, a recording before this one stopped within a frame;
 * or -errno.
 */
int syc_trace_stream_claim(struct syc_trace *trace);

#endif
