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
#ifndef SYC_RELATIVES_H
#define SYC_RELATIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "selfrec/session.h"

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
bool syc_relatives_are_due(const struct syc_session *session, int64_t now);

/** What was said of them is not in the capture any more. */
void syc_relatives_forget(struct syc_session *session);

/** Whether any of them lives, and has a slot. */
bool syc_relatives_live(struct syc_session *session);

#endif
