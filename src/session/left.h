/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * left.h - losses of a session of a trace file that no frame will report.
 *
 * Such losses are counted in the file's header, for the next writer and for
 * readers: trace_untold.h.
 */
#ifndef SYC_SESSION_LEFT_H
#define SYC_SESSION_LEFT_H

#include "session/session.h"

/**
 * Write a loss record for losses that other processes have left in the header.
 * False: no space.
 *
 * Context: the drainer.
 */
bool syc_left_take(struct syc_session *session);

/**
 * Leave the losses of unwritten loss records in the header, if the drainer
 * could write neither the last events nor these records.  False: the header has
 * no place for losses.
 *
 * Context: the drainer.
 */
bool syc_left_tell_records(struct syc_session *session);

/**
 * Stop the drain thread's writes, and leave the losses in the header, if the
 * process ends before the thread has written all frames.  False: the frames are
 * still to be written, or the header has no place for losses.  The function
 * waits for an unfinished write, until @deadline.
 *
 * Context: any-thread, signals blocked, no thread emits any more.
 */
bool syc_left_tell_all(struct syc_session *session, int64_t deadline);

#endif
