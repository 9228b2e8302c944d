/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gather.h - a batch of what the rings of a session hold.
 *
 * Relatives of the process can write wherever its rings are.  So frames are
 * copied first, and what is looked at, and goes into the sink, is the copy.
 * How far each ring has been read is kept in the session.
 *
 * Context of all: who drains.
 */
#ifndef SYC_SELFREC_GATHER_H
#define SYC_SELFREC_GATHER_H

#include "selfrec/batch.h"
#include "selfrec/session.h"

/**
 * Copy whole frames, at most @room bytes.  False: there is more than fits into
 * @room.
 */
bool syc_gather(struct syc_session *session, struct syc_batch *batch,
                uint64_t room);

/**
 * The same frames once more, with those that the drainer has added to its own
 * slot in front of them.
 */
bool syc_gather_again(struct syc_session *session, struct syc_batch *batch,
                      uint64_t room);

/** What the batch says that is done of it is out. */
void syc_gather_advance(struct syc_session *session,
                        const struct syc_batch *batch);

/** What is there no longer fits: it is lost, and counted. */
void syc_gather_drop(struct syc_session *session);

/** Whether the rings hold anything.  Context: any-thread. */
bool syc_gather_has_work(struct syc_session *session);

#endif
