/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest.h - a forked child in the arena of the process that forked it.
 *
 * A guest claims slots in the inherited mapping, and its frames go into the
 * capture of the arena's drainer.  A guest has no sink, no drain thread and no
 * ring file.  If a guest is impossible, or the child is to be private, the
 * child makes a session of its own.
 *
 * When the drainer has ended, or was killed, the first guest that notices takes
 * its place.  The rest of the frames, and later frames of all guests, go into
 * the new drainer's own capture.  A guest checks the drainer when one of its
 * rings fills up, when a thread wants a ring, and at its end.
 */
#ifndef SYC_SESSION_GUEST_H
#define SYC_SESSION_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"

/** Context of everything here: any-thread, signal-safe. */

/** syc_guest_invite() permits children to become guests, because the drain
 * thread runs. syc_guest_refuse() permits no more guests; SYC_ARENA_CLOSING
 * means that the drainer is about to end, and SYC_ARENA_CLOSED that there is no
 * drainer. */
void syc_guest_invite(struct syc_session *session);
void syc_guest_refuse(struct syc_session *session, uint32_t state);

/** A session for this process as a guest; NULL: the process has to make its
 * own. */
struct syc_session *syc_guest_make(const struct syc_plan *plan, int epoch);

/** Whether frames may go into a slot that was just claimed.  If false, the
 * caller returns the slot; @session may be no guest any more. */
bool syc_guest_may_use_slot(const struct syc_session *session);

/** The word of the drainer (ring_file.h), to be read after a claim of a slot,
 * or before the slots' words. */
static inline uint32_t syc_guest_drainer(const struct syc_session *session)
{
	return __atomic_load_n(&syc_arena_head(&session->arena)->drainer,
	                       __ATOMIC_SEQ_CST);
}

static inline bool syc_guest_is_drained(const struct syc_session *session)
{
	return syc_slot_state(syc_guest_drainer(session)) == SYC_ARENA_DRAINED;
}

/** Whether this process has any slot. */
bool syc_guest_has_slots(struct syc_session *guest);

/** Wait a little for processes that are counting strays; the drainer is
 * CLOSING. */
void syc_guest_settle_strays(struct syc_session *session);

/** Wake the drainer. */
void syc_guest_wake_drainer(struct syc_session *guest);

/**
 * Check from time to time whether a drainer exists.  If none exists, become the
 * drainer: @guest is no guest any more.  False: the takeover failed, and events
 * of this process need a session of its own.
 */
bool syc_guest_check(struct syc_session *guest, bool at_once);

/** Leave the session: events of this process go into another session from now
 * on. */
void syc_guest_leave(struct syc_session *guest);

/** The process exits: do syc_guest_check(), and if the drainer is about to end,
 * wait for its end, until @deadline at most. */
void syc_guest_end(struct syc_session *guest, int64_t deadline);

/** Wait until all frames of this process are drained.  Returns 0 or -EAGAIN. */
int syc_guest_flush(struct syc_session *guest, int64_t deadline);

#endif
