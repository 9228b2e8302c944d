/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain.h - transfer of frames from the rings of a session into its sink: the
 * drainer, its batches, relatives, and losses that stay unreported.
 *
 * The drainer is the thread that holds session->draining: the drain thread, or
 * a thread that calls syscap_drain(), syscap_stop() or exit().  The drainer is
 * the reader of R1 and R2 in <syscap/emit.h>, and the writer of slot 0's ring.
 *
 * The drainer blocks signals, so no handler interrupts it.
 */
#ifndef SYC_SESSION_DRAIN_H
#define SYC_SESSION_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/thread.h"
#include "os/threads.h"
#include "session/session.h"
#include "session/trace.h"

/** Kind of the drainer. */
enum syc_drain_who {
	SYC_DRAIN_THREAD,
	SYC_DRAIN_ALONE,   /* a thread of a process without a drain thread */
	SYC_DRAIN_HANDLER, /* a signal handler of such a process, which takes no
	                    * lock of the C library */
};

/**
 * Move the present frames.  *@ret_moved becomes the number of moved bytes.
 * Returns 0; -EAGAIN: the sink accepts no data at present; -EBUSY: another
 * thread drains, or a drain thread exists.  Any other -errno: the sink is gone
 * for good.  A drain thread may have another fd table than the caller.
 *
 * @deadline: ns, end of the wait for a sink that is not ready.
 *
 * Context: any-thread, inside syc_session_look() or the drain thread.
 */
int syc_drain_pass(struct syc_session *session, enum syc_drain_who who,
                   int64_t deadline, uint64_t *ret_moved);

/**
 * Prevent other threads from draining, and from using the fds of the session,
 * until syc_drain_release().  False: not possible before @deadline.
 */
bool syc_drain_hold(struct syc_session *session, int64_t deadline);
static inline void syc_drain_release(struct syc_session *session)
{
	syc_tid_lock_give(&session->draining);
}

/** Move all frames, report all losses, and end the file.  Returns 0, or -errno:
 * then the file is incomplete. */
int syc_drain_finish(struct syc_session *session, int64_t deadline);

/**
 * A batch of frames from the rings (batch.c).
 *
 * Relatives of the process can write anywhere in its rings.  So frames are
 * copied first, and only the copy is checked and written into the sink.  The
 * read position of each ring is kept in the session.
 *
 * Context of these functions: the drainer.
 */

/**
 * Copy whole frames, at most @room bytes.  False: more frames are left than fit
 * into @room.
 */
bool syc_batch_gather(struct syc_session *session, struct syc_batch *batch,
                      uint64_t room);

/**
 * Copy the frames of the last gathering again, after the frames that the
 * drainer has added to its own slot.
 */
bool syc_batch_gather_again(struct syc_session *session,
                            struct syc_batch *batch, uint64_t room);

/** @batch->done bytes are written: advance the read positions. */
void syc_batch_advance(struct syc_session *session,
                       const struct syc_batch *batch);

/** Drop all present frames, and count them as lost. */
void syc_batch_drop(struct syc_session *session);

/** Whether the rings have frames.  Context: any-thread. */
bool syc_batch_has_work(struct syc_session *session);

/**
 * The drainer's own frames (batch.c): facts about the process, and losses.
 *
 * The frames go into slot 0, which belongs to no thread, and from there into
 * the sink, before all other frames of a pass.  The functions return false if
 * there is no space until the next pass.
 *
 * Context of these functions: the drainer.
 */

/** Add a frame to slot 0; @session is the data of a syc_describe_emit. */
bool syc_batch_add_frame(void *session, const void *frame, uint32_t len);

/** Add a METADATA frame.  @value has less than SYC_METADATA_TEXT_MAX bytes. */
#define SYC_METADATA_TEXT_MAX 128u
bool syc_batch_add_metadata(struct syc_session *session, const char *id,
                            const char *value);

/** Report, once, that a relative has overwritten rings. */
void syc_batch_report_damage(struct syc_session *session);

/** Write the frames about this process, before its other frames; an output
 * begins with these frames.  False: out of memory. */
bool syc_batch_add_description(struct syc_session *session, int64_t now);

/** Write MAP frames for libraries that were loaded since the last call, if any
 * code emits addresses.  False: there was no work. */
bool syc_batch_add_maps(struct syc_session *session, int64_t now);

/** Write a frame that @pid has forked @child.  With @child 0, write the last
 * frame of @pid, that it has ended. */
bool syc_batch_add_fork(struct syc_session *session, int32_t pid, int32_t child,
                        int64_t time);
static inline bool syc_batch_add_exit(struct syc_session *session, int32_t pid,
                                      int64_t time)
{
	return syc_batch_add_fork(session, pid, 0, time);
}

/** Write a loss record for the excess of @lost over @told, of thread @tid (0:
 * no thread) of @pid. */
bool syc_batch_report_losses(struct syc_session *session,
                             const struct syc_ring_losses *lost,
                             const struct syc_ring_losses *told, int32_t pid,
                             int32_t tid);

/**
 * Relatives (relatives.c): the forked processes that have slots in this
 * process' arena.
 *
 * Relatives are found by the words of the slots, which are trusted unless /proc
 * contradicts them.  Before a relative's other frames the capture has its
 * PROCESS frame, and MAP frames of the image that it shares with us.  A
 * relative's EXIT is after its last frame.
 *
 * Context of these functions: the drainer.
 */

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

/**
 * Losses that no frame of the capture will report (unreported.c).  For a trace
 * file, the file's header (base/loss_record.h) keeps such losses for the next
 * writer and for readers.
 */

/**
 * Write a loss record for losses that other processes have left in the header.
 * False: no space.
 *
 * Context: the drainer.
 */
bool syc_unreported_take(struct syc_session *session);

/**
 * Leave the losses of unwritten loss records in the header, if the drainer
 * could write neither the last events nor these records.  False: the header has
 * no place for losses.
 *
 * Context: the drainer.
 */
bool syc_unreported_store_records(struct syc_session *session);

/**
 * Stop the drain thread's writes, and leave the losses in the header, if the
 * process ends before the thread has written all frames.  False: the frames are
 * still to be written, or the header has no place for losses.  The function
 * waits for an unfinished write, until @deadline.
 *
 * Context: any-thread, signals blocked, no thread emits any more.
 */
bool syc_unreported_store_all(struct syc_session *session, int64_t deadline);

/**
 * Count the frames at [@from, @to) as stray losses, with the losses of their
 * loss records, and with @also unless @also is NULL.
 *
 * Context: any-thread, signal-safe.
 */
void syc_unreported_drop(const unsigned char *body, uint32_t size,
                         uint32_t from, uint32_t to, bool only_records,
                         const struct syc_ring_losses *also);

/**
 * @ts leaves a ring that is SYC_SLOT_OVER. Frames and losses of @ts after the
 * drainer's last read are counted as stray losses.
 *
 * Context: owner, signal-safe.
 */
void syc_unreported_count(struct syc_state *ts);

#endif
