/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_stream.h - writer to a pipe or socket that SYSPROF_TRACE_FD names.
 *
 * Context of everything here: signal-safe, inside the record lock of a pipe.
 */
#ifndef SYC_SESSION_TRACE_STREAM_H
#define SYC_SESSION_TRACE_STREAM_H

#include <stdint.h>

#include "session/batch.h"
#include "session/trace.h"

/** Like syc_trace_write().  Sockets have no lock. */
int syc_trace_stream_write(struct syc_trace *trace, struct syc_batch *batch);

/**
 * Claim a socket.  Returns 0; -EBUSY: another process, or this process before
 * an exec, has claimed the socket; -EPIPE: an earlier recording stopped within
 * a frame; or -errno.
 */
int syc_trace_stream_claim(struct syc_trace *trace);

#endif
