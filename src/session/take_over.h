/* SPDX-License-Identifier: BSD-2-Clause */
/* take_over.h - takeover of an inherited arena by its new drainer. */
#ifndef SYC_SESSION_TAKE_OVER_H
#define SYC_SESSION_TAKE_OVER_H

#include "session/session.h"

/**
 * @session is a guest.  Get a sink of its own, and the lock and the drainer's
 * private part of the ring file.  From then on the ring file belongs to the new
 * capture.  The caller has just become the arena's drainer.
 *
 * Returns 0, and the caller only has to clear is_guest; or -errno, without any
 * change.
 *
 * Context: any-thread, signal-safe.
 */
int syc_take_over_drain(struct syc_session *session);

#endif
