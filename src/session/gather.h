/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gather.h - collection of a batch of frames from the rings of a session.
 *
 * Relatives of the process can write anywhere in its rings.  So frames are
 * copied first, and only the copy is checked and written into the sink.  The
 * read position of each ring is kept in the session.
 *
 * Context of everything here: the drainer.
 */
#ifndef SYC_SESSION_GATHER_H
#define SYC_SESSION_GATHER_H

#include "session/batch.h"
#include "session/session.h"

/**
 * Copy whole frames, at most @room bytes.  False: more frames are left than fit
 * into @room.
 */
bool syc_gather(struct syc_session *session, struct syc_batch *batch,
                uint64_t room);

/**
 * Copy the frames of the last gathering again, after the frames that the
 * drainer has added to its own slot.
 */
bool syc_gather_again(struct syc_session *session, struct syc_batch *batch,
                      uint64_t room);

/** @batch->done bytes are written: advance the read positions. */
void syc_gather_advance(struct syc_session *session,
                        const struct syc_batch *batch);

/** Drop all present frames, and count them as lost. */
void syc_gather_drop(struct syc_session *session);

/** Whether the rings have frames.  Context: any-thread. */
bool syc_gather_has_work(struct syc_session *session);

#endif
