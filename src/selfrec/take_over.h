/* SPDX-License-Identifier: BSD-2-Clause */
/* take_over.h - a process becomes the drainer of the arena that it inherited. */
#ifndef SYC_SELFREC_TAKE_OVER_H
#define SYC_SELFREC_TAKE_OVER_H

#include "selfrec/session.h"

/**
 * @session is a guest.  Get a sink of its own and, of the ring file that it is
 * in, the lock and what only the drainer sees; from here on the file belongs to
 * the new capture.  The caller has just become the arena's drainer.
 *
 * Returns 0, and all that is left is to say that it is no guest any more; or
 * -errno: nothing was changed.
 *
 * Context: any-thread, signal-safe.
 */
int syc_take_over_drain(struct syc_session *session);

#endif
