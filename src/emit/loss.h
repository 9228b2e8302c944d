/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loss.h - losses: counting, totals, and loss records.
 *
 * Three places count a loss: the thread's totals, the ring's header and the
 * process's sum.  From the header the recorder reads losses that no record
 * reports, for example after a kill.  A loss record precedes the thread's next
 * frame.
 *
 * The loss of a thread without a ring is stray.  Only the process's totals have
 * a stray loss, and any thread with a ring reports the loss.
 *
 * Each loss of a thread is reported exactly once, even if the emit of the
 * record dies. A stray loss may be reported twice.  A thread stages the new
 * totals in the other bank, and flips the bank after the record is complete.
 * If the writer has died, syc_loss_resolve() reads the frame to decide whether
 * the losses are reported.
 */
#ifndef SYC_EMIT_LOSS_H
#define SYC_EMIT_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emit/thread.h"
#include "ring/ring.h"

/** kind 0 of struct syc_ring_losses: emits that began and never finished. */
#define SYC_LOSS_ABANDONED 0

/** Count a lost frame of @ts.  Context: owner, signal-safe. */
void syc_loss_count(struct syc_state *ts, uint8_t type, uint32_t len,
                    int64_t time);

/** Count a stray loss: a frame of a thread that has no state, or no ring.
 * Context: any-thread, signal-safe. */
void syc_loss_count_stray(uint8_t type, uint32_t len, int64_t time);

/** Move unreported losses of @ts to the process's stray losses.  Context:
 * owner; or any thread, as the process exits. */
void syc_loss_leave_behind(struct syc_state *ts);

/** Return whether some losses of the thread, or stray losses, are unreported.
 * Context: owner. */
bool syc_loss_is_pending(const struct syc_state *ts);

/** Return whether some stray losses are unreported.  Context: any-thread,
 * signal-safe. */
bool syc_loss_is_stray_pending(void);

/**
 * Under a recorder, let the next event of a thread with a ring report stray
 * losses.  Does nothing if the last call was recent, unless @at_once.
 *
 * Context: any-thread, signal-safe.
 */
void syc_loss_request_report(bool at_once);

/** Add @more to the stray losses.  @n_frames of these frames were not counted
 * before.  Context: any-thread, signal-safe. */
void syc_loss_add_stray(const struct syc_ring_losses *more, uint64_t n_frames);

/** Copy the reported totals of @ts to its ring's header, for the ring's reader.
 * Context: owner. */
void syc_loss_mirror(const struct syc_state *ts);

/** Decide whether the record of a dead writer was reported.  Context: owner. */
void syc_loss_resolve(struct syc_state *ts);

/**
 * Write the due records if they fit below @limit, inside an emit.  Returns
 * false if due records of the thread do not fit.  Context: owner, signal-safe.
 */
bool syc_loss_report(struct syc_state *ts, uint32_t limit);

/* -------------------------------------------- records outside of a ring */

/**
 * Write a loss record of @tid (0: of no thread) to @frame, of
 * SYC_LOSS_RECORD_MAX bytes.  The record has the losses in @lost without the
 * losses in @reported.  Returns the record's length, or 0 if there are no
 * losses.
 *
 * Context: the reader of rings.
 */
uint32_t syc_loss_compose(unsigned char *frame,
                          const struct syc_ring_losses *lost,
                          const struct syc_ring_losses *reported, int32_t pid,
                          int32_t tid);

/** Write all unreported stray losses to @frame, and mark them as reported.
 * Waits at most half a second for another thread that reports stray losses at
 * this moment.  Returns the record's length, or 0.  Context: any-thread. */
uint32_t syc_loss_compose_last(unsigned char *frame, int32_t pid);

/* ------------------------------------------------------------- totals */

/*
 * syscap_get_stats() and the recorder read changing totals by relaxed loads,
 * each number separately.  Only a thread and its handlers add to the thread's
 * totals.
 *
 * Context of these functions: any-thread, signal-safe.
 */

/** Extend the range [*@from, *@to] to @time. */
void syc_loss_totals_reach(int64_t *from, int64_t *to, int64_t time);

/** Extend the range of @to to @time. */
void syc_loss_totals_extend(struct syc_ring_losses *to, int64_t time);

/** Add a frame of @kind and @len bytes. */
void syc_loss_totals_add(struct syc_ring_losses *to, uint8_t kind, uint32_t len,
                         int64_t time);

/** Like syc_loss_totals_add(), if @to belongs to the calling thread. */
void syc_loss_totals_add_own(struct syc_ring_losses *to, uint8_t kind,
                             uint32_t len, int64_t time);

/** The number of frames of all kinds. */
uint64_t syc_loss_totals_sum(const struct syc_ring_losses *losses);

/** Copy the totals of @from, and move its range to @to. */
void syc_loss_totals_take(struct syc_ring_losses *to,
                          struct syc_ring_losses *from);

/** Return to @to the range that was taken for an unreported record. */
void syc_loss_totals_return_range(struct syc_ring_losses *to,
                                  const struct syc_ring_losses *untold);

/** Subtract the totals of @less, which are not larger.  The range remains. */
void syc_loss_totals_subtract(struct syc_ring_losses *from,
                              const struct syc_ring_losses *less);

#endif
