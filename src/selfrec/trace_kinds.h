/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_kinds.h - what trace_fd.c does differently by kind; not for others. */
#ifndef SYC_TRACE_KINDS_H
#define SYC_TRACE_KINDS_H

#include <syscap/format.h>

#include "selfrec/trace_fd.h"

/* All of this: signal-safe, and inside the record lock. */

/** Whether frames of ours can follow this header. */
static inline bool syc_trace_is_capture(const struct syscap_wire_file *header)
{
	return header->magic == SYSCAP_MAGIC && (header->little_endian & 1);
}

/**
 * Parameters and results of syc_trace_write(), but all or nothing is written.
 * @reader: a descriptor of the file that can be read, or -1.
 */
int syc_trace_file_write(struct syc_trace *trace, int reader,
                         const struct iovec *pieces, unsigned n, int64_t time,
                         int64_t now, int64_t deadline);

/** As syc_trace_write().  For sockets nobody has a lock. */
int syc_trace_stream_write(struct syc_trace *trace, const struct iovec *pieces,
                           unsigned n, int64_t time, int64_t deadline,
                           uint64_t *ret_done);

/**
 * Make a socket ours.  0; -EBUSY, another process had it, or this one's
 * predecessor; -EPIPE, a recording before this one stopped within a frame;
 * or -errno.
 */
int syc_trace_stream_claim(struct syc_trace *trace);

/** The stream is left as it is, maybe within a frame. */
void syc_trace_stream_leave(const struct syc_trace *trace);

#endif
