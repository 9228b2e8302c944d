/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * left.h - what a session of a trace file leaves behind that nobody will write.
 *
 * It is counted in the file's header, where who writes there next finds it, and
 * who reads it: trace_untold.h.
 */
#ifndef SYC_SELFREC_LEFT_H
#define SYC_SELFREC_LEFT_H

#include "selfrec/session.h"

/**
 * Write a loss record of what others have left there.  False: no room for it.
 *
 * Context: who drains.
 */
bool syc_left_take(struct syc_session *session);

/**
 * Who drains could write neither the last events nor that they are lost: what
 * loss records of its own say.  False: there is no place for it.
 *
 * Context: who drains.
 */
bool syc_left_tell_records(struct syc_session *session);

/**
 * The process ends, and its drain thread did not come so far as to write what
 * there is: it will write nothing from here on.  False: it is about to write
 * it, or there is no place to say so.  Waits for a write that is under way, until
 * @deadline.
 *
 * Context: any-thread, signals blocked, nobody emits any more.
 */
bool syc_left_tell_all(struct syc_session *session, int64_t deadline);

#endif
