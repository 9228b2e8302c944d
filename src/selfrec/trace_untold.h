/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_untold.h - losses that a trace file's header keeps: base/header_losses.h.
 *
 * Context of all: any-thread, signal-safe.
 */
#ifndef SYC_SELFREC_TRACE_UNTOLD_H
#define SYC_SELFREC_TRACE_UNTOLD_H

#include <stdbool.h>

#include "ring/ring.h"

/**
 * Add @lost to those in the header of the file @fd, which can be read and
 * written.  0; -ENOTSUP: it has no place for them; or -errno.  Needs no lock.
 */
int syc_trace_untold_leave(int fd, const struct syc_ring_losses *lost);

/** Take what others left there.  False: nothing. */
bool syc_trace_untold_take(int fd, struct syc_ring_losses *ret_lost);

#endif
