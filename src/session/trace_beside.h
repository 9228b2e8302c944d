/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_beside.h - writes to a file of SYSPROF_TRACE_FD beside another
 * library's writer.
 *
 * We write at the end of the file, and move no shared position.  Another
 * library's writer with the same description empties the file at its begin, and
 * then writes at the description's position, over any bytes.  Such a writer
 * exists if the position is not 0, and the file's header has no mark of ours.
 * From then on we write at this position, too: the kernel serializes the
 * write() calls, so that all frames are contiguous.
 *
 * Frames from before the emptying are lost, and a killed writer's partial frame
 * is not cut off any more.  Two writers may get the same position of a memfd,
 * so we stop writing to a memfd.
 *
 * Context of everything here: signal-safe, inside the record lock.
 */
#ifndef SYC_SESSION_TRACE_BESIDE_H
#define SYC_SESSION_TRACE_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/batch.h"
#include "session/trace.h"

/** Whether another library's writer exists.  @reader: a readable fd of the
 * file, or -1. */
bool syc_trace_beside_is(const struct syc_trace *trace, int reader);

/** Like syc_trace_write() for a stream; or -EBUSY: the file is a memfd. */
int syc_trace_beside_write(struct syc_trace *trace, struct syc_batch *batch);

/** Cut off our bytes, because the other writer began while we wrote at the end.
 * Returns -EAGAIN. */
int syc_trace_beside_take_back(struct syc_trace *trace);

#endif
