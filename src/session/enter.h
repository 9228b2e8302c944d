/* SPDX-License-Identifier: BSD-2-Clause */
/* enter.h - the session of this process, made at its first use. */
#ifndef SYC_SESSION_ENTER_H
#define SYC_SESSION_ENTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/session.h"

/**
 * The session of the present epoch, made if missing; a forked child may be a
 * guest (guest.h).  NULL: no session is possible.  The caller always calls
 * syc_session_leave() after use.
 *
 * Context: any-thread, signal-safe, signals blocked.
 */
struct syc_session *syc_session_enter(void);

/**
 * Make a session that replaces @guest, of the present @epoch, which finds no
 * slot.  False: no session can be made, and the process stays a guest.
 *
 * Context: any-thread, signal-safe, signals blocked, inside of
 * syc_session_enter().
 */
bool syc_session_replace(const struct syc_session *guest, int epoch);

/** Count a loss without a slot in a place that the drainer, or the recovery,
 * reads.  False: there is no such place.  Context: any-thread, signal-safe. */
bool syc_session_count_stray(uint8_t kind, uint32_t len, int64_t time);

/** Number of bytes written so far, and the path, for syscap_get_stats(). */
uint64_t syc_session_written(char *path, size_t size);

#endif
