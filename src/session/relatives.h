/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relatives.h - the forked processes that have slots in this process' arena.
 *
 * Relatives are found by the words of the slots, which are trusted unless /proc
 * contradicts them.  Before a relative's other frames the capture has its
 * PROCESS frame, and MAP frames of the image that it shares with us.  A
 * relative's EXIT is after its last frame.
 *
 * Context of everything here: the drainer.
 */
#ifndef SYC_SESSION_RELATIVES_H
#define SYC_SESSION_RELATIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"

/** Interval of checks for ended relatives. */
#define SYC_RELATIVES_LOOK_NS INT64_C(400000000)

/** Before the rings are read: find new relatives, and write the frames about
 * these relatives.  Check for ended relatives, if a check is due or
 * @at_once. */
void syc_relatives_meet(struct syc_session *session, int64_t now, bool at_once);

/** Whether frames of @pid may go into the sink: @pid is this process, or a
 * known relative. */
bool syc_relatives_knows(const struct syc_session *session, int32_t pid);

/** Whether @pid, from a slot's word that was read before, has ended.  If true,
 * no process writes into the slot. */
bool syc_relatives_is_gone(struct syc_session *session, int32_t pid);

/** After the rings are read: write EXIT for relatives that have ended, and have
 * no slot any more. */
void syc_relatives_part(struct syc_session *session, int64_t now);

/** Whether a check for ended relatives is due. */
static inline bool syc_relatives_are_due(const struct syc_session *session,
                                         int64_t now)
{
	return session->relatives.n != 0 &&
	       now - session->relatives.looked_at >= SYC_RELATIVES_LOOK_NS;
}

/** Write the frames about relatives anew, because the capture no longer has
 * these frames. */
static inline void syc_relatives_forget(struct syc_session *session)
{
	struct syc_relatives *const r = &session->relatives;

	for (uint32_t i = 0; i < r->n; i++)
		r->all[i].stage = SYC_RELATIVE_MET;
	r->described = 0;
	session->has_told_damage = false;
}

/** At the session's end: check for ended relatives.  True: a relative has ended
 * since the last check. */
bool syc_relatives_look(struct syc_session *session);

/** At the session's end: whether a slot may have more frames, because its
 * process lived at the last check for ended relatives.  All rings were read
 * since this check. */
bool syc_relatives_need_rings(struct syc_session *session);

#endif
