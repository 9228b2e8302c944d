/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relatives.h - the forked processes that have slots in the arena of this one.
 *
 * They are met in the words of the slots, and believed to be what they say for
 * as long as /proc does not know better.  Of each the capture has a PROCESS
 * frame, and the MAP frames of the image that it shares with us, before any
 * other; and EXIT behind its last.
 *
 * Context of all: who drains.
 */
#ifndef SYC_SELFREC_RELATIVES_H
#define SYC_SELFREC_RELATIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "selfrec/session.h"

/** Between two looks at who is gone. */
#define SYC_RELATIVES_LOOK_NS INT64_C(400000000)

/** Before the rings are read: meet who is new, and say who they are; see who
 * is gone, if that is due or @at_once. */
void syc_relatives_meet(struct syc_session *session, int64_t now, bool at_once);

/** Whether frames of @pid may go into the sink: ourselves, or it is known. */
bool syc_relatives_knows(const struct syc_session *session, int32_t pid);

/** Whether @pid, of a slot's word that was read before, is one that has ended:
 * nobody writes into that slot. */
bool syc_relatives_is_gone(struct syc_session *session, int32_t pid);

/** Behind that: of those that are gone and have no slot any more, say so. */
void syc_relatives_part(struct syc_session *session, int64_t now);

/** Whether it is time to look after them. */
static inline bool syc_relatives_are_due(const struct syc_session *session,
                                         int64_t now)
{
	return session->relatives.n != 0 &&
	       now - session->relatives.looked_at >= SYC_RELATIVES_LOOK_NS;
}

/** What was said of them is not in the capture any more. */
static inline void syc_relatives_forget(struct syc_session *session)
{
	struct syc_relatives *const r = &session->relatives;

	for (uint32_t i = 0; i < r->n; i++)
		r->all[i].stage = SYC_RELATIVE_MET;
	r->described = 0;
	session->has_told_damage = false;
}

/** At the end: see who is gone.  True: one that was not before. */
bool syc_relatives_look(struct syc_session *session);

/** At the end, when all was read since the last look at who is gone: whether
 * there is a slot that may have more, whose process was there then. */
bool syc_relatives_need_rings(struct syc_session *session);

#endif
