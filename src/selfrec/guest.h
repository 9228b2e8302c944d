/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest.h - a forked child in the arena of the process that forked it.
 *
 * It claims slots in the mapping that it inherited, and its frames go into the
 * capture of whoever drains that: it has no sink, no drain thread and no ring
 * file.  Where that can't be, or the child is to be left alone, it makes a
 * session of its own.
 *
 * When the drainer has ended, or was killed, the first guest that finds so takes
 * its place: what is left goes into its own capture, and what all guests emit
 * from there on.  A guest looks when one of its rings fills up, a thread wants
 * one, and at its end.
 */
#ifndef SYC_SELFREC_GUEST_H
#define SYC_SELFREC_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "selfrec/session.h"

/** Context of all: any-thread, signal-safe. */

/** The drain thread runs: children may come as guests from now on; or no more,
 * SYC_ARENA_CLOSING, in its last moments, and _CLOSED: nobody drains. */
void syc_guest_invite(struct syc_session *session);
void syc_guest_refuse(struct syc_session *session, uint32_t state);

/** A session for this process as a guest; NULL: it has to make its own. */
struct syc_session *syc_guest_make(const struct syc_plan *plan, int epoch);

/** A slot was claimed: whether frames may go into it.  Else it is to be given
 * back; @session may be no guest any more. */
bool syc_guest_may_use_slot(const struct syc_session *session);

/** Who drains, as arena_head.h has it: behind a claim of a slot, or before the
 * words. */
static inline uint32_t syc_guest_drainer(const struct syc_session *session)
{
	return __atomic_load_n(&syc_arena_head(&session->arena)->drainer,
	                       __ATOMIC_SEQ_CST);
}

static inline bool syc_guest_is_drained(const struct syc_session *session)
{
	return syc_slot_state(syc_guest_drainer(session)) == SYC_ARENA_DRAINED;
}

/** Whether any slot is this process'. */
bool syc_guest_has_slots(struct syc_session *guest);

/** Who drains is CLOSING: wait a little for those who count just now. */
void syc_guest_settle_strays(struct syc_session *session);

/** Have the drainer look. */
void syc_guest_wake_drainer(struct syc_session *guest);

/**
 * See whether anybody drains, but not often.  If nobody does, take the
 * drainer's place: @guest is no guest any more.  False: that failed, and events
 * of this process need a session of its own.
 */
bool syc_guest_check(struct syc_session *guest, bool at_once);

/** Events of this process go elsewhere from now on. */
void syc_guest_leave(struct syc_session *guest);

/** The process exits: as syc_guest_check(), and if who drains is about to end,
 * wait for that.  Until @deadline at most. */
void syc_guest_end(struct syc_session *guest, int64_t deadline);

/** Wait until what this process has emitted is drained.  0 or -EAGAIN. */
int syc_guest_flush(struct syc_session *guest, int64_t deadline);

#endif
