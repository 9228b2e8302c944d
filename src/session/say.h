/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * say.h - the drainer's own frames: facts about the process, and losses.
 *
 * The frames go into slot 0, which belongs to no thread, and from there into
 * the sink, before all other frames of a pass.  The functions return false if
 * there is no space until the next pass.
 *
 * Context of everything here: the drainer.
 */
#ifndef SYC_SESSION_SAY_H
#define SYC_SESSION_SAY_H

#include "session/session.h"

/** Add a frame to slot 0; @session is the data of a syc_describe_emit. */
bool syc_say_frame(void *session, const void *frame, uint32_t len);

/** Add a METADATA frame.  @value has less than SYC_SAY_TEXT bytes. */
#define SYC_SAY_TEXT 128u
bool syc_say_metadata(struct syc_session *session, const char *id,
                      const char *value);

/** Report, once, that a relative has overwritten rings. */
void syc_say_damage(struct syc_session *session);

/** Write the frames about this process, before its other frames; an output
 * begins with these frames.  False: out of memory. */
bool syc_say_who_we_are(struct syc_session *session, int64_t now);

/** Write MAP frames for libraries that were loaded since the last call, if any
 * code emits addresses.  False: there was no work. */
bool syc_say_new_maps(struct syc_session *session, int64_t now);

/** Write a frame that @pid has forked @child.  With @child 0, write the last
 * frame of @pid, that it has ended. */
bool syc_say_fork(struct syc_session *session, int32_t pid, int32_t child,
                  int64_t time);
static inline bool syc_say_exit(struct syc_session *session, int32_t pid,
                                int64_t time)
{
	return syc_say_fork(session, pid, 0, time);
}

/** Write a loss record for the excess of @lost over @told, of thread @tid (0:
 * no thread) of @pid. */
bool syc_say_losses(struct syc_session *session,
                    const struct syc_ring_losses *lost,
                    const struct syc_ring_losses *told, int32_t pid,
                    int32_t tid);

#endif
