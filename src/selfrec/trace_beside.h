/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_beside.h - write into a file of SYSPROF_TRACE_FD beside somebody who
 * is none of us.
 *
 * We write at the end of the file, and move nobody's position.  Another
 * library's writer that has the same description empties the file when it
 * begins, and then writes at the description's position, whatever is there by
 * then.  It is known by a position that is not 0, of a file whose header has
 * no mark of ours.  From then on we write there, too: the kernel lets one
 * write() after the other have the position, so that all frames lie in a row.
 *
 * What was written before it emptied the file is gone, and what a writer that
 * is killed leaves of a frame is not cut off any more.  A memfd's position is
 * given to two at the same time: there we write no more.
 *
 * Context of all: signal-safe, inside the record lock.
 */
#ifndef SYC_SELFREC_TRACE_BESIDE_H
#define SYC_SELFREC_TRACE_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "selfrec/batch.h"
#include "selfrec/trace.h"

/** Whether there is somebody.  @reader: a descriptor of the file that can be
 * read, or -1. */
bool syc_trace_beside_is(const struct syc_trace *trace, int reader);

/** As syc_trace_write(), of a stream; or -EBUSY: it is a memfd. */
int syc_trace_beside_write(struct syc_trace *trace, struct syc_batch *batch);

/** It came while we wrote at the end: cut that off.  -EAGAIN. */
int syc_trace_beside_take_back(struct syc_trace *trace);

#endif
