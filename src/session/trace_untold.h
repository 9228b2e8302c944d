/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_untold.h - losses that a trace file's header keeps: base/loss_record.h.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_SESSION_TRACE_UNTOLD_H
#define SYC_SESSION_TRACE_UNTOLD_H

#include <stdbool.h>

#include "ring/ring.h"

/**
 * Add @lost to the losses in the header of the file @fd, which can be read and
 * written.  Returns 0; -ENOTSUP: the header has no place for losses; or -errno.
 * Needs no lock.
 */
int syc_trace_untold_leave(int fd, const struct syc_ring_losses *lost);

/** Take the losses that others have left in the header.  False: none. */
bool syc_trace_untold_take(int fd, struct syc_ring_losses *ret_lost);

#endif
