/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * say.h - frames of the drainer's own: who the process is, what was lost.
 *
 * They go into slot 0, which belongs to no thread, and from there into the sink
 * before all others of a pass.  False: there is no room until the next pass.
 *
 * Context of all: who drains.
 */
#ifndef SYC_SELFREC_SAY_H
#define SYC_SELFREC_SAY_H

#include "selfrec/session.h"

/** @session, as syc_describe_emit has it. */
bool syc_say_frame(void *session, const void *frame, uint32_t len);

/** @value has less than SYC_SAY_TEXT bytes. */
#define SYC_SAY_TEXT 128u
bool syc_say_metadata(struct syc_session *session, const char *id,
                      const char *value);

/** Once: a relative has written over rings. */
void syc_say_damage(struct syc_session *session);

/** Who we are, before anything else of this process: an output begins with it.
 * False: there is no memory to say so. */
bool syc_say_who_we_are(struct syc_session *session, int64_t now);

/** MAP frames of what was loaded since the last call, if anything emits
 * addresses.  False: there was nothing to do. */
bool syc_say_new_maps(struct syc_session *session, int64_t now);

/** @pid has forked @child; 0: it has ended, which is its last frame. */
bool syc_say_fork(struct syc_session *session, int32_t pid, int32_t child,
                  int64_t time);
static inline bool syc_say_exit(struct syc_session *session, int32_t pid,
                                int64_t time)
{
	return syc_say_fork(session, pid, 0, time);
}

/** What @lost has more than @told, of thread @tid (0: of none) of @pid. */
bool syc_say_losses(struct syc_session *session,
                    const struct syc_ring_losses *lost,
                    const struct syc_ring_losses *told, int32_t pid,
                    int32_t tid);

#endif
